import { isUnfinished, type KnownExecution, ProjectExecutions } from '../../execution/index.ts';
import {
  displayText,
  type OperationId,
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
  type TypeOf,
} from '../../model/check.ts';
import { plural } from '../../terminal/phrases.ts';
import { wrapWords } from '../../terminal/text-width.ts';
import { RESTORE } from '../carry-out.ts';
import { type Call, wordOption } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson, withPathBytes } from '../json.ts';
import { EXECUTION_KIND, PATH, PATH_BYTES } from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';
import { find } from './list.ts';
import { takeBack } from './rollback.ts';

const SHAPE = exact({
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

/** For the published schema. */
export const PRINTED: Kind<unknown> = SHAPE;

type Resumed = Omit<TypeOf<typeof SHAPE>, 'dryRun' | 'pathBytes'>;

/** Prints for programs what was made ready, or would be. */
function printResumed(call: Call, resumed: Resumed): void {
  const dryRun = call.flags.has('dry-run') ? { dryRun: true as const } : {};
  const printed = withPathBytes(({ name }) => {
    return { ...resumed, ...dryRun, files: resumed.files.map(name) };
  });
  printJson(call, SHAPE, printed);
}

/** `savepoint executions resume ID`: ready for its program, which goes on where it was. */
export async function run(call: Call, [id = '']: readonly string[]): Promise<ExitCode> {
  call.io.interrupts.meaning = 'nothing was changed';
  return withTimeline(call, async (savepoint) => {
    const executions = await ProjectExecutions.of(savepoint, call.io.now);
    const known = await find(call, executions, id);
    const resume = known.kind === 'steps' ? resumeSteps : resumeCheckpoints;
    return resume(call, savepoint, executions, known);
  });
}

async function resumeSteps(
  call: Call,
  savepoint: Savepoint,
  { reader }: ProjectExecutions,
  known: KnownExecution,
): Promise<ExitCode> {
  const { steps } = await reader.show(known.id);
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
  const includeShared = call.flags.has('include-shared');
  const request = { to: last.stepIndex, onConflict, includeShared };
  const plan = await executions.planRollback(known, request);
  const { id, executionId, stepIndex, stepName } = last;
  const place = `${executionId} as it was after step ${stepIndex} (${stepName})`;
  const names = plan.steps.map(({ index, name }) => `${index} (${name})`).join(', ');
  const aside = `  set aside, because it did not succeed: ${displayText(names)}`;
  const code = await takeBack(
    call,
    { savepoint, executions, known, plan },
    {
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
    },
  );
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
