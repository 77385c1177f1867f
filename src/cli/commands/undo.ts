import {
  type Agree,
  displayText,
  type PlanLine,
  type PlanOptions,
  type RewindPlan,
  type Savepoint,
  type TrackedPath,
} from '../../index.ts';
import { inferredPaths } from '../../terminal/plan-text.ts';
import { carryOut, type Words } from '../carry-out.ts';
import { type Call, type Command, expectArgs, flag } from '../command.ts';
import type { ExitCode } from '../exit-codes.ts';
import { RECEIPT } from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';
import { asksFirst, INCLUDE_SHARED, PLAN_OPTIONS, planOptions } from '../options.ts';

interface UndoOptions extends PlanOptions {
  readonly operationId?: string;
  readonly includeShared: boolean;
}

export const undo: Command = {
  name: 'undo',
  arguments: '[OPERATION | RUN]',
  summary: 'take back the newest rewind, or what the newest run changed',
  details:
    'Takes back whichever came last, the newest rewind that is in effect or what `savepoint run` changed;\n' +
    'or the operation or run whose id is given: every rewind, undo and redo prints its own, and\n' +
    '`savepoint list` shows those of runs. Work that was done since stays. Repeat it to go further back;\n' +
    '`savepoint redo` takes an undo back.\n' +
    'It stops at a run that changed nothing that is recorded, and says so: to reach past it, name what\n' +
    'came before. At a terminal it asks before it deletes a file that no tool named but that was found\n' +
    'after a command, because you may have made it meanwhile. A file that is gone and was never recorded\n' +
    'is lost, and the command ends with 1.\n' +
    'A run that was killed left no word of its end: what is found since it began may be its doing or\n' +
    'yours. At a terminal you are shown all of it and asked; elsewhere --include-shared says yes.\n' +
    'An undo never passes over such a run to an older one.',
  options: { ...PLAN_OPTIONS, yes: flag('do not ask'), 'include-shared': INCLUDE_SHARED },
  examples: [
    ['savepoint undo', 'the newest rewind or run'],
    ['savepoint undo --dry-run', 'only show what it would do'],
  ],
  completes: ['operation'],
  json: { undo: RECEIPT },
  run: async (call) => {
    call.io.interrupts.meaning = 'nothing was changed';
    const [operationId] = expectArgs(call, 'undo', 0, 1);
    const options = { ...planOptions(call), includeShared: call.flags.has('include-shared') };
    const request = operationId === undefined ? options : { ...options, operationId };
    return withTimeline(call, (savepoint) => runUndo(call, savepoint, request));
  },
};

async function runUndo(
  call: Call,
  savepoint: Savepoint,
  { includeShared, ...request }: UndoOptions,
): Promise<ExitCode> {
  // This scan puts on record what a killed run left.
  const scan = await savepoint.scanAgain();
  if (scan !== null && scan.coverage !== 'scanned') {
    const why = displayText(scan.notice ?? scan.coverage);
    call.io.err(`savepoint: the worktree could not be looked at: ${why}\n`);
  }
  const all = { ...request, includeShared: true };
  const act = {
    plan: () => savepoint.planUndo(all),
    run: (agree: Agree) => savepoint.undo(all, agree),
  };
  return carryOut(call, savepoint, act, async (plan) => ({
    ...(await onwardFrom(savepoint, plan)),
    ...wordsFor(call, plan, includeShared),
  }));
}

/** A run of which nothing can be taken back any more stays the last thing: a person has to name what came before. */
async function onwardFrom(
  savepoint: Savepoint,
  { checkpointId, lines }: RewindPlan,
): Promise<Pick<Words, 'onward'>> {
  if (checkpointId === null || lines.some(({ takes }) => takes.length > 0)) return {};
  const before = await savepoint.undoableBefore(checkpointId);
  if (before === null) return {};
  const what = displayText(before.description);
  return { onward: `take back what came before it (${what}) with: savepoint undo ${before.id}` };
}

/** Changes of which nobody knows who made them need a yes: by an answer or by --include-shared. */
function wordsFor(call: Call, plan: RewindPlan, includeShared: boolean): Words {
  const what = displayText(plan.description.replace(/^undo /, ''));
  const words: Words = {
    title: `Undo: ${what}`,
    reverse: 'savepoint redo',
    nothingToDo: `Nothing to do for: ${what}`,
  };
  const found = inferredPaths(plan);
  // What somebody else made meanwhile may be among them.
  const isCareful = plan.lines.some(({ action, path }) => action === 'delete' && found.has(path));
  const uncertain = plan.notes.find(({ code }) => code === 'not-certain')?.paths ?? [];
  if (uncertain.length === 0 || includeShared)
    return isCareful ? { ...words, question: 'Delete these files too?' } : words;
  const look = `look at it with: savepoint diff ${plan.checkpointId}`;
  const some = `only some of it: savepoint rewind ${plan.checkpointId} --include-shared PATH...`;
  if (asksFirst(call)) {
    const question = 'Take it back, also what is not certain?';
    return { ...words, question, ifDeclined: `${look}; take back ${some}` };
  }
  const hint = `${look}; take it back with: savepoint undo --include-shared; ${some}`;
  const nothingToDo = `Nothing was undone. These changes may be of this run or of somebody else, because its end was not seen or another command ran at the same time: ${what}`;
  return { ...words, nothingToDo, refused: { hint, plan: left(plan, uncertain) } };
}

/** The plan that leaves everything as it is, because of these paths. */
function left(plan: RewindPlan, uncertain: readonly TrackedPath[]): RewindPlan {
  const paths = new Set(uncertain);
  const lines = plan.lines.filter(({ path }) => paths.has(path));
  return { ...plan, lines: lines.map(skipped), notes: [] };
}

function skipped({ path, expected }: PlanLine): PlanLine {
  const reason = 'shared-attribution';
  return { path, action: 'skip', expected, target: expected, reason, takes: [] };
}

export const redo: Command = {
  name: 'redo',
  summary: 'take back the newest undo',
  details: 'Takes back the newest undo, as long as no new rewind came after it.',
  options: PLAN_OPTIONS,
  examples: [['savepoint redo', 'rewind again what was undone']],
  json: { redo: RECEIPT },
  run: async (call) => {
    call.io.interrupts.meaning = 'nothing was changed';
    const options = planOptions(call);
    return withTimeline(call, (savepoint) => runRedo(call, savepoint, options));
  },
};

function runRedo(call: Call, savepoint: Savepoint, options: PlanOptions): Promise<ExitCode> {
  const act = {
    plan: () => savepoint.planRedo(options),
    run: (agree: Agree) => savepoint.redo(options, agree),
  };
  return carryOut(call, savepoint, act, (plan) => {
    const what = displayText(plan.description.replace(/^redo /, ''));
    return {
      title: `Redo: ${what}`,
      reverse: 'savepoint undo',
      nothingToDo: `Nothing to do for: ${what}`,
    };
  });
}
