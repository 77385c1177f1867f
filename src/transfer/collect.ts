import type { CaptureSite } from '../capture/capture.ts';
import type { Change } from '../model/change.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Seq } from '../model/ids.ts';
import type { Operation } from '../model/operation.ts';
import { isOutside, type TrackedPath } from '../model/path.ts';
import { protectionOf } from '../model/protection.ts';
import type { Session } from '../model/session.ts';
import type { Store } from '../store/store.ts';

/** Rows of a store that belong together, as they lie there. */
export interface Collected {
  readonly sessions: readonly Session[];
  readonly checkpoints: readonly Checkpoint[];
  readonly changes: readonly Change[];
  readonly operations: readonly Operation[];
  /** Paths that stay behind: outside of the project, they mean nothing anywhere else. */
  readonly leftOut: readonly TrackedPath[];
}

/**
 * What a family of sessions needs to be rewound elsewhere: its own rows; of every path that it changed
 * the whole chain from its first change on, since others' changes in between decide what a rewind does;
 * the operations in those chains, with their safety checkpoints. `sessions` null: all there is.
 */
export async function collect(
  { store }: Pick<CaptureSite, 'store'>,
  sessions: readonly Session[] | null,
): Promise<Collected> {
  // What comes while we read belongs to the next export.
  const end = await store.seq();
  const isOld = ({ seq }: { readonly seq: Seq }): boolean => seq <= end;
  const all = (await changesOf(store, sessions)).filter(isOld);
  const changes = all.filter(({ path }) => canMove(path));
  const leftOut = [...new Set(all.flatMap(({ path }) => (canMove(path) ? [] : [path])))];
  const everyCheckpoint = (await store.checkpoints({})).filter(isOld).toReversed();
  const operations = await operationsOf(store, changes, everyCheckpoint);
  const ids = new Set(sessions?.map(({ id }) => id));
  const safety = new Set(operations.map(({ safetyCheckpointId }) => safetyCheckpointId));
  const checkpoints = everyCheckpoint.filter(
    ({ id, sessionId }) => sessions === null || safety.has(id) || ids.has(sessionId ?? ''),
  );
  return {
    sessions: sessions ?? (await store.sessions()),
    checkpoints,
    changes,
    operations,
    leftOut,
  };
}

async function changesOf(
  store: Store,
  sessions: readonly Session[] | null,
): Promise<readonly Change[]> {
  if (sessions === null) return store.changes({});
  const own = await store.changes({ sessionIds: sessions.map(({ id }) => id) });
  const [oldest] = own;
  if (oldest === undefined) return [];
  const firsts = new Map(own.toReversed().map(({ path, seq }) => [path, seq]));
  const chains = await store.changes({ paths: [...firsts.keys()], after: oldest.seq - 1 });
  return chains.filter(({ path, seq }) => seq >= (firsts.get(path) ?? 0));
}

function canMove(path: TrackedPath): boolean {
  return !isOutside(path) && protectionOf(path) !== 'git';
}

/** One whose safety checkpoint was removed goes without: its changes tell the same. Oldest first. */
async function operationsOf(
  store: Store,
  changes: readonly Change[],
  checkpoints: readonly Checkpoint[],
): Promise<Operation[]> {
  const wanted = new Set(changes.map(({ operationId }) => operationId));
  const there = new Set(checkpoints.map(({ id }) => id));
  const operations = (await store.operations()).toReversed();
  return operations.filter(
    ({ id, safetyCheckpointId }) => wanted.has(id) && there.has(safetyCheckpointId),
  );
}
