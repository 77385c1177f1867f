import {
  type Checkpoint,
  isUnfinished,
  type KnownExecution,
  ProjectExecutions,
} from '../../execution/index.ts';
import {
  displayText,
  type OperationId,
  type Receipt,
  type RollbackPlan,
  type Savepoint,
  type StepAttempt,
  type TrackedPath,
} from '../../index.ts';
import {
  COUNT,
  described,
  exact,
  type Kind,
  listOf,
  nullable,
  oneOf,
  optional,
  TEXT,
} from '../../model/check.ts';
import { plural } from '../../terminal/phrases.ts';
import { wrapWords } from '../../terminal/text-width.ts';
import { RESTORE } from '../carry-out.ts';
import { type Call, wordOption } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { PathNames, printJson } from '../json.ts';
import { EXECUTION_KIND, PATH, PATH_BYTES } from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';
import { takeBack } from './rollback.ts';
import { find } from './which.ts';

interface ResumedJson {
  readonly id: string;
  readonly kind: KnownExecution['kind'];
  readonly dryRun?: true;
  readonly done: number;
  readonly next: number;
  readonly checkpointId: string | null;
  readonly rolledBack: readonly {
    readonly index: number;
    readonly name: string;
    readonly attempt: number | null;
  }[];
  readonly operationIds: readonly string[];
  readonly files: readonly string[];
  readonly pathBytes: Readonly<Record<string, string>>;
}

export const RESUMED: Kind<ResumedJson> = exact({
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

/** Prints for programs what was made ready, or would be. */
function printResumed(call: Call, resumed: Omit<ResumedJson, 'dryRun' | 'pathBytes'>): void {
  const names = new PathNames();
  printJson(call, RESUMED, {
    ...resumed,
    ...(call.flags.has('dry-run') ? { dryRun: true } : {}),
    files: resumed.files.map((path) => names.name(path)),
    // Last: it is complete only once every name was asked for.
    pathBytes: names.pathBytes,
  });
}

/** `savepoint executions resume ID`: ready for its program, which goes on where it was. */
export async function resumeExecution(call: Call, [id = '']: readonly string[]): Promise<ExitCode> {
  call.io.interrupts.meaning = 'nothing was changed';
  return withTimeline(call, async (savepoint) => {
    const executions = await ProjectExecutions.of(savepoint, call.io.now);
    const known = await find(call, executions, id);
    const resume = known.kind === 'steps' ? resumeSteps : resumeCheckpoints;
    return resume(call, savepoint, executions, known);
  });
}

/** The execution that was made ready, and what was done for it. */
interface Resumed {
  readonly known: KnownExecution;
  readonly done: number;
  /** The attempts whose changes were taken back. */
  readonly rolledBack: readonly StepAttempt[];
  readonly operations: readonly OperationId[];
  readonly files: readonly PutBack[];
}

interface PutBack {
  readonly path: TrackedPath;
  readonly word: 'restored' | 'deleted';
}

async function resumeSteps(
  call: Call,
  savepoint: Savepoint,
  { reader }: ProjectExecutions,
  known: KnownExecution,
): Promise<ExitCode> {
  const { steps } = await reader.show(known.id);
  const rolledBack = steps.flatMap(({ attempts }) => attempts).filter(isUnfinished);
  const nothing = { known, done: known.done, rolledBack, operations: [], files: [] };
  if (call.flags.has('dry-run')) return dryRun(call, nothing);
  const before = new Set((await savepoint.operations()).map(({ id }) => id));
  const done = await call.io.interrupts.hold(() => openAndClose(savepoint, known.id), RESTORE);
  const made = (await savepoint.operations()).map(({ id }) => id).filter((id) => !before.has(id));
  const files = await filesOf(savepoint, made);
  return ready(call, { known, done, rolledBack, operations: made, files });
}

/** Opening an execution rolls back unfinished attempts, and stops where files are not as its steps left them. */
async function openAndClose(savepoint: Savepoint, id: string): Promise<number> {
  const run = await savepoint.execution(id, { create: false });
  try {
    return run.done;
  } finally {
    await run.close();
  }
}

async function filesOf(savepoint: Savepoint, made: readonly OperationId[]): Promise<PutBack[]> {
  const words = new Map<TrackedPath, PutBack['word']>();
  // Newest last: its word for a path is the one that counts.
  for (const operationId of made.toReversed()) {
    for (const { path, after } of await savepoint.changes({ operationId })) {
      words.set(path, after?.kind === 'absent' ? 'deleted' : 'restored');
    }
  }
  const files = [...words].map(([path, word]) => ({ path, word }));
  return files.sort((one, other) => (one.path < other.path ? -1 : 1));
}

function dryRun(call: Call, resumed: Resumed): ExitCode {
  printSteps(call, resumed);
  const { known, done, rolledBack } = resumed;
  const would = rolledBack.length === 0 ? 'nothing is to be taken back' : 'it would take back:';
  call.tell(`Dry run, nothing was changed. ${standsText(known, done)}; ${would}`);
  for (const attempt of rolledBack) call.say(attemptText(attempt));
  return EXIT.done;
}

function ready(call: Call, resumed: Resumed): ExitCode {
  const { known, done, rolledBack, files } = resumed;
  printSteps(call, resumed);
  for (const attempt of rolledBack) call.say(`Taken back: ${attemptText(attempt).trim()}`);
  for (const { path, word } of files) {
    call.say(`  ${call.paint('green', word.padEnd(WORD_COLUMN))}  ${displayText(path)}`);
  }
  call.tell(`${standsText(known, done)}. The files are as its steps left them.`);
  sayGoOn(
    call,
    `. It gets the results of the steps that are done, and savepoint.execution(${quoted(known.id)}) runs step ${done} next.`,
  );
  return EXIT.done;
}

const WORD_COLUMN = 8;

function standsText({ id, status }: KnownExecution, done: number): string {
  const finished = `${displayText(id)} is finished: ${plural(done, 'step is', 'steps are')} done`;
  if (status === 'finished') return `${finished}, and nothing has to go on`;
  return `${displayText(id)} is ready to go on with step ${done}: ${plural(done, 'step is', 'steps are')} done`;
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
  return `  attempt ${attempt} at step ${index} (${displayText(name)}), which was ${how}`;
}

function printSteps(call: Call, { known, done, rolledBack, operations, files }: Resumed): void {
  printResumed(call, {
    id: known.id,
    kind: known.kind,
    done,
    next: done,
    checkpointId: null,
    rolledBack: rolledBack.map(({ index, name, attempt }) => ({ index, name, attempt })),
    operationIds: operations,
    files: files.map(({ path }) => path),
  });
}

/** A program that keeps checkpoints goes on from the last one that succeeded. */
async function resumeCheckpoints(
  call: Call,
  savepoint: Savepoint,
  executions: ProjectExecutions,
  known: KnownExecution,
): Promise<ExitCode> {
  const last = await executions.checkpoints.getLastSuccessfulCheckpoint(known.id);
  if (last === null) return nothingToGoOnFrom(call, known);
  // So that the plan knows of what happened since the last scan.
  await savepoint.scanAgain();
  const onConflict = wordOption(call, 'on-conflict', ['keep', 'restore', 'fail']);
  const plan = await executions.planRollback(known, { to: last.stepIndex, onConflict });
  const code = await takeBack(
    call,
    { savepoint, executions, known, plan },
    {
      title: titleOf(call, last),
      above: aboveOf(call, plan),
      print: (receipt) => printCheckpoints(call, known, last, plan, receipt),
    },
  );
  if (code === EXIT.done && !call.flags.has('dry-run')) {
    const { id, stepIndex } = last;
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

function titleOf({ columns }: Call, { executionId, stepIndex, stepName }: Checkpoint): string {
  const place = `${executionId} as it was after step ${stepIndex} (${stepName})`;
  return wrapWords(`Make ready ${displayText(place)}:`, columns, 2).join('\n');
}

function aboveOf({ columns }: Call, { steps }: RollbackPlan): string[] {
  if (steps.length === 0) return [];
  const names = steps.map(({ index, name }) => `${index} (${name})`).join(', ');
  return wrapWords(`  set aside, because it did not succeed: ${displayText(names)}`, columns, 4);
}

function printCheckpoints(
  call: Call,
  { id, kind, done }: KnownExecution,
  last: Checkpoint,
  { steps }: RollbackPlan,
  { restoredFiles, deletedFiles, mergedFiles, operationId }: Receipt,
): void {
  printResumed(call, {
    id,
    kind,
    done,
    next: last.stepIndex + 1,
    checkpointId: last.id,
    rolledBack: steps.map(({ index, name }) => ({ index, name, attempt: null })),
    operationIds: operationId === null ? [] : [operationId],
    files: [...restoredFiles, ...deletedFiles, ...mergedFiles].sort(),
  });
}
