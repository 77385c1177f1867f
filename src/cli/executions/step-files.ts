import type { KnownExecution, ProjectExecutions } from '../../execution/index.ts';
import {
  type BlobId,
  isSavepointError,
  type PathDiff,
  type Savepoint,
  SavepointError,
  type State,
} from '../../index.ts';
import { type FileDiff, fileDiffs } from '../../terminal/file-diff.ts';
import { BEGINNING } from './which.ts';

interface Range {
  readonly from: number;
  readonly to: number;
}

/** What changed in files between two steps. `from` may be the later one. */
export async function fileDiffsBetween(
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

/** Of the steps alone: from what the first found to what the last left. */
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
    if (before === undefined || after === null || isSame(before, after)) continue;
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

function isSame(one: State, other: State): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Null where there are none, or they are damaged: the diff then says so. */
async function bytesOf(savepoint: Savepoint, state: State): Promise<Uint8Array | null> {
  if (state.kind !== 'captured' || state.blob === null) return null;
  const blob: BlobId = state.blob;
  try {
    return await savepoint.readBlob(blob);
  } catch (error) {
    if (isSavepointError(error, 'blob-corrupt') || isSavepointError(error, 'blob-missing'))
      return null;
    throw error;
  }
}
