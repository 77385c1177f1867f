import type { Baseline } from '../../model/baseline.ts';
import type { Cancellation, Change } from '../../model/change.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import type { Execution, StepAttempt, StoredDocument } from '../../model/execution.ts';
import type { BlobId, CheckpointId, OperationId, PartId, Seq } from '../../model/ids.ts';
import type { Journal } from '../../model/journal.ts';
import type { Operation } from '../../model/operation.ts';
import type { TrackedPath } from '../../model/path.ts';
import type { Session } from '../../model/session.ts';
import type { Window } from '../../model/window.ts';
import { hashBytes } from '../blob.ts';
import type { Part } from '../parts/part.ts';
import type {
  Batch,
  Blob,
  ChangeQuery,
  CheckpointQuery,
  DocumentWrite,
  Head,
  LockOptions,
  PackReceipt,
  ProjectIdentity,
  ProjectLock,
  PruneResult,
  PutDocumentOptions,
  Store,
  StoreStats,
  WholeDocument,
} from '../store.ts';
import { checkBatch } from './check-batch.ts';
import {
  findDocument,
  listDocuments,
  listExecutions,
  listSteps,
  putDocument,
  readParts,
  removeDocument,
} from './documents.ts';
import { kept } from './kept.ts';
import { MemoryPlace } from './memory-place.ts';
import { findPacked, keepPack, packedBytes } from './packs.ts';
import { prunable, prune } from './prune.ts';
import { purge } from './purge.ts';
import {
  countChangedPaths,
  listCancellations,
  listChanges,
  listCheckpoints,
  listCheckpointsByPrefix,
  listHeads,
  listIdsBeside,
  listSessions,
  listWindows,
  newestFirst,
} from './query.ts';
import { writeBatch } from './write-batch.ts';

export { MemoryPlace };

/** A store that lives as long as its process; for tests, and for trying things out. */
export function memoryStore(place: MemoryPlace = new MemoryPlace()): Store {
  return new MemoryStore(place);
}

class MemoryStore implements Store {
  readonly #place: MemoryPlace;
  readonly #closing = new AbortController();
  #release: (() => void) | null = null;

  constructor(place: MemoryPlace) {
    this.#place = place;
  }

  async project(): Promise<ProjectIdentity | null> {
    return this.#open().project;
  }

  async setProject(identity: ProjectIdentity): Promise<void> {
    this.#open().project = kept(identity);
  }

  async lock({ timeoutMs, signal }: LockOptions): Promise<ProjectLock> {
    const queue = this.#open().lock;
    const closing = this.#closing.signal;
    await queue.enter({ timeoutMs, signal: signal ? AbortSignal.any([signal, closing]) : closing });
    const release = (): void => {
      if (this.#release !== release) return;
      this.#release = null;
      queue.leave();
    };
    this.#release = release;
    // Closed in the moment between the turn and this line.
    if (closing.aborted) release();
    this.#open();
    return { release };
  }

  async seq(): Promise<Seq> {
    return this.#open().seq;
  }

  async commit(batch: Batch): Promise<void> {
    const place = this.#open();
    checkBatch(place, batch);
    writeBatch(place, batch);
  }

  async readBlob(id: BlobId): Promise<Uint8Array> {
    const bytes = this.#open().blobs.get(id);
    if (bytes === undefined) {
      throw new SavepointError('blob-missing', `blob ${id} is not in the store`);
    }
    return verified(id, bytes);
  }

  async putBlobs(groups: AsyncIterable<readonly Blob[]>): Promise<PackReceipt> {
    return keepPack(this.#open(), groups);
  }

  async readPacked(id: BlobId): Promise<Uint8Array | null> {
    const bytes = findPacked(this.#open(), id);
    return bytes === null ? null : verified(id, bytes);
  }

  objectsFolder(): null {
    this.#open();
    return null;
  }

  async readGitObject(key: Uint8Array): Promise<Uint8Array> {
    this.#open();
    const hex = Buffer.from(key).toString('hex');
    throw new SavepointError('blob-missing', `git object ${hex} is not in the store`);
  }

  async session(id: string): Promise<Session | null> {
    return this.#open().sessions.get(id) ?? null;
  }

  async sessions(): Promise<readonly Session[]> {
    return listSessions(this.#open());
  }

  async checkpoint(id: CheckpointId): Promise<Checkpoint | null> {
    return this.#open().checkpoints.get(id) ?? null;
  }

  async checkpointsByPrefix(prefix: string, limit: number): Promise<readonly Checkpoint[]> {
    return listCheckpointsByPrefix(this.#open(), prefix, limit);
  }

  async idsBeside(
    ids: readonly CheckpointId[],
  ): Promise<ReadonlyMap<CheckpointId, readonly string[]>> {
    return listIdsBeside(this.#open(), ids);
  }

  async checkpoints(query: CheckpointQuery): Promise<readonly Checkpoint[]> {
    return listCheckpoints(this.#open(), query);
  }

  async oldestCheckpointSeq(): Promise<Seq | null> {
    return listCheckpoints(this.#open(), {}).at(-1)?.seq ?? null;
  }

  async changedPathCounts(
    ids: readonly CheckpointId[],
  ): Promise<ReadonlyMap<CheckpointId, number>> {
    return countChangedPaths(this.#open(), ids);
  }

  async head(path: TrackedPath): Promise<Head | null> {
    return this.#open().heads.get(path) ?? null;
  }

  async heads(): Promise<readonly Head[]> {
    return listHeads(this.#open());
  }

  async changes(query: ChangeQuery): Promise<readonly Change[]> {
    return listChanges(this.#open(), query);
  }

  async cancellationsOf(changes: readonly Seq[]): Promise<readonly Cancellation[]> {
    return listCancellations(this.#open(), changes);
  }

  async operation(id: OperationId): Promise<Operation | null> {
    return this.#open().operations.get(id) ?? null;
  }

  async operations(limit?: number): Promise<readonly Operation[]> {
    return newestFirst([...this.#open().operations.values()], limit);
  }

  async journal(): Promise<Journal | null> {
    return this.#open().journal;
  }

  async windows(): Promise<readonly Window[]> {
    return listWindows(this.#open());
  }

  async baseline(): Promise<Baseline | null> {
    return this.#open().baseline;
  }

  async execution(id: string): Promise<Execution | null> {
    return this.#open().executions.get(id) ?? null;
  }

  async executions(): Promise<readonly Execution[]> {
    return listExecutions(this.#open());
  }

  async steps(executionId: string, index?: number): Promise<readonly StepAttempt[]> {
    return listSteps(this.#open(), executionId, index);
  }

  async putDocument(
    write: DocumentWrite,
    { onlyNew = false }: PutDocumentOptions,
  ): Promise<boolean> {
    return putDocument(this.#open(), write, onlyNew);
  }

  async removeDocument(category: string, key: string): Promise<boolean> {
    return removeDocument(this.#open(), category, key);
  }

  async document(category: string, key: string): Promise<StoredDocument | null> {
    return findDocument(this.#open(), category, key);
  }

  async documents(category: string): Promise<readonly StoredDocument[]> {
    return listDocuments(this.#open(), category);
  }

  async readDocument(category: string, key: string): Promise<WholeDocument | null> {
    const place = this.#open();
    const document = findDocument(place, category, key);
    return document && { document, parts: readParts(place, document.root) };
  }

  async readParts(root: PartId): Promise<readonly Part[]> {
    return readParts(this.#open(), root);
  }

  async prune(floor: Seq): Promise<PruneResult> {
    return prune(this.#open(), floor);
  }

  /** Memory is taken to be what it was. */
  async verify(): Promise<void> {
    this.#open();
  }

  async purge(paths: readonly TrackedPath[]): Promise<void> {
    purge(this.#open(), paths);
  }

  async needsScrub(): Promise<boolean> {
    this.#open();
    return false;
  }

  async scrub(): Promise<void> {
    this.#open();
  }

  async prunable(floor: Seq): Promise<PruneResult> {
    return prunable(this.#open(), floor);
  }

  async diskBytes(): Promise<number> {
    const { storedBytes, packedBytes: packed } = await this.stats();
    return storedBytes + packed;
  }

  /** Bytes in memory stay as they are: there is no disk to save. */
  async compact(_budgetMs: number): Promise<void> {
    this.#open();
  }

  async stats(): Promise<StoreStats> {
    const place = this.#open();
    const { sessions, checkpoints, changes, operations, blobs } = place;
    const blobBytes = [...blobs.values()].reduce((sum, bytes) => sum + bytes.length, 0);
    return {
      sessions: sessions.size,
      checkpoints: checkpoints.size,
      changes: changes.size,
      operations: operations.size,
      blobs: blobs.size,
      blobBytes,
      storedBytes: blobBytes,
      packedBytes: packedBytes(place),
      gitBytes: 0,
    };
  }

  async close(): Promise<void> {
    this.#closing.abort(closedError());
    this.#release?.();
  }

  #open(): MemoryPlace {
    if (this.#closing.signal.aborted) throw closedError();
    return this.#place;
  }
}

/** A copy, and only of the bytes that were asked for. */
function verified(id: BlobId, bytes: Uint8Array): Uint8Array {
  if (hashBytes(bytes) !== id) {
    throw new SavepointError('blob-corrupt', `blob ${id} does not match its hash`);
  }
  return Uint8Array.from(bytes);
}

function closedError(): SavepointError {
  return new SavepointError('store-closed', 'the store was closed');
}
