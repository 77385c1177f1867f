import type { Checkpoint } from '../model/checkpoint.ts';
import { isSavepointError, SavepointError } from '../model/errors.ts';
import type { Execution } from '../model/execution.ts';
import type { BlobId, CheckpointId, OperationId, Seq } from '../model/ids.ts';
import type { Journal } from '../model/journal.ts';
import type { Operation } from '../model/operation.ts';
import type { TrackedPath } from '../model/path.ts';
import type { Session } from '../model/session.ts';
import type { Head, Store, StoreReader } from './store.ts';

// Single records and numbers, in terms of the port's lists.

export async function currentSeq(store: Pick<StoreReader, 'state'>): Promise<Seq> {
  return (await store.state()).seq;
}

export async function findSession(store: StoreReader, id: string): Promise<Session | null> {
  return (await store.timeline.sessions([id]))[0] ?? null;
}

export async function findCheckpoint(store: Store, id: CheckpointId): Promise<Checkpoint | null> {
  return (await store.timeline.checkpoints({ ids: [id] }))[0] ?? null;
}

/** Null when there is none. */
export async function oldestCheckpointSeq(store: Store): Promise<Seq | null> {
  const [oldest] = await store.timeline.checkpoints({ oldestFirst: true, limit: 1 });
  return oldest?.seq ?? null;
}

export async function findHead(store: Store, path: TrackedPath): Promise<Head | null> {
  return (await store.timeline.heads([path]))[0] ?? null;
}

export async function findOperation(store: Store, id: OperationId): Promise<Operation | null> {
  return (await store.timeline.operations({ ids: [id] }))[0] ?? null;
}

export async function findExecution(store: Store, id: string): Promise<Execution | null> {
  return (await store.timeline.executions([id]))[0] ?? null;
}

/** Whether an error says that the bytes of a blob are lost. */
export function isLostBlob(error: unknown): error is SavepointError {
  return isSavepointError(error, 'blob-missing') || isSavepointError(error, 'blob-corrupt');
}

/** The bytes of a blob, or null where they are lost: a restore reports damage, others show what they can. */
export async function readIntact(store: Store, id: BlobId): Promise<Uint8Array | null> {
  try {
    return await store.blobs.read(id);
  } catch (error) {
    if (isLostBlob(error)) return null;
    throw error;
  }
}

/** For a purge: what a restore has left may hold anything. */
export function refuseUnfinished(journal: Journal | null): void {
  if (journal === null) return;
  throw new SavepointError('restore-unfinished', 'a restore is not finished', {
    hint: 'what it left has to be put away first; the next command does that',
  });
}

/** Throws `blob-missing` too where the store keeps no objects of git. */
export async function readGitObject({ git }: Store, key: Uint8Array): Promise<Uint8Array> {
  if (git !== null) return git.read(key);
  throw new SavepointError('blob-missing', 'this store keeps no objects of git');
}
