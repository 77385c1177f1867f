import { type ForkedConversation, loadFork, notForked } from '../agents/fork-conversation.ts';
import { type Checkpoint, type RewindPlan, receiptOf, type Savepoint } from '../index.ts';
import {
  described,
  exact,
  extended,
  type Kind,
  listOf,
  nullable,
  optional,
  TEXT,
} from '../model/check.ts';
import { carryOutPlan, isIdle, type Words } from './carry-out.ts';
import type { Call } from './command.ts';
import type { ExitCode } from './exit-codes.ts';
import { printJson } from './json.ts';
import { RECEIPT, receiptJson } from './json-shapes.ts';

const SHAPE = extended(RECEIPT, {
  conversation: optional(
    described(
      'Only with --conversation: where the agent goes on; null with --dry-run.',
      nullable(
        exact({
          id: described('Null where the prompt was the first one.', nullable(TEXT)),
          command: described('The words of the command that continues there.', listOf(TEXT)),
        }),
      ),
    ),
  ),
});

/** What `savepoint rewind` prints for programs. */
export const REWIND: Kind<unknown> = SHAPE;

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
  return () => fork({ conversation, prompt: description, sentAt: createdAt, project, env });
}

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
  const { command } = (forked as ForkedConversation | null) ?? {};
  if (command !== undefined) call.say(`\nContinue before that prompt with: ${command.join(' ')}`);
  return code;
}
