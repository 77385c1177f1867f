import { type KnownExecution, ProjectExecutions } from '../../execution/index.ts';
import {
  type Difference,
  displayText,
  isSavepointError,
  type PathDiff,
  type Savepoint,
  SavepointError,
  type State,
} from '../../index.ts';
import {
  described,
  exact,
  integer,
  listOf,
  nullable,
  oneOf,
  TEXT,
  type TypeOf,
} from '../../model/check.ts';
import { diffStat, diffText } from '../../terminal/diff-text.ts';
import { type FileDiff, fileDiffs } from '../../terminal/file-diff.ts';
import type { Style } from '../../terminal/paint.ts';
import { wrapWords } from '../../terminal/text-width.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import type { Call } from '../command.ts';
import type { Subcommand } from '../commands/executions.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson, withPathBytes } from '../json.ts';
import { EXECUTION_KIND, FILE_DIFF, fileDiffJson, PATH_BYTES } from '../json-shapes.ts';
import { withTimeline } from '../open-timeline.ts';
import { showPage } from '../pager.ts';
import { BEGINNING, find, type NamedStep, placeText, stepIn } from './list.ts';

const SHAPE = exact({
  id: TEXT,
  kind: EXECUTION_KIND,
  from: described('After this step; -1 is before the first.', integer(BEGINNING)),
  to: described('After this step.', integer(BEGINNING)),
  state: listOf(
    exact({
      path: described('As in a program: `state.messages[3].content`.', TEXT),
      kind: oneOf('added', 'removed', 'changed'),
    }),
  ),
  files: described(
    'As `savepoint diff` prints them; null without --files.',
    nullable(listOf(FILE_DIFF)),
  ),
  pathBytes: PATH_BYTES,
});

/** `savepoint executions diff ID [STEP [STEP2]]`: where state differs, and files when asked for. */
export const diff: Subcommand = {
  printed: SHAPE,
  run: async (call: Call, words: readonly string[]) => {
    const [id = '', ...named] = words;
    const withFiles = call.flags.has('files') || call.flags.has('stat');
    const found = await withTimeline(call, async (savepoint): Promise<Found> => {
      const executions = await ProjectExecutions.of(savepoint);
      const known = await find(call, executions, id);
      const steps = await executions.steps(known);
      const range = rangeOf(steps, named);
      const state = await executions.diff(known, range.from, range.to);
      const files = withFiles ? await fileDiffsBetween(savepoint, executions, known, range) : null;
      return { known, steps, ...range, state, files };
    });
    if (call.json) printJson(call, SHAPE, foundJson(found, call.flags.has('stat')));
    await showPage(call, foundText(call, found));
    if (!withFiles) call.hint('see what it did to files with: --files');
    return EXIT.done;
  },
};

interface Range {
  readonly from: number;
  readonly to: number;
}

interface Found extends Range {
  readonly known: KnownExecution;
  readonly steps: readonly NamedStep[];
  readonly state: readonly Difference[];
  readonly files: readonly FileDiff[] | null;
}

/** With one step: what it did. With two: from one to the other. With none: from the beginning to the end. */
function rangeOf(steps: readonly NamedStep[], [first, second]: readonly string[]): Range {
  const before = (index: number): number => {
    const at = steps.findIndex((step) => step.index === index);
    return steps[at - 1]?.index ?? BEGINNING;
  };
  if (first === undefined) return { from: BEGINNING, to: steps.at(-1)?.index ?? BEGINNING };
  const one = stepIn(steps, first);
  if (second !== undefined) return { from: one, to: stepIn(steps, second) };
  if (one !== BEGINNING) return { from: before(one), to: one };
  throw new UsageError('the beginning is no step', 'name a second one to compare it with');
}

const KINDS: Record<Difference['kind'], Style> = {
  added: 'green',
  removed: 'red',
  changed: 'yellow',
};

function foundText(call: Call, found: Found): string[] {
  const { paint, columns } = call;
  const { known, steps, from, to, state, files } = found;
  const range = `${known.id}, from ${placeText(steps, from)} to ${placeText(steps, to)}:`;
  const paths = state.map(
    ({ path, kind }) => `  ${paint(KINDS[kind], kind.padEnd(7))}  ${displayText(path)}`,
  );
  return [
    ...wrapWords(displayText(range), columns, 2),
    ...(paths.length === 0 ? ['  the state is the same'] : paths),
    ...(files === null ? [] : ['', ...filesText(call, files)]),
  ];
}

function filesText({ flags, paint, columns }: Call, files: readonly FileDiff[]): string[] {
  if (files.length === 0) return ['No file differs.'];
  if (flags.has('stat')) return diffStat(files, paint, columns);
  return files.flatMap((file) => diffText(file, paint));
}

function foundJson({ known, from, to, state, files }: Found, stat: boolean): TypeOf<typeof SHAPE> {
  return withPathBytes((names) => ({
    id: known.id,
    kind: known.kind,
    from,
    to,
    state: state.map(({ path, kind }) => ({ path, kind })),
    files: files?.map((file) => fileDiffJson(file, names, stat)) ?? null,
  }));
}

/** What changed in files between two steps. `from` may be the later one. */
async function fileDiffsBetween(
  savepoint: Savepoint,
  executions: ProjectExecutions,
  { id, kind }: KnownExecution,
  { from, to }: Range,
): Promise<FileDiff[]> {
  if (from === to) return [];
  const range = { from: Math.min(from, to), to: Math.max(from, to) };
  const diffs =
    kind === 'steps'
      ? await ofSteps(savepoint, executions, id, range)
      : await ofCheckpoints(savepoint, executions, id, range);
  return fileDiffs(from < to ? diffs : diffs.map(turnedAround));
}

/** What the steps themselves changed: from the files that the first found to those that the last left. */
async function ofSteps(
  savepoint: Savepoint,
  { reader }: ProjectExecutions,
  id: string,
  { from, to }: Range,
): Promise<PathDiff[]> {
  const { steps } = await reader.show(id);
  const checkpointIds = steps
    .filter(({ index }) => index > from && index <= to)
    .flatMap(({ attempts }) => attempts.findLast(({ status }) => status === 'success') ?? [])
    .flatMap(({ checkpointId }) => checkpointId ?? []);
  const changes = await savepoint.changes({ checkpointIds });
  const diffs: PathDiff[] = [];
  for (const [path, chain] of Map.groupBy(changes, (change) => change.path)) {
    const before = chain[0]?.before;
    const after = chain.at(-1)?.after ?? null;
    if (before === undefined || after === null) continue;
    if (JSON.stringify(before) === JSON.stringify(after)) continue;
    const beforeBytes = await bytesOf(savepoint, before);
    diffs.push({ path, before, after, beforeBytes, afterBytes: await bytesOf(savepoint, after) });
  }
  return diffs.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Checkpoints do not tell who changed a file: everything on record between the two is shown. */
async function ofCheckpoints(
  savepoint: Savepoint,
  { checkpoints }: ProjectExecutions,
  id: string,
  { from, to }: Range,
): Promise<PathDiff[]> {
  const kept = await checkpoints.listCheckpoints(id);
  const pointAt = (index: number): string => {
    const found = kept.find(({ stepIndex }) => stepIndex === index);
    const point = found?.metadata.file_checkpoint;
    if (typeof point === 'string') return point;
    const message =
      index === BEGINNING
        ? 'how files were before the first step is not on record; name two steps'
        : `step ${index} was kept without its files`;
    throw new SavepointError('step-not-found', message);
  };
  return savepoint.diff(pointAt(from), pointAt(to));
}

function turnedAround({ path, before, after, beforeBytes, afterBytes }: PathDiff): PathDiff {
  return { path, before: after, after: before, beforeBytes: afterBytes, afterBytes: beforeBytes };
}

/** Null where there are none, or they are damaged: the diff then says so. */
async function bytesOf(savepoint: Savepoint, state: State): Promise<Uint8Array | null> {
  if (state.kind !== 'captured' || state.blob === null) return null;
  try {
    return await savepoint.readBlob(state.blob);
  } catch (error) {
    const isLost =
      isSavepointError(error, 'blob-corrupt') || isSavepointError(error, 'blob-missing');
    if (isLost) return null;
    throw error;
  }
}
