import {
  type Agree,
  type PlanLine,
  type Receipt,
  type RewindPlan,
  receiptOf,
  type Savepoint,
  SavepointError,
} from '../index.ts';
import { plural } from '../terminal/phrases.ts';
import { noteText, planText } from '../terminal/plan-text.ts';
import type { Call } from './command.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { HeldWork } from './interrupts.ts';
import { printJson } from './json.ts';
import { RECEIPT, receiptJson } from './json-shapes.ts';
import { asksFirst, confirmed } from './options.ts';
import { sayUnmatched, type Unmatched } from './path-arguments.ts';

/** What `rewind`, `undo` and `redo` say around the same work. */
export interface Words {
  /** Above the plan. */
  readonly title: string;
  /** The command that takes the operation back. */
  readonly reverse: string;
  readonly nothingToDo: string;
  /** Set where nothing is done until the person adds an option: that option, and the plan to show. */
  readonly refused?: { readonly hint: string; readonly plan: RewindPlan };
  /** Named paths of which no change is on record. */
  readonly unmatched?: readonly Unmatched[];
  /** Below the title: what a person has to know before the plan. */
  readonly above?: readonly string[];
  /** Set where more is done than the plan of files shows: the sentence for a plan without files. */
  readonly besideFiles?: string;
  /** In place of `Savepoint.apply`. */
  readonly apply?: () => Promise<Receipt>;
  /** Prints for programs, in place of the receipt alone. */
  readonly print?: (receipt: Receipt, dryRun: boolean) => void;
  /** Asked at a terminal before anything is touched; left out, nobody is asked. */
  readonly question?: string;
  /** Where nothing was done: what can be taken back instead. */
  readonly onward?: string;
  /** What to try instead, for a person who says no. */
  readonly ifDeclined?: string;
}

/** An act of the engine: its plan alone, and the whole of it under one lock. */
export interface Act {
  readonly plan: () => Promise<RewindPlan>;
  readonly run: (agree: Agree) => Promise<Receipt>;
}

/** Plans and, unless somebody has to look at the plan first, restores under the same lock. */
export async function carryOut(
  call: Call,
  savepoint: Savepoint,
  act: Act,
  wordsFor: (plan: RewindPlan) => Words | Promise<Words>,
): Promise<ExitCode> {
  if (call.flags.has('dry-run')) {
    const plan = await act.plan();
    return carryOutPlan(call, savepoint, plan, await wordsFor(plan));
  }
  const looked: { at?: { readonly plan: RewindPlan; readonly words: Words } } = {};
  let isAgreed = false;
  const agree = async (plan: RewindPlan, begin: () => Promise<void>): Promise<boolean> => {
    const words = await wordsFor(plan);
    looked.at = { plan, words };
    if (isIdle(words.refused?.plan ?? plan) || asks(call, words)) return false;
    if (refusedConflicts(plan).length > 0) return false;
    await begin();
    isAgreed = true;
    return true;
  };
  const run = (begin: () => Promise<void>) => act.run((plan) => agree(plan, begin));
  // The plan is shown without the lock: a terminal that is not read must not keep other programs waiting.
  const show = (): void => {
    if (isAgreed && looked.at !== undefined) sayPlan(call, looked.at.plan, looked.at.words, false);
  };
  const receipt = await call.io.interrupts.holdOnce(run, RESTORE).catch((error: unknown) => {
    show();
    throw error;
  });
  if (looked.at === undefined) throw new Error('no plan was made');
  const { plan, words } = looked.at;
  if (!isAgreed) return carryOutPlan(call, savepoint, plan, words);
  return done(call, savepoint, plan, receipt, words, show);
}

/** Shows a plan and, unless this is a dry run or the person says no, does exactly what it shows. */
export async function carryOutPlan(
  call: Call,
  savepoint: Savepoint,
  plan: RewindPlan,
  words: Words,
): Promise<ExitCode> {
  const dryRun = call.flags.has('dry-run');
  const shown = words.refused?.plan ?? plan;
  if (isIdle(shown) && words.besideFiles === undefined) return nothingToDo(call, shown, words);
  const isAsked = asks(call, words);
  sayPlan(call, plan, words, dryRun || isAsked);
  refuseConflicts(plan);
  if (dryRun) return finish(call, plan, withNotices(call, savepoint, receiptOf(plan)), words);
  if (isAsked && !(await confirmed(call, words.question ?? ''))) return declined(call, words);
  const apply = words.apply ?? (() => savepoint.apply(plan));
  const receipt = await call.io.interrupts.hold(apply, RESTORE);
  return done(call, savepoint, plan, receipt, words);
}

function asks(call: Call, { question }: Words): boolean {
  return question !== undefined && asksFirst(call);
}

function done(
  call: Call,
  savepoint: Savepoint,
  plan: RewindPlan,
  receipt: Receipt,
  words: Words,
  show: () => void = () => {},
): ExitCode {
  // Before anything is printed: where the output is full, the person still hears what was done.
  if (receipt.operationId !== null) {
    const said = `the ${plan.kind} was carried out all the same: operation ${receipt.operationId}`;
    call.io.done = said;
    call.io.interrupts.meaning = said;
  }
  show();
  return finish(call, plan, withNotices(call, savepoint, receipt), words);
}

/** With `--quiet` only the paths that are left alone; with a dry run or a question the whole plan. */
function sayPlan(call: Call, plan: RewindPlan, words: Words, whole: boolean): void {
  const isQuiet = call.flags.has('quiet') && !whole;
  const lines = isQuiet ? plan.lines.filter(isLeftAlone) : plan.lines;
  if (!isQuiet) call.say(words.title);
  for (const line of words.above ?? []) call.say(line);
  for (const line of planText({ ...plan, lines }, call.paint, call.columns)) call.say(line);
  sayUnmatched(call, words.unmatched ?? []);
}

function isLeftAlone({ action }: PlanLine): boolean {
  return action === 'conflict' || action === 'skip';
}

export const RESTORE: HeldWork = {
  what: 'the restore',
  cutOff: 'the restore was cut off: the next savepoint command finishes it or takes it back',
};

/** Adds what the engine did by itself to the notes, for programs. People read it on standard error. */
function withNotices({ json }: Call, savepoint: Savepoint, receipt: Receipt): Receipt {
  return json ? { ...receipt, notes: [...receipt.notes, ...savepoint.notices()] } : receipt;
}

/** Whether a plan would leave everything as it is, records included. */
export function isIdle(plan: RewindPlan): boolean {
  return plan.lines.every(({ action }) => action === 'skip') && receiptOf(plan).errors.length === 0;
}

function nothingToDo(call: Call, plan: RewindPlan, words: Words): ExitCode {
  const dryRun = call.flags.has('dry-run');
  const { unmatched = [] } = words;
  const isNotFound = plan.lines.length === 0 && unmatched.some(({ exists }) => !exists);
  const receipt = receiptOf(plan);
  const success = receipt.success && !isNotFound && words.refused === undefined;
  printJson(call, RECEIPT, receiptJson({ ...receipt, success }, dryRun, unmatched));
  sayUnmatched(call, unmatched);
  if (unmatched.length === 0) call.tell(words.nothingToDo);
  for (const line of planText(plan, call.paint, call.columns)) call.say(line);
  call.hint(words.refused?.hint ?? words.onward ?? 'see what there is with: savepoint list');
  return isNotFound ? EXIT.notFound : EXIT.nothingToDo;
}

function refusedConflicts(plan: RewindPlan): Receipt['conflicts'] {
  return plan.onConflict === 'fail' ? receiptOf(plan).conflicts : [];
}

/** As `apply` does it, so that a dry run ends as the real one would. */
function refuseConflicts(plan: RewindPlan): void {
  const conflicts = refusedConflicts(plan);
  if (conflicts.length === 0) return;
  throw new SavepointError(
    'conflicts',
    `${plural(conflicts.length, 'path is', 'paths are')} in conflict`,
    {
      details: conflicts,
    },
  );
}

/** How it ends for a person who said no. */
export function declined(call: Call, { ifDeclined }: Pick<Words, 'ifDeclined'>): ExitCode {
  call.say('Nothing was changed.');
  if (ifDeclined !== undefined) call.hint(ifDeclined);
  return EXIT.interrupted;
}

function finish(call: Call, plan: RewindPlan, receipt: Receipt, words: Words): ExitCode {
  const dryRun = call.flags.has('dry-run');
  if (words.print !== undefined) words.print(receipt, dryRun);
  else printJson(call, RECEIPT, receiptJson(receipt, dryRun, words.unmatched));
  const late = receipt.notes.slice(plan.notes.length);
  for (const note of late) for (const line of noteText(note, call.columns)) call.say(line);
  const begun = dryRun ? 'Dry run, nothing was changed. It would be' : 'Done';
  const idle = !dryRun && receipt.operationId === null && words.besideFiles === undefined;
  const summary = `${idle ? 'Nothing was changed' : begun}: ${countsOf(receipt) ?? words.besideFiles ?? ALREADY}.`;
  // A summary of what is on the screen already; a dry run has nothing else to say.
  const speak = dryRun ? call.tell : call.remark;
  speak('');
  speak(summary);
  if (receipt.operationId !== null) call.remark(`Operation ${receipt.operationId}`);
  if (receipt.conflicts.length > 0) call.hint(CONFLICT_HINT);
  if (dryRun) call.hint('do it with the same command without --dry-run');
  else if (receipt.operationId !== null) call.hint(`take this back with: ${words.reverse}`);
  else if (words.onward !== undefined) call.hint(words.onward);
  if (receipt.errors.length > 0) return EXIT.failure;
  return receipt.conflicts.length > 0 ? EXIT.conflicts : EXIT.done;
}

// The operation is on record although no file changed: it marks the changes as taken back.
const ALREADY = 'every file is already as it was, and the changes are on record as taken back';

const CONFLICT_HINT =
  'for what is in conflict, repeat with --on-conflict restore (go back all the same) or keep (stay)';

/** Null where no path is concerned. */
function countsOf(receipt: Receipt): string | null {
  const { restoredFiles, deletedFiles, mergedFiles, conflicts, skipped, errors } = receipt;
  const counts = [
    [restoredFiles.length, 'restored'],
    [deletedFiles.length, 'deleted'],
    [mergedFiles.length, 'merged'],
    [conflicts.length, 'left in conflict'],
    [skipped.length, 'left as it is'],
    [errors.length, 'lost'],
  ] as const;
  const said = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return said.length === 0 ? null : said.join(', ');
}
