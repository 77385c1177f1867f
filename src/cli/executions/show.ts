import {
  type KnownExecution,
  ProjectExecutions,
  type RecordedAttempt,
  type ShownExecution,
} from '../../execution/index.ts';
import { displayText, isSavepointError, type Savepoint, type TrackedPath } from '../../index.ts';
import {
  BOOLEAN,
  COUNT,
  described,
  exact,
  extended,
  integer,
  type Kind,
  listOf,
  nullable,
  oneOf,
  TEXT,
  type TypeOf,
} from '../../model/check.ts';
import { plural, relativeTime } from '../../terminal/phrases.ts';
import { beside } from '../../terminal/rows.ts';
import { clipWidth, padWidth, textWidth, wrapWords } from '../../terminal/text-width.ts';
import type { Call } from '../command.ts';
import {
  CHANGE_KINDS,
  type ChangeKind,
  changeKind,
  type Fact,
  factsText,
  lineCounts,
  SIGNS,
  timeText,
} from '../commands/show.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { PathNames, printJson } from '../json.ts';
import { PATH, PATH_BYTES, TIME, timeJson } from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';
import { showPage } from '../pager.ts';
import { sayDamaged } from './list.ts';
import {
  EXECUTION,
  executionJson,
  find,
  holderText,
  idWord,
  KINDS,
  STATUS_STYLES,
  STEP_STATUS,
} from './which.ts';

const ATTEMPT = exact({
  attempt: integer(1),
  status: STEP_STATUS,
  error: described('What it failed with.', nullable(TEXT)),
  checkpointId: described(
    'On the timeline of files, which `savepoint show` and `savepoint rewind` take; null where there is none.',
    nullable(TEXT),
  ),
  startedAt: nullable(TIME),
  endedAt: nullable(TIME),
  effects: described(
    'What it declared, and nobody can undo.',
    listOf(exact({ description: TEXT, declaredAt: TIME })),
  ),
  files: described(
    'What it did to files; null where nobody told apart who changed what.',
    nullable(
      listOf(
        exact({
          path: PATH,
          change: oneOf(...CHANGE_KINDS),
          insertions: COUNT,
          deletions: COUNT,
          takenBack: described('Whether an operation took it back, and is in effect.', BOOLEAN),
        }),
      ),
    ),
  ),
});

const SHAPE = exact({
  execution: extended(EXECUTION, {
    createdAt: nullable(TIME),
    sessionId: described('The session under which its files are on record.', nullable(TEXT)),
    parent: described(
      'The execution that it was forked from, and the last step that both have in common.',
      nullable(exact({ id: TEXT, step: COUNT })),
    ),
  }),
  steps: described(
    'By their index.',
    listOf(
      exact({
        index: COUNT,
        name: TEXT,
        status: described('Of the attempt that counts.', STEP_STATUS),
        attempts: described('In order.', listOf(ATTEMPT)),
      }),
    ),
  ),
  pathBytes: PATH_BYTES,
});

/** For the published schema. */
export const SHOW_JSON: Kind<unknown> = SHAPE;

/** An execution with what its attempts did to files. */
interface ShownWithFiles extends ShownExecution {
  readonly steps: readonly ShownStep[];
}

type ShownStep = Omit<ShownExecution['steps'][number], 'attempts'> & {
  readonly attempts: readonly ShownAttempt[];
};

interface ShownAttempt extends RecordedAttempt {
  /** Null for checkpoints: they do not tell who changed a file. */
  readonly files: readonly ShownFile[] | null;
}

interface ShownFile {
  readonly path: TrackedPath;
  readonly change: ChangeKind;
  readonly insertions: number;
  readonly deletions: number;
  readonly takenBack: boolean;
}

/** `savepoint executions show ID`: the steps, with every attempt. */
export async function showExecution(call: Call, [id = '']: readonly string[]): Promise<ExitCode> {
  const { shown, problems } = await withTimeline(call, async (savepoint) => {
    const executions = await ProjectExecutions.of(savepoint);
    const found = await executions.show(await find(call, executions, id));
    const steps = await Promise.all(found.steps.map((step) => withFiles(savepoint, found, step)));
    return { shown: { ...found, steps }, problems: executions.checkpoints.problems() };
  });
  if (call.json) printJson(call, SHAPE, shownJson(shown));
  await showPage(call, [...factsText(call, factsOf(call, shown)), '', ...stepsText(call, shown)]);
  sayDamaged(call, problems);
  call.hint(hintFor(shown.known));
  return EXIT.done;
}

async function withFiles(
  savepoint: Savepoint,
  { known }: ShownExecution,
  { attempts, ...step }: ShownExecution['steps'][number],
): Promise<ShownStep> {
  const shown: ShownAttempt[] = [];
  for (const attempt of attempts) {
    const files = known.kind === 'steps' ? await filesOf(savepoint, attempt.checkpointId) : null;
    shown.push({ ...attempt, files });
  }
  return { ...step, attempts: shown };
}

/** What an attempt did to files, one line for each. */
async function filesOf(savepoint: Savepoint, checkpointId: string | null): Promise<ShownFile[]> {
  if (checkpointId === null) return [];
  try {
    const { changes } = await savepoint.inspect(checkpointId);
    return changes.map((change) => {
      const { path, insertions, deletions, takenBack } = change;
      return { path, change: changeKind(change), insertions, deletions, takenBack };
    });
  } catch (error) {
    // The checkpoint was pruned: the step is still on record, its changes of files are not.
    if (isSavepointError(error, 'checkpoint-not-found')) return [];
    throw error;
  }
}

function hintFor({ id, holder, last }: KnownExecution): string {
  const word = idWord(id);
  const back = `go back to after a step with: savepoint executions rollback ${word} --to STEP`;
  const isCutOff = holder === null && (last?.status === 'killed' || last?.status === 'failed');
  return isCutOff
    ? `make it ready to go on with: savepoint executions resume ${word}; ${back}`
    : `see what a step did with: savepoint executions diff ${word} STEP --files; ${back}`;
}

function shownJson(shown: ShownWithFiles): TypeOf<typeof SHAPE> {
  const { known, createdAt, sessionId, parent, steps } = shown;
  const names = new PathNames();
  return {
    execution: {
      ...executionJson(known),
      createdAt: createdAt === null ? null : timeJson(createdAt),
      sessionId,
      parent,
    },
    steps: steps.map(({ index, name, status, attempts }) => ({
      index,
      name,
      status,
      attempts: attempts.map((attempt) => attemptJson(attempt, names)),
    })),
    // Last: it is complete only once every name was asked for.
    pathBytes: names.pathBytes,
  };
}

function attemptJson(made: ShownAttempt, names: PathNames): TypeOf<typeof ATTEMPT> {
  const { attempt, status, error, checkpointId, startedAt, endedAt, effects, files } = made;
  return {
    attempt,
    status,
    error,
    checkpointId,
    startedAt: startedAt === null ? null : timeJson(startedAt),
    endedAt: endedAt === null ? null : timeJson(endedAt),
    effects: effects.map(({ description, declaredAt }) => {
      return { description, declaredAt: timeJson(declaredAt) };
    }),
    files: files?.map((file) => ({ ...file, path: names.name(file.path) })) ?? null,
  };
}

function factsOf(call: Call, shown: ShownWithFiles): Fact[] {
  const { known, createdAt, sessionId, parent } = shown;
  return [
    ['Execution', call.paint('bold', displayText(known.id))],
    ['Kind', KINDS[known.kind]],
    ['Status', `${known.status}, ${plural(known.done, 'step')} done`],
    known.holder === null ? null : ['Held by', holderText(known.holder)],
    parent === null
      ? null
      : ['Forked from', `${displayText(parent.id)}, after step ${parent.step}`],
    createdAt === null ? null : ['Begun', timeText(call, createdAt)],
    ['Updated', timeText(call, known.updatedAt)],
    sessionId === null ? null : ['Session', displayText(sessionId)],
  ];
}

const LONGEST_NAME = 40;

function stepsText(call: Call, { steps }: ShownWithFiles): string[] {
  if (steps.length === 0) return ['No step was begun.'];
  const names = steps.map(({ name }) => clipWidth(displayText(name), LONGEST_NAME));
  const column = Math.max(...names.map(textWidth));
  return steps.flatMap((step, i) => stepText(call, step, padWidth(names[i] ?? '', column)));
}

function stepText(call: Call, step: ShownStep, name: string): string[] {
  const { paint } = call;
  const { index, status, attempts } = step;
  const isOne = attempts.length === 1;
  const number = paint('bold', String(index).padStart(3));
  const painted = paint(STATUS_STYLES[status] ?? 'bold', status);
  const head = `${number}  ${name}  ${painted}${isOne ? '' : `, ${attempts.length} attempts`}`;
  return [head, ...attempts.flatMap((attempt) => attemptText(call, attempt, isOne))];
}

const INDENT = '       ';

function attemptText(call: Call, attempt: ShownAttempt, isOnly: boolean): string[] {
  const { io, columns, paint } = call;
  const { endedAt, startedAt, checkpointId, error, effects, files } = attempt;
  const time = endedAt ?? startedAt;
  const about = [
    ...(isOnly ? [] : [`attempt ${attempt.attempt} ${attempt.status}`]),
    ...(time === null ? [] : [relativeTime(time, io.now())]),
    ...(checkpointId === null ? [] : [`file checkpoint ${checkpointId.slice(0, 8)}`]),
  ].join(', ');
  const line = (text: string): string[] =>
    wrapWords(`${INDENT}${text}`, columns, INDENT.length + 2);
  return [
    ...line(about).map((part) => paint('dim', part)),
    // The stack is in the JSON.
    ...(error === null ? [] : line(`error: ${displayText(firstLine(error))}`)),
    ...effects.flatMap(({ description }) => line(`cannot be undone: ${displayText(description)}`)),
    ...(files ?? []).flatMap((file) => fileText(call, file)),
  ];
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

function fileText({ paint, columns }: Call, file: ShownFile): string[] {
  const { path, change, takenBack } = file;
  const [sign, style] = SIGNS[change];
  const details = [...lineCounts(file), ...(takenBack ? ['taken back'] : [])].join(', ');
  return beside(`${INDENT}${paint(style, sign)} ${displayText(path)}  `, details, columns);
}
