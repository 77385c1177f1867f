import { isUnfinished, type KnownExecution, ProjectExecutions } from '../../execution/index.ts';
import {
  displayText,
  type OperationId,
  type RollbackPlan,
  receiptOf,
  type Savepoint,
  type StepAttempt,
  type TrackedPath,
} from '../../index.ts';
import {
  COUNT,
  described,
  exact,
  extended,
  integer,
  listOf,
  nullable,
  oneOf,
  optional,
  TEXT,
  type TypeOf,
} from '../../model/check.ts';
import { plural } from '../../terminal/phrases.ts';
import { wrapWords } from '../../terminal/text-width.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { carryOutPlan, isIdle, RESTORE, type Words } from '../carry-out.ts';
import { type Call, wordOption } from '../command.ts';
import type { Subcommand } from '../commands/executions.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson, withPathBytes } from '../json.ts';
import {
  EXECUTION_KIND,
  PATH,
  PATH_BYTES,
  RECEIPT,
  type ReceiptJson,
  receiptJson,
  TIME,
  timeJson,
} from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';
import { asksFirst } from '../options.ts';
import { BEGINNING, find, idWord, type NamedStep, placeText, stepIn } from './list.ts';

const ROLLED_BACK = extended(RECEIPT, {
  id: TEXT,
  kind: EXECUTION_KIND,
  to: described('The last step that is kept; -1 for none.', integer(BEGINNING)),
  steps: described('The steps that are taken back.', listOf(exact({ index: COUNT, name: TEXT }))),
  effects: described(
    'What they declared, and nobody can undo.',
    listOf(exact({ index: COUNT, name: TEXT, description: TEXT, declaredAt: TIME })),
  ),
});

/** `savepoint executions rollback ID --to STEP`: files and state to how they were after a step. */
export const rollback: Subcommand = {
  printed: ROLLED_BACK,
  run: (call, [id = '']) => {
    const word = call.values.get('to');
    if (word === undefined) {
      const hint = `see its steps with: savepoint executions show ${id}`;
      throw new UsageError('to which step? --to is missing', hint);
    }
    return withExecution(call, id, (named) => runRollback(call, named, word));
  },
};

/** An execution that a person has named. */
interface Named {
  readonly savepoint: Savepoint;
  readonly executions: ProjectExecutions;
  readonly known: KnownExecution;
}

async function withExecution(
  call: Call,
  id: string,
  work: (named: Named) => Promise<ExitCode>,
): Promise<ExitCode> {
  call.io.interrupts.meaning = 'nothing was changed';
  return withTimeline(call, async (savepoint) => {
    const executions = await ProjectExecutions.of(savepoint, call.io.now);
    return work({ savepoint, executions, known: await find(call, executions, id) });
  });
}

async function runRollback(call: Call, named: Named, word: string): Promise<ExitCode> {
  const { executions, known } = named;
  const steps = await executions.steps(known);
  const to = stepIn(steps, word);
  refuseBeginning(known, to);
  const plan = await planBack(call, named, to);
  if (plan.steps.length === 0) return nothingAfter(call, known, steps, plan);
  const code = await takeBack(call, named, plan, {
    title: titleOf(call, known, steps, to),
    above: aboveOf(call, plan),
    print: (receipt, dryRun) =>
      printJson(call, ROLLED_BACK, rollbackJson(known, plan, receiptJson(receipt, dryRun))),
  });
  if (call.flags.has('dry-run') && plan.effects.length > 0 && !call.flags.has('accept-effects')) {
    call.hint('what cannot be undone has to be accepted: add --accept-effects');
  }
  return code;
}

async function planBack(call: Call, named: Named, to: number): Promise<RollbackPlan> {
  // So that the plan knows of what happened since the last scan.
  await named.savepoint.scanAgain();
  return named.executions.planRollback(named.known, {
    to,
    includeShared: call.flags.has('include-shared'),
    onConflict: wordOption(call, 'on-conflict', ['keep', 'restore', 'fail']),
  });
}

function refuseBeginning({ id, kind }: KnownExecution, to: number): void {
  if (kind === 'steps' || to !== BEGINNING) return;
  throw new UsageError(
    'a program that keeps checkpoints has none before its first step',
    `see its steps with: savepoint executions show ${idWord(id)}`,
  );
}

function nothingAfter(
  call: Call,
  known: KnownExecution,
  steps: readonly NamedStep[],
  plan: RollbackPlan,
): ExitCode {
  const receipt = receiptOf({ ...plan.files, lines: [], notes: [] });
  const printed = receiptJson(receipt, call.flags.has('dry-run'));
  printJson(call, ROLLED_BACK, rollbackJson(known, plan, printed));
  const place = placeText(steps, plan.to).replace('before', 'at');
  const text = `Nothing to do: ${displayText(`${known.id} stands ${place}`)}.`;
  call.tell(text);
  call.hint(
    `take back what a step left that failed or was killed with: savepoint executions resume ${idWord(known.id)}`,
  );
  return EXIT.nothingToDo;
}

function titleOf(
  { columns }: Call,
  { id }: KnownExecution,
  steps: readonly NamedStep[],
  to: number,
): string {
  const place = to === BEGINNING ? 'to its beginning' : `to ${placeText(steps, to)}`;
  return wrapWords(`Roll ${displayText(`${id} back ${place}`)}:`, columns, 2).join('\n');
}

/** The steps that go, and what of them stays done. */
function aboveOf({ paint, columns }: Call, { steps, effects }: RollbackPlan): string[] {
  const names = steps.map(({ index, name }) => `${index} (${displayText(name)})`).join(', ');
  const lasting = effects.flatMap(({ index, name, description }) => {
    const text = `cannot be undone: ${description} (step ${index}, ${name})`;
    return wrapWords(`  ${displayText(text)}`, columns, 4).map((line) => paint('red', line));
  });
  const count = plural(steps.length, 'step');
  return [...wrapWords(`  ${count} to take back: ${names}`, columns, 4), ...lasting];
}

function rollbackJson(
  { id, kind }: KnownExecution,
  { to, steps, effects }: RollbackPlan,
  receipt: ReceiptJson,
): TypeOf<typeof ROLLED_BACK> {
  return {
    ...receipt,
    id,
    kind,
    to,
    steps: steps.map(({ index, name }) => ({ index, name })),
    effects: effects.map(({ index, name, description, declaredAt }) => {
      return { index, name, description, declaredAt: timeJson(declaredAt) };
    }),
  };
}

/** Shows the plan of a rollback and carries it out; `told` is what a person or a program reads around it. */
function takeBack(
  call: Call,
  { savepoint, executions, known }: Named,
  plan: RollbackPlan,
  told: Pick<Words, 'title' | 'above' | 'print'>,
): Promise<ExitCode> {
  const { effects, files } = plan;
  // A person who was shown the effects and says yes has accepted them.
  const acceptEffects = call.flags.has('accept-effects') || asksFirst(call);
  const words = {
    ...told,
    nothingToDo: '',
    apply: () => executions.applyRollback(known, plan, { acceptEffects }),
  };
  if (known.kind === 'steps') {
    return carryOutPlan(call, savepoint, files, {
      ...words,
      reverse: 'savepoint undo',
      besideFiles: 'the state goes back, and no file is concerned',
      question: effects.length === 0 ? 'Go ahead?' : 'Go ahead, although that stays done?',
    });
  }
  const hasFiles = files.checkpointId !== null;
  return carryOutPlan(call, savepoint, files, {
    ...words,
    above: [...(words.above ?? []), ...(hasFiles ? wrapWords(EVERYBODY, call.columns, 4) : [])],
    reverse: 'savepoint undo (the files; the steps stay set aside)',
    besideFiles: hasFiles
      ? 'no file is concerned'
      : 'it was kept without files, which stay as they are',
    // Where nothing would be done, nobody is asked.
    ...(plan.steps.length === 0 && isIdle(files) ? {} : { question: 'Go ahead?' }),
  });
}

// The checkpoints belong to no session, so nothing tells the program's files from those of other agents.
const EVERYBODY =
  '  files go back to that moment: what any agent has changed since, not what you changed';

const RESUMED = exact({
  id: TEXT,
  kind: EXECUTION_KIND,
  dryRun: optional(described('Only with --dry-run: this is what would be done.', oneOf(true))),
  done: described('How many steps are done.', COUNT),
  next: described('The step that the program will go on with.', COUNT),
  checkpointId: described('Of checkpoints: what `resumeFromCheckpoint` takes.', nullable(TEXT)),
  rolledBack: described(
    'What had not succeeded, and was taken back.',
    listOf(
      exact({
        index: COUNT,
        name: TEXT,
        attempt: described(
          'Null for a step of checkpoints, all attempts of which count no more.',
          nullable(COUNT),
        ),
      }),
    ),
  ),
  operationIds: described('The operations that did it.', listOf(TEXT)),
  files: described('What was put back.', listOf(PATH)),
  pathBytes: PATH_BYTES,
});

type Resumed = Omit<TypeOf<typeof RESUMED>, 'dryRun' | 'pathBytes'>;

/** Prints for programs what was made ready, or would be. */
function printResumed(call: Call, resumed: Resumed): void {
  const dryRun = call.flags.has('dry-run') ? { dryRun: true as const } : {};
  const printed = withPathBytes(({ name }) => {
    return { ...resumed, ...dryRun, files: resumed.files.map(name) };
  });
  printJson(call, RESUMED, printed);
}

/** `savepoint executions resume ID`: ready for its program, which goes on where it was. */
export const resume: Subcommand = {
  printed: RESUMED,
  run: (call, [id = '']) =>
    withExecution(call, id, (named) => {
      const make = named.known.kind === 'steps' ? resumeSteps : resumeCheckpoints;
      return make(call, named);
    }),
};

async function resumeSteps(call: Call, { savepoint, executions, known }: Named): Promise<ExitCode> {
  const { steps } = await executions.reader.show(known.id);
  const taken = steps.flatMap(({ attempts }) => attempts).filter(isUnfinished);
  const isDryRun = call.flags.has('dry-run');
  const opened = isDryRun
    ? null
    : await call.io.interrupts.hold(() => open(call, savepoint, known), RESTORE);
  const { done, operationIds, files } = opened ?? { done: known.done, operationIds: [], files: [] };
  printResumed(call, {
    id: known.id,
    kind: known.kind,
    done,
    next: done,
    checkpointId: null,
    rolledBack: taken.map(({ index, name, attempt }) => ({ index, name, attempt })),
    operationIds,
    files: files.map(([path]) => path),
  });
  if (isDryRun) {
    const would = taken.length === 0 ? 'nothing is to be taken back' : 'it would take back:';
    call.tell(`Dry run, nothing was changed. ${standsText(known, done)}; ${would}`);
    for (const attempt of taken) call.say(`  ${attemptText(attempt)}`);
    return EXIT.done;
  }
  for (const attempt of taken) call.say(`Taken back: ${attemptText(attempt)}`);
  for (const [path, word] of files) {
    call.say(`  ${call.paint('green', word.padEnd(WORD_COLUMN))}  ${displayText(path)}`);
  }
  call.tell(`${standsText(known, done)}. The files are as its steps left them.`);
  sayGoOn(
    call,
    `. It gets the results of the steps that are done, and savepoint.execution(${quoted(known.id)}) runs step ${done} next.`,
  );
  return EXIT.done;
}

interface Opened {
  readonly done: number;
  readonly operationIds: readonly OperationId[];
  /** What was put back, by path. */
  readonly files: readonly (readonly [TrackedPath, 'restored' | 'deleted'])[];
}

/** Opening an execution rolls back unfinished attempts, and stops where files are not as its steps left them. */
async function open(call: Call, savepoint: Savepoint, { id }: KnownExecution): Promise<Opened> {
  const before = new Set((await savepoint.operations()).map((one) => one.id));
  const includeShared = call.flags.has('include-shared');
  const run = await savepoint.execution(id, { create: false, includeShared });
  const { done } = run;
  await run.close();
  const made = (await savepoint.operations()).filter((one) => !before.has(one.id));
  const operationIds = made.map((one) => one.id);
  const words = new Map<TrackedPath, 'restored' | 'deleted'>();
  // Newest last: its word for a path is the one that counts.
  for (const operationId of operationIds.toReversed()) {
    for (const { path, after } of await savepoint.changes({ operationId })) {
      words.set(path, after?.kind === 'absent' ? 'deleted' : 'restored');
    }
  }
  const files = [...words].sort(([one], [other]) => (one < other ? -1 : 1));
  return { done, operationIds, files };
}

const WORD_COLUMN = 8;

function standsText({ id, status }: KnownExecution, done: number): string {
  const count = plural(done, 'step is', 'steps are');
  return status === 'finished'
    ? `${displayText(id)} is finished: ${count} done, and nothing has to go on`
    : `${displayText(id)} is ready to go on with step ${done}: ${count} done`;
}

/** Nobody but the program can run its steps. */
function sayGoOn(call: Call, how: string): void {
  call.remark(`This command cannot run the program's own code: start the program again${how}`);
}

function quoted(text: string): string {
  return displayText(JSON.stringify(text));
}

function attemptText({ index, name, attempt, status }: StepAttempt): string {
  const how = status === 'running' ? 'killed' : status;
  return `attempt ${attempt} at step ${index} (${displayText(name)}), which was ${how}`;
}

/** A program that keeps checkpoints goes on from the last one that succeeded. */
async function resumeCheckpoints(call: Call, named: Named): Promise<ExitCode> {
  const { executions, known } = named;
  const last = await executions.checkpoints.getLastSuccessfulCheckpoint(known.id);
  if (last === null) return nothingToGoOnFrom(call, known);
  const plan = await planBack(call, named, last.stepIndex);
  const { id, executionId, stepIndex, stepName } = last;
  const place = `${executionId} as it was after step ${stepIndex} (${stepName})`;
  const names = plan.steps.map(({ index, name }) => `${index} (${name})`).join(', ');
  const aside = `  set aside, because it did not succeed: ${displayText(names)}`;
  const code = await takeBack(call, named, plan, {
    title: wrapWords(`Make ready ${displayText(place)}:`, call.columns, 2).join('\n'),
    above: plan.steps.length === 0 ? [] : wrapWords(aside, call.columns, 4),
    print: ({ restoredFiles, deletedFiles, mergedFiles, operationId }) =>
      printResumed(call, {
        id: known.id,
        kind: known.kind,
        done: known.done,
        next: stepIndex + 1,
        checkpointId: id,
        rolledBack: plan.steps.map(({ index, name }) => ({ index, name, attempt: null })),
        operationIds: operationId === null ? [] : [operationId],
        files: [...restoredFiles, ...deletedFiles, ...mergedFiles].sort(),
      }),
  });
  if (code === EXIT.done && !call.flags.has('dry-run')) {
    sayGoOn(
      call,
      `, and let it call resumeFromCheckpoint(${quoted(id)}, agent) of ExecutionRecovery. State, context and variables are those after step ${stepIndex}, and step ${stepIndex + 1} comes next.`,
    );
  }
  return code;
}

function nothingToGoOnFrom(call: Call, { id }: KnownExecution): ExitCode {
  const nothing = { checkpointId: null, rolledBack: [], operationIds: [], files: [] };
  printResumed(call, { id, kind: 'checkpoints', done: 0, next: 0, ...nothing });
  call.say(`Nothing to do: no step of ${displayText(id)} has succeeded; its program begins anew.`);
  return EXIT.nothingToDo;
}
