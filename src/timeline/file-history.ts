import type { CaptureSite } from '../capture/capture.ts';
import { type Change, leavesAsItWas, liveChanges } from '../model/change.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { FileChangeKind } from '../model/line-origin.ts';
import type { Operation } from '../model/operation.ts';
import type { TrackedPath } from '../model/path.ts';
import type { Session } from '../model/session.ts';
import type { Store } from '../store/store.ts';
import { FileVersions, type Version } from './file-versions.ts';
import { type LineCount, lineCounter } from './line-counts.ts';

/** One change in the life of a file. The change itself has path, time, tool call, and how surely it is whose. */
export interface FileChange extends LineCount {
  readonly kind: FileChangeKind;
  readonly change: Change;
  /** The name that the file had before; null unless the kind is `renamed`. */
  readonly from: TrackedPath | null;
  /** The prompt, and the session, under which it was made; null where there is none, or it was removed. */
  readonly checkpoint: Checkpoint | null;
  readonly session: Session | null;
  /** The rewind, undo or redo that made it; null where it was none, or it was removed. */
  readonly operation: Operation | null;
  /** Whether an operation took it back and is still in effect. */
  readonly takenBack: boolean;
}

/** All changes of a file under its names, newest first; none that left the file as it was. Reads only. */
export async function fileHistory(
  { store, known }: CaptureSite,
  path: TrackedPath,
): Promise<FileChange[]> {
  const versions = new FileVersions(store, known);
  const found: Found[] = [];
  let part: Part = { found: [], from: { path, at: Number.POSITIVE_INFINITY } };
  while (part.from !== null) {
    part = await underOneName(store, versions, part.from);
    found.push(...part.found);
  }
  return withNames(store, found);
}

/** A change, and the file as it was under its old name if it was renamed. */
interface Found extends Pick<FileChange, 'change' | 'takenBack'> {
  readonly renamed: Version | null;
}

interface Part {
  readonly found: readonly Found[];
  /** The name that the file had before, and up to when; null where it had none. */
  readonly from: Pick<Version, 'path' | 'at'> | null;
}

async function underOneName(
  store: Store,
  versions: FileVersions,
  { path, at }: Pick<Version, 'path' | 'at'>,
): Promise<Part> {
  const changes = await store.timeline.changes({ paths: [path] });
  const pairs = await store.timeline.cancellations(changes.map(({ seq }) => seq));
  const live = liveChanges(changes, pairs);
  const found: Found[] = [];
  for (const change of changes.toReversed()) {
    const { seq, before, owner } = change;
    // An import brings what happened elsewhere, and leaves every file as it was.
    if (seq > at || leavesAsItWas(change) || owner?.kind === 'import') continue;
    const renamed = before.kind === 'absent' ? await versions.renamedFrom(change) : null;
    found.push({ change, renamed, takenBack: !live.has(seq) });
    if (renamed !== null) return { found, from: renamed };
  }
  return { found, from: null };
}

function kindOf({ before, after }: Change): FileChangeKind {
  if (after === null) return 'running';
  if (before.kind === 'absent') return 'created';
  return after.kind === 'absent' ? 'deleted' : 'modified';
}

async function withNames(store: Store, found: readonly Found[]): Promise<FileChange[]> {
  const changes = found.map(({ change }) => change);
  const authorOf = await authorsOf(store, changes);
  const ids = idsIn(changes.map(({ operationId }) => operationId));
  const operations = byId(await store.timeline.operations({ ids }));
  const count = lineCounter(store);
  const history: FileChange[] = [];
  for (const { change, renamed, takenBack } of found) {
    const before = renamed?.state ?? change.before;
    history.push({
      kind: renamed === null ? kindOf(change) : 'renamed',
      change,
      from: renamed?.path ?? null,
      ...authorOf(change),
      operation: operations.get(change.operationId) ?? null,
      takenBack,
      ...(await count({ before, after: change.after })),
    });
  }
  return history;
}

/** Finds the prompt, and the session, under which one of these changes was made. */
export async function authorsOf(
  store: Store,
  changes: readonly Change[],
): Promise<(change: Change | null) => Pick<FileChange, 'checkpoint' | 'session'>> {
  const ids = idsIn(changes.map(({ checkpointId }) => checkpointId));
  const checkpoints = byId(await store.timeline.checkpoints({ ids }));
  const sessionIds = idsIn(changes.map(({ sessionId }) => sessionId));
  const sessions = byId(await store.timeline.sessions(sessionIds));
  return (change) => ({
    checkpoint: checkpoints.get(change?.checkpointId ?? null) ?? null,
    session: sessions.get(change?.sessionId ?? null) ?? null,
  });
}

function idsIn<Id>(ids: readonly (Id | null)[]): Id[] {
  return [...new Set(ids.filter((id) => id !== null))];
}

function byId<Entry extends { readonly id: string }>(
  entries: readonly Entry[],
): ReadonlyMap<string | null, Entry> {
  return new Map(entries.map((entry) => [entry.id, entry]));
}
