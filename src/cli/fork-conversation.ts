import { type ForkedConversation, loadFork, notForked } from '../agents/fork-conversation.ts';
import { realPathOrNull } from '../fs/entries.ts';
import {
  type Checkpoint,
  displayText,
  type RewindPlan,
  receiptOf,
  type Savepoint,
} from '../index.ts';
import {
  described,
  exact,
  extended,
  type Kind,
  listOf,
  nullable,
  oneOf,
  optional,
  TEXT,
} from '../model/check.ts';
import { carryOutPlan, isIdle, type Words } from './carry-out.ts';
import type { LineHunks } from './choose-hunks.ts';
import type { Call } from './command.ts';
import type { ExitCode } from './exit-codes.ts';
import { PathNames, printJson } from './json.ts';
import { DIFF_HUNK, PATH, RECEIPT, receiptJson } from './json-shapes.ts';
import type { Unmatched } from './path-arguments.ts';

const SHAPE = extended(RECEIPT, {
  conversation: optional(
    described(
      'Only with --conversation: where the agent goes on; null with --dry-run.',
      nullable(
        exact({
          id: described('Null where the prompt was the first one.', nullable(TEXT)),
          command: described('The words of the command that continues there.', listOf(TEXT)),
          folder: described('Where to run it.', TEXT),
        }),
      ),
    ),
  ),
  hunks: optional(
    described(
      'Only with --hunks --dry-run: what can be taken back alone, with --hunk.',
      listOf(
        exact({
          path: PATH,
          hunks: listOf(
            extended(DIFF_HUNK, {
              id: described('What --hunk takes, while the file and the change are the same.', TEXT),
              kind: described(
                'Changed lines, from how they would be (old) to how they are (new); the permissions; or the whole path, because it cannot be divided.',
                oneOf('lines', 'mode', 'whole'),
              ),
            }),
          ),
        }),
      ),
    ),
  ),
});

/** What `savepoint rewind` prints for programs. */
export const REWIND: Kind<unknown> = SHAPE;

/** Prints a receipt for programs, with the hunks of the plan. */
export function printWithHunks(
  call: Call,
  listed: readonly LineHunks[],
  unmatched: readonly Unmatched[],
): NonNullable<Words['print']> {
  // Each path is in the receipt as well, which has the bytes of odd names.
  const names = new PathNames();
  const hunks = listed.map(({ line, hunks: own }) => ({
    path: names.name(line.path),
    hunks: own,
  }));
  return (receipt, dryRun) =>
    printJson(call, SHAPE, { ...receiptJson(receipt, dryRun, unmatched), hunks });
}

export type Fork = () => Promise<ForkedConversation>;

/** The way to fork the conversation of a checkpoint. Throws before anything is done where there is none. */
export async function forkBefore(
  call: Call,
  savepoint: Savepoint,
  { kind, sessionId, description, createdAt, conversation }: Checkpoint,
): Promise<Fork> {
  if (kind !== 'message' || sessionId === null || conversation === null) {
    throw notForked(
      'the checkpoint is not a prompt of an agent that was set up with savepoint init',
    );
  }
  if (await savepoint.isRunning(sessionId)) {
    throw notForked('its agent is still running; end it, then repeat the command');
  }
  const session = (await savepoint.sessions()).find(({ id }) => id === sessionId);
  const fork = await loadFork(session?.agent ?? null);
  const { root: project } = savepoint;
  const { env } = call.io;
  return async () => {
    const request = { conversation, prompt: description, sentAt: createdAt, project, env };
    const forked = await fork(request);
    // The person will paste it into a shell.
    if (forked.id !== null && !PLAIN_ID.test(forked.id)) throw notForked('its new id is odd');
    return forked;
  };
}

const PLAIN_ID = /^\w[\w-]*$/;

/** As `carryOutPlan`, with the conversation, also where no file has to go back. */
export async function carryOutWithFork(
  call: Call,
  savepoint: Savepoint,
  plan: RewindPlan,
  words: Words,
  fork: Fork,
): Promise<ExitCode> {
  let forked: ForkedConversation | null = null;
  const code = await carryOutPlan(call, savepoint, plan, {
    ...words,
    besideFiles: 'no file has to go back',
    apply: async () => {
      // First: where it fails, no file has gone back; and a copy of a conversation harms nobody.
      forked = await fork();
      return isIdle(plan) ? receiptOf(plan) : savepoint.apply(plan);
    },
    print: (receipt, dryRun) =>
      printJson(call, SHAPE, {
        ...receiptJson(receipt, dryRun, words.unmatched),
        conversation: forked,
      }),
  });
  sayForked(call, forked);
  return code;
}

function sayForked(call: Call, forked: ForkedConversation | null): void {
  if (forked === null) return;
  const { command, folder } = forked;
  const where = realPathOrNull(call.io.cwd) === folder ? '' : `, in ${displayText(folder)},`;
  call.say(`\nContinue before that prompt${where} with: ${command.join(' ')}`);
}
