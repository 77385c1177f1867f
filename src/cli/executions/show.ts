import {
  type KnownExecution,
  ProjectExecutions,
  type RecordedAttempt,
  type ShownExecution,
  stepName,
} from '../../execution/index.ts';
import {
  displayText,
  type InspectedChange,
  isSavepointError,
  type Savepoint,
} from '../../index.ts';
import {
  BOOLEAN,
  COUNT,
  described,
  exact,
  extended,
  integer,
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
import type { Subcommand } from '../commands/executions.ts';
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
import { EXIT } from '../exit-codes.ts';
import { type PathNames, picked, printJson, withPathBytes } from '../json.ts';
import { PATH, PATH_BYTES, TIME, timeJson, timeOrNull } from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';
import { showPage } from '../pager.ts';
import {
  EXECUTION,
  executionJson,
  find,
  holderText,
  idWord,
  KINDS,
  STATUS_STYLES,
  STEP_STATUS,
  sayDamaged,
} from './list.ts';

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
        key: described('Tells steps of one name apart.', nullable(TEXT)),
        status: described('Of the attempt that counts.', STEP_STATUS),
        attempts: described('In order.', listOf(ATTEMPT)),
      }),
    ),
  ),
  pathBytes: PATH_BYTES,
});

type ShownFile = Pick<InspectedChange, 'path' | 'insertions' | 'deletions' | 'takenBack'> & {
  readonly change: ChangeKind;
};

/** What attempts did to files, by the checkpoint of each; null for checkpoints, which do not tell whose it was. */
type Files = ReadonlyMap<string | null, readonly ShownFile[]> | null;

/** `savepoint executions show ID`: the steps, with every attempt. */
export const show: Subcommand = {
  printed: SHAPE,
  run: async (call: Call, [id = '']: readonly string[]) => {
    const { shown, files, problems } = await withTimeline(call, async (savepoint) => {
      const executions = await ProjectExecutions.of(savepoint);
      const found = await executions.show(await find(call, executions, id));
      const files = found.known.kind === 'steps' ? await filesOf(savepoint, found) : null;
      return { shown: found, files, problems: executions.checkpoints.problems() };
    });
    if (call.json) printJson(call, SHAPE, shownJson(shown, files));
    const facts = factsText(call, factsOf(call, shown));
    await showPage(call, [...facts, '', ...stepsText(call, shown, files)]);
    sayDamaged(call, problems);
    call.hint(hintFor(shown.known));
    return EXIT.done;
  },
};

async function filesOf(savepoint: Savepoint, { steps }: ShownExecution): Promise<Files> {
  const files = new Map<string | null, ShownFile[]>();
  for (const { checkpointId } of steps.flatMap(({ attempts }) => attempts)) {
    if (checkpointId !== null) files.set(checkpointId, await filesAt(savepoint, checkpointId));
  }
  return files;
}

async function filesAt(savepoint: Savepoint, checkpointId: string): Promise<ShownFile[]> {
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

function shownJson(shown: ShownExecution, files: Files): TypeOf<typeof SHAPE> {
  const { known, createdAt, sessionId, parent, steps } = shown;
  return withPathBytes((names) => ({
    execution: { ...executionJson(known), createdAt: timeOrNull(createdAt), sessionId, parent },
    steps: steps.map(({ index, name, status, attempts }) => ({
      index,
      name,
      key: attempts.at(-1)?.key ?? null,
      status,
      attempts: attempts.map((attempt) => attemptJson(attempt, files, names)),
    })),
  }));
}

function attemptJson(
  made: RecordedAttempt,
  files: Files,
  names: PathNames,
): TypeOf<typeof ATTEMPT> {
  const { checkpointId, startedAt, endedAt, effects } = made;
  const named = (file: ShownFile) => ({ ...file, path: names.name(file.path) });
  return {
    ...picked(ATTEMPT, made),
    startedAt: timeOrNull(startedAt),
    endedAt: timeOrNull(endedAt),
    effects: effects.map(({ description, declaredAt }) => {
      return { description, declaredAt: timeJson(declaredAt) };
    }),
    files: files && (files.get(checkpointId) ?? []).map(named),
  };
}

function factsOf(call: Call, shown: ShownExecution): Fact[] {
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

function stepsText(call: Call, { steps }: ShownExecution, files: Files): string[] {
  if (steps.length === 0) return ['No step was begun.'];
  const { paint } = call;
  const names = steps.map(({ name, attempts }) => {
    const attempt = attempts.at(-1);
    return clipWidth(displayText(attempt ? stepName(attempt) : name), LONGEST_NAME);
  });
  const column = Math.max(...names.map(textWidth));
  return steps.flatMap(({ index, status, attempts }, i) => {
    const isOne = attempts.length === 1;
    const number = paint('bold', String(index).padStart(3));
    const painted = paint(STATUS_STYLES[status] ?? 'bold', status);
    const many = isOne ? '' : `, ${attempts.length} attempts`;
    return [
      `${number}  ${padWidth(names[i] ?? '', column)}  ${painted}${many}`,
      ...attempts.flatMap((attempt) => attemptText(call, attempt, files, isOne)),
    ];
  });
}

const INDENT = '       ';

function attemptText(
  call: Call,
  attempt: RecordedAttempt,
  files: Files,
  isOnly: boolean,
): string[] {
  const { io, columns, paint } = call;
  const { endedAt, startedAt, checkpointId, error, effects } = attempt;
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
    ...(error === null ? [] : line(`error: ${displayText(error.split('\n', 1)[0] ?? '')}`)),
    ...effects.flatMap(({ description }) => line(`cannot be undone: ${displayText(description)}`)),
    ...(files?.get(checkpointId) ?? []).flatMap((file) => fileText(call, file)),
  ];
}

function fileText({ paint, columns }: Call, file: ShownFile): string[] {
  const { path, change, takenBack } = file;
  const [sign, style] = SIGNS[change];
  const details = [...lineCounts(file), ...(takenBack ? ['taken back'] : [])].join(', ');
  return beside(`${INDENT}${paint(style, sign)} ${displayText(path)}  `, details, columns);
}
