import type { Receipt, RewindPlan, Savepoint } from '../../index.ts';
import { planText } from '../../terminal/plan-text.ts';
import { wrapWords } from '../../terminal/text-width.ts';
import type { Call } from '../command.ts';
import { runAgent, type SentMessage } from './agent.ts';
import {
  showDamage,
  showEnding,
  showMessage,
  showOpening,
  showProgram,
  showTimeline,
} from './show.ts';
import { expectTree, readTree, type Tree } from './stage.ts';

/** What was done, each step checked byte for byte. A step that the visitor declined is null. */
export interface Played {
  readonly rewind: Receipt | null;
  readonly undo: Receipt | null;
  readonly redo: Receipt | null;
}

/** The whole play. A visitor at a terminal makes the choices; otherwise it goes by itself. */
export async function play(call: Call, savepoint: Savepoint): Promise<Played> {
  const visitor = call.io.interactive && !call.json;
  const { root } = savepoint;
  showOpening(call);
  const sent = await runAgent(savepoint, (entry) => showMessage(call, entry));
  const bad = sent.at(-1);
  if (bad === undefined) throw new Error('the demo failed: the agent did nothing');
  await showProgram(call, root);
  if (visitor) await call.io.ask(call.paint('dim', 'Not quite. Press Enter to see what it did. '));
  await showDamage(call, savepoint, bad.checkpointId);
  await showTimeline(call, savepoint, visitor);
  const target = visitor ? await choose(call, sent) : bad;
  const played = target === null ? NOTHING : await thereAndBack(call, savepoint, target, visitor);
  showEnding(call);
  return played;
}

const NOTHING: Played = { rewind: null, undo: null, redo: null };

/** Rewind, undo, redo; after each, the project must be as it was, byte for byte. */
async function thereAndBack(
  call: Call,
  savepoint: Savepoint,
  target: SentMessage,
  visitor: boolean,
): Promise<Played> {
  const { root } = savepoint;
  const wrecked = readTree(root);
  const step = async (command: string, plan: RewindPlan, expected: Tree): Promise<Receipt> => {
    say(`${paint('dim', '$')} savepoint ${command}`);
    for (const line of planText(plan, paint, call.columns)) say(line);
    const receipt = await savepoint.apply(plan);
    expectTree(root, expected, `after savepoint ${command}`);
    const checked = `Done, and checked: ${expected.size} files are as they were, byte for byte.`;
    for (const line of wrapWords(checked, call.columns)) say(paint('green', line));
    say();
    await showProgram(call, root);
    return receipt;
  };
  const wanted = async (question: string) => !visitor || agrees(call, question);
  const { paint, say } = call;

  const to = target.checkpointId;
  const rewind = await step(
    `rewind ${to.slice(0, 4)}`,
    await savepoint.planRewind({ to }),
    target.treeBefore,
  );
  if (!(await wanted('A rewind is no dead end. Undo it?'))) return { ...NOTHING, rewind };
  const undo = await step('undo', await savepoint.planUndo(), wrecked);
  if (!(await wanted('The damage is back. Redo the rewind?'))) return { ...NOTHING, rewind, undo };
  const redo = await step('redo', await savepoint.planRedo(), target.treeBefore);
  return { rewind, undo, redo };
}

/** Which message to take back to. Null when the visitor leaves. */
async function choose(call: Call, sent: readonly SentMessage[]): Promise<SentMessage | null> {
  const newestFirst = sent.toReversed();
  const what = 'Each row is the moment before the agent acted. Rewind to which one?';
  for (const line of wrapWords(what, call.columns)) call.say(line);
  for (;;) {
    const answer = await call.io.ask(`1 to ${sent.length}, Enter for 1, q to leave: `);
    const word = answer?.trim() ?? 'q';
    if (/^q(uit)?$/i.test(word)) return null;
    const chosen = newestFirst[Number(word === '' ? 1 : word) - 1];
    if (chosen !== undefined) {
      call.say();
      return chosen;
    }
  }
}

/** Enter means yes here: nothing in the play can be lost. The end of input means no. */
async function agrees(call: Call, question: string): Promise<boolean> {
  for (;;) {
    const answer = await call.io.ask(`${question} [Y/n] `);
    if (answer === null || /^\s*(n|no|q|quit)\s*$/i.test(answer)) return false;
    if (/^\s*(y|yes)?\s*$/i.test(answer)) return true;
  }
}
