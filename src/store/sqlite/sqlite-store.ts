import { realpathSync } from 'node:fs';
import type { Baseline } from '../../model/baseline.ts';
import type { Cancellation, Change } from '../../model/change.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import type { Execution, StepAttempt, StoredDocument } from '../../model/execution.ts';
import type { BlobId, CheckpointId, OperationId, PartId, Seq } from '../../model/ids.ts';
import type { Journal } from '../../model/journal.ts';
import type { Operation } from '../../model/operation.ts';
import { pathToBytes, type TrackedPath } from '../../model/path.ts';
import type { Session } from '../../model/session.ts';
import type { Window } from '../../model/window.ts';
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
import { Arrivals } from './arrivals.ts';
import { readBlob } from './blobs.ts';
import { countChangedPaths, listChanges } from './changes.ts';
import {
  listCheckpoints,
  listCheckpointsByPrefix,
  listIdsBeside,
  oldestCheckpointSeq,
} from './checkpoints.ts';
import { commitBatch } from './commit.ts';
import { compact } from './compaction.ts';
import { DocumentWriter, findDocument, listDocuments, readDocument } from './documents.ts';
import { storeFailure } from './failures.ts';
import { GitObjects } from './git-objects/git-objects.ts';
import { layoutOf, type Opened } from './layout.ts';
import { databaseFile, LockFile, requireSameFile, whenFree } from './lock.ts';
import {
  needsScrub,
  readBaseline,
  readProject,
  readSealedJournal,
  readSeq,
  writeProject,
} from './meta.ts';
import { openDatabase } from './open-database.ts';
import { Packs } from './packs/packs.ts';
import { LISTED_NUMBERS, limitOf } from './parameters.ts';
import { readParts } from './parts.ts';
import { prunable, prune } from './prune.ts';
import {
  cancellations,
  checkpoints,
  executions,
  heads,
  operations,
  sessions,
  steps,
  windows,
} from './schema.ts';
import { diskBytes, readStats } from './stats.ts';

const DEFAULT_LARGE_BLOB_BYTES = 256 * 1024;
// Only documents are written by others meanwhile, each within a fraction of a millisecond.
const COMMIT_TIMEOUT_MS = 5_000;

const CANCELLING = `WHERE change_seq IN ${LISTED_NUMBERS} ORDER BY by_seq, change_seq`;

export interface SqliteStoreOptions {
  /** The store's own folder, outside of the worktree. Made private to the user. */
  readonly directory: string;
  /** False: throws `store-missing` instead of making a store. */
  readonly create?: boolean;
  /** Milliseconds, for the budget of `compact`. */
  readonly now?: () => number;
  /** Blobs with more bytes than this do not lie in the database; 256 KiB when left out. */
  readonly largeBlobBytes?: number;
}

/** Opens the store in a folder on this machine. Throws `store-corrupt` and `store-too-new`. */
export async function sqliteStore(options: SqliteStoreOptions): Promise<Store> {
  try {
    const layout = layoutOf(options.directory);
    // Looked at before, so that a file which is replaced meanwhile counts as another one.
    const found = databaseFile(layout.database);
    const connection = openDatabase(layout, options.create ?? true);
    const opened: Opened = {
      connection,
      layout,
      arrivals: new Arrivals(layout.arrivals),
      packs: new Packs(layout),
      gitObjects: new GitObjects(layout.git),
      largeBlobBytes: options.largeBlobBytes ?? DEFAULT_LARGE_BLOB_BYTES,
      now: options.now ?? Date.now,
    };
    const lock = new LockFile(layout.lock, realpathSync(layout.directory));
    return new SqliteStore(opened, lock, found ?? databaseFile(layout.database));
  } catch (error) {
    throw storeFailure(error);
  }
}

// What few processes ever do is loaded when it is done: commands are waited for. Of these, only this one
// is done again and again by one that lives long, and to import what is loaded takes its time as well.
let verifier: typeof import('./verify.ts') | null = null;

export class SqliteStore implements Store {
  readonly #opened: Opened;
  readonly #lock: LockFile;
  readonly #file: string | null;
  readonly #writer: DocumentWriter;
  readonly #closing = new AbortController();
  #closed = false;

  constructor(opened: Opened, lock: LockFile, file: string | null) {
    this.#opened = opened;
    this.#lock = lock;
    this.#file = file;
    this.#writer = new DocumentWriter(opened, file, this.#closing.signal);
  }

  project(): Promise<ProjectIdentity | null> {
    return this.#do(({ connection }) => readProject(connection));
  }

  setProject(identity: ProjectIdentity): Promise<void> {
    return this.#do(({ connection }) => writeProject(connection, identity));
  }

  lock(options: LockOptions): Promise<ProjectLock> {
    return this.#do(async ({ layout }) => {
      const lock = await this.#lock.acquire(options);
      try {
        requireSameFile(layout.database, this.#file);
        return lock;
      } catch (error) {
        lock.release();
        throw error;
      }
    });
  }

  seq(): Promise<Seq> {
    return this.#do(({ connection }) => readSeq(connection));
  }

  commit(batch: Batch): Promise<void> {
    return this.#do((opened) => {
      const waiting = { wanted: 'the database', timeoutMs: COMMIT_TIMEOUT_MS, pauseMs: 2 };
      return whenFree(() => commitBatch(opened, batch), waiting);
    });
  }

  readBlob(id: BlobId): Promise<Uint8Array> {
    return this.#do((opened) => readBlob(opened, id));
  }

  putBlobs(groups: AsyncIterable<readonly Blob[]>): Promise<PackReceipt> {
    return this.#do(({ packs }) => packs.put(groups));
  }

  readPacked(id: BlobId): Promise<Uint8Array | null> {
    return this.#do(({ packs }) => packs.read(id));
  }

  objectsFolder(): string | null {
    this.#requireOpen();
    return this.#opened.inMemory ? null : this.#opened.layout.git;
  }

  readGitObject(key: Uint8Array): Promise<Uint8Array> {
    return this.#do(({ gitObjects }) => gitObjects.read(key));
  }

  session(id: string): Promise<Session | null> {
    return this.#do(({ connection }) => sessions.find(connection, id));
  }

  sessions(): Promise<readonly Session[]> {
    return this.#do(({ connection }) =>
      sessions.list(connection, 'ORDER BY last_active_at DESC, id'),
    );
  }

  checkpoint(id: CheckpointId): Promise<Checkpoint | null> {
    return this.#do(({ connection }) => checkpoints.find(connection, id));
  }

  checkpointsByPrefix(prefix: string, limit: number): Promise<readonly Checkpoint[]> {
    return this.#do(({ connection }) => listCheckpointsByPrefix(connection, prefix, limit));
  }

  idsBeside(ids: readonly CheckpointId[]): Promise<ReadonlyMap<CheckpointId, readonly string[]>> {
    return this.#do(({ connection }) => listIdsBeside(connection, ids));
  }

  checkpoints(query: CheckpointQuery): Promise<readonly Checkpoint[]> {
    return this.#do(({ connection }) => listCheckpoints(connection, query));
  }

  oldestCheckpointSeq(): Promise<Seq | null> {
    return this.#do(({ connection }) => oldestCheckpointSeq(connection));
  }

  changedPathCounts(ids: readonly CheckpointId[]): Promise<ReadonlyMap<CheckpointId, number>> {
    return this.#do(({ connection }) => countChangedPaths(connection, ids));
  }

  head(path: TrackedPath): Promise<Head | null> {
    return this.#do(({ connection }) => heads.find(connection, pathToBytes(path)));
  }

  heads(): Promise<readonly Head[]> {
    return this.#do(({ connection }) => heads.list(connection, 'ORDER BY path'));
  }

  changes(query: ChangeQuery): Promise<readonly Change[]> {
    return this.#do(({ connection }) => listChanges(connection, query));
  }

  cancellationsOf(changes: readonly Seq[]): Promise<readonly Cancellation[]> {
    return this.#do(({ connection }) =>
      cancellations.list(connection, CANCELLING, JSON.stringify(changes)),
    );
  }

  operation(id: OperationId): Promise<Operation | null> {
    return this.#do(({ connection }) => operations.find(connection, id));
  }

  operations(limit?: number): Promise<readonly Operation[]> {
    return this.#do(({ connection }) =>
      operations.list(connection, 'ORDER BY seq DESC LIMIT ?', limitOf(limit)),
    );
  }

  journal(): Promise<Journal | null> {
    return this.#do(({ connection }) => readSealedJournal(connection));
  }

  windows(): Promise<readonly Window[]> {
    return this.#do(({ connection }) => windows.list(connection, 'ORDER BY opened'));
  }

  baseline(): Promise<Baseline | null> {
    return this.#do(({ connection }) => readBaseline(connection));
  }

  execution(id: string): Promise<Execution | null> {
    return this.#do(({ connection }) => executions.find(connection, id));
  }

  executions(): Promise<readonly Execution[]> {
    return this.#do(({ connection }) =>
      executions.list(connection, 'ORDER BY updated_at DESC, num DESC'),
    );
  }

  steps(executionId: string, index?: number): Promise<readonly StepAttempt[]> {
    return this.#do(({ connection }) => {
      const [where, values] = index === undefined ? ['', []] : ['AND step = ?', [index]];
      const rest = `WHERE executions.id = ? ${where} ORDER BY step, attempt`;
      return steps.list(connection, rest, executionId, ...values);
    });
  }

  putDocument(write: DocumentWrite, options: PutDocumentOptions): Promise<boolean> {
    return this.#do(() => this.#writer.put(write, options));
  }

  removeDocument(category: string, key: string, options: LockOptions): Promise<boolean> {
    return this.#do(() => this.#writer.remove(category, key, options));
  }

  document(category: string, key: string): Promise<StoredDocument | null> {
    return this.#do(({ connection }) => findDocument(connection, category, key));
  }

  documents(category: string): Promise<readonly StoredDocument[]> {
    return this.#do(({ connection }) => listDocuments(connection, category));
  }

  readDocument(category: string, key: string): Promise<WholeDocument | null> {
    // Somebody may replace it and prune between the row and its parts.
    return this.#do(({ connection }) =>
      connection.reading(() => readDocument(connection, category, key)),
    );
  }

  readParts(root: PartId): Promise<readonly Part[]> {
    return this.#do(({ connection }) => readParts(connection, root));
  }

  prune(floor: Seq): Promise<PruneResult> {
    return this.#do((opened) => prune(opened, floor));
  }

  verify(paths: readonly TrackedPath[] | null, checkpoint: CheckpointId | null): Promise<void> {
    return this.#do(async (opened) => {
      verifier ??= await import('./verify.ts');
      verifier.verify(opened, paths, checkpoint);
    });
  }

  purge(paths: readonly TrackedPath[]): Promise<void> {
    return this.#do(async (opened) => (await import('./purge/purge.ts')).purge(opened, paths));
  }

  needsScrub(): Promise<boolean> {
    return this.#do(({ connection }) => needsScrub(connection));
  }

  scrub(): Promise<void> {
    return this.#do(async (opened) => (await import('./purge/scrub.ts')).scrub(opened));
  }

  prunable(floor: Seq): Promise<PruneResult> {
    return this.#do((opened) => prunable(opened, floor));
  }

  diskBytes(): Promise<number> {
    return this.#do(diskBytes);
  }

  compact(budgetMs: number): Promise<void> {
    return this.#do((opened) => compact(opened, budgetMs));
  }

  stats(): Promise<StoreStats> {
    return this.#do(readStats);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#closing.abort(closedError());
    this.#lock.close();
    this.#writer.close();
    if (!this.#opened.inMemory) this.#opened.connection.close();
  }

  /** The one way in: closed stores refuse, and whatever fails comes out as an error of ours. */
  async #do<Result>(work: (opened: Opened) => Result | Promise<Result>): Promise<Result> {
    this.#requireOpen();
    try {
      return await work(this.#opened);
    } catch (error) {
      // Work that went on for several turns of the event loop can find the store closed under it.
      this.#requireOpen();
      throw storeFailure(error);
    }
  }

  #requireOpen(): void {
    if (this.#closed) throw closedError();
  }
}

function closedError(): SavepointError {
  return new SavepointError('store-closed', 'the store was closed');
}
