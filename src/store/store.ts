import type { Cancellation, Change } from '../model/change.ts';
import type { Checkpoint, CheckpointKind } from '../model/checkpoint.ts';
import type { Execution, StepAttempt, StoredDocument } from '../model/execution.ts';
import type { BlobId, CheckpointId, OperationId, PartId, Seq } from '../model/ids.ts';
import type { Journal } from '../model/journal.ts';
import type { Baseline } from '../model/manifest.ts';
import type { Operation } from '../model/operation.ts';
import type { TrackedPath } from '../model/path.ts';
import type { Session } from '../model/session.ts';
import type { State } from '../model/state.ts';
import type { Window } from '../model/window.ts';
import type { Part } from './parts/part.ts';

/** Bytes with their hash, as `blobOf` makes them. */
export interface Blob {
  readonly id: BlobId;
  readonly bytes: Uint8Array;
}

/**
 * These bytes are in the store already, under another name; rows may name them from now on. `pack`: a
 * pack of `putBlobs` holds them. `git`: an object below `objectsFolder` does.
 */
export interface BlobReference {
  readonly id: BlobId;
  readonly size: number;
  readonly source: 'pack' | 'git';
  /** For git: the object's id, 20 bytes. */
  readonly key: Uint8Array | null;
}

/** What `putBlobs` kept: how many different blobs, and their bytes before compression. */
export interface PackReceipt {
  /** For a baseline to name; none when there was nothing to keep. */
  readonly packs: readonly string[];
  readonly blobs: number;
  readonly bytes: number;
}

/** The worktree that a store belongs to; all three must fit for the store to be used. */
export interface ProjectIdentity {
  readonly root: string;
  /** Decimal text: inode numbers and nanoseconds do not fit a JavaScript number. */
  readonly inode: string;
  readonly birthtimeNs: string;
}

/** The last known state of a path, kept as long as the path is tracked. */
export interface Head {
  readonly path: TrackedPath;
  /** The newest change of the path. Its row may be gone by retention; the head stays. */
  readonly seq: Seq;
  /** The newest `after`; while the newest change is open, its `before`. */
  readonly state: State;
  /** Whether the newest change is still open. */
  readonly open: boolean;
}

export interface ClosedChange {
  readonly seq: Seq;
  readonly after: State;
  /** Set when it turned out that somebody else was at work on the path as well. */
  readonly attribution?: 'shared';
}

/** Whose writes these are: those of the holder of an execution, and of nobody who held it before. */
export interface Fence {
  readonly executionId: string;
  readonly token: number;
}

export interface WholeDocument {
  readonly document: StoredDocument;
  readonly parts: readonly Part[];
}

/** How long to wait for other writers, and what ends the waiting. */
export interface PutDocumentOptions extends LockOptions {
  /** Leaves the one there alone. */
  readonly onlyNew?: boolean | undefined;
}

/** A document on its way into a store. */
export interface DocumentWrite {
  readonly category: string;
  readonly key: string;
  readonly savedAt: number;
  /** Its first part. */
  readonly root: Part;
  /** Of the parts below, all that may be new to the store; those first that others hold. */
  readonly parts: readonly Part[];
}

/**
 * A set of writes that happen together or not at all. Made under the project lock; `base` is the
 * sequence number it was made against, and new rows carry numbers above it.
 */
export interface Batch {
  readonly base: Seq;
  readonly blobs?: readonly Blob[];
  /** Whether the bytes are really there is found out when they are read, as with every blob. */
  readonly references?: readonly BlobReference[];
  /** Inserted, or replaced by id. */
  readonly sessions?: readonly Session[];
  /** Inserted, or replaced by id. */
  readonly checkpoints?: readonly Checkpoint[];
  /** New changes, in order. The head of each path follows its newest change by itself. */
  readonly changes?: readonly Change[];
  /** Open changes that end here. Heads follow. */
  readonly closed?: readonly ClosedChange[];
  readonly cancellations?: readonly Cancellation[];
  /** Inserted, or replaced by id. */
  readonly operations?: readonly Operation[];
  /** Inserted, or replaced by id. */
  readonly windows?: readonly Window[];
  /** A baseline replaces the one there; null clears it; left out, it stays. */
  readonly baseline?: Baseline | null;
  /** A journal replaces the one there; null clears it; left out, it stays. */
  readonly journal?: Journal | null;
  readonly removedCheckpoints?: readonly CheckpointId[];
  /** Their checkpoints, windows and executions go with them; their changes stay, without a session. */
  readonly removedSessions?: readonly string[];
  readonly removedOperations?: readonly OperationId[];
  readonly removedWindows?: readonly string[];
  /** Nothing is written unless the execution is there with this token. */
  readonly fence?: Fence;
  /** Parts that rows of this batch may name; those first that others hold. Harmless where there already. */
  readonly parts?: readonly Part[];
  /** Inserted, or replaced by id. */
  readonly executions?: readonly Execution[];
  /** Inserted, or replaced by execution, index and attempt. */
  readonly steps?: readonly StepAttempt[];
  /** Their steps go with them. */
  readonly removedExecutions?: readonly string[];
}

export interface CheckpointQuery {
  readonly sessionIds?: readonly string[];
  readonly messageId?: string;
  readonly kinds?: readonly CheckpointKind[];
  /** Only checkpoints older than this. */
  readonly before?: Seq;
  /** Only checkpoints made at this time of the clock or later. */
  readonly since?: number;
  /** Only checkpoints under which this path, or one below it, changed. */
  readonly path?: TrackedPath;
  readonly labelled?: true;
  readonly limit?: number;
}

export interface ChangeQuery {
  /** Only changes newer than this. */
  readonly after?: Seq;
  readonly sessionIds?: readonly string[];
  readonly paths?: readonly TrackedPath[];
  readonly checkpointIds?: readonly CheckpointId[];
  readonly operationId?: OperationId;
  readonly open?: true;
}

export interface LockOptions {
  /** How long to wait for another holder before `store-locked`. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ProjectLock {
  /** Idempotent. */
  release(): void;
}

export interface PruneResult {
  readonly changes: number;
  readonly blobs: number;
  readonly bytes: number;
}

export interface StoreStats {
  readonly sessions: number;
  readonly checkpoints: number;
  readonly changes: number;
  readonly operations: number;
  readonly blobs: number;
  /** Bytes of all blobs before compression, and as they are stored; a reference stores none. */
  readonly blobBytes: number;
  readonly storedBytes: number;
  /** Bytes of all packs, as they are stored. */
  readonly packedBytes: number;
  /** Bytes below `objectsFolder`. Links share them with the user's repository, as long as it has them. */
  readonly gitBytes: number;
}

/**
 * One project's timeline and blobs. Asynchronous, because some implementations are reached over a
 * network. All failures are `SavepointError`; after `close`, every method throws `store-closed`.
 *
 * Reads see the last commit of any process. Lists come in the order said at each method.
 */
export interface Store {
  /** The identity it was made for, or null before `setProject`. */
  project(): Promise<ProjectIdentity | null>;
  /** Binds the store to a worktree. Idempotent. */
  setProject(identity: ProjectIdentity): Promise<void>;

  /**
   * Takes the project lock, one holder at a time over all processes and all stores opened on the same
   * place. A holder that dies loses it. Throws `store-locked` after `timeoutMs`, `aborted` on signal,
   * `store-closed` where something else was put in the store's place since it was opened.
   */
  lock(options: LockOptions): Promise<ProjectLock>;

  /** The newest sequence number handed out, 0 at first. */
  seq(): Promise<Seq>;

  /**
   * Writes a batch: all of it, durably, before the promise resolves, or nothing. Blobs are durable
   * before any row that names them. Putting a blob that is there already is harmless. Throws
   * `store-moved-on` when `base` is not the newest sequence number, `store-full` when there is no room,
   * `argument-invalid` when rows contradict the timeline: a new one whose number is not above `base`, a
   * session that is not there, the end of a change that is not open, a blob whose id is no hash, a
   * reference that this store has no place for. Throws `part-missing` for one
   * that a part or row names and that is not there any more: `prune` may have removed it. Throws
   * `execution-lost` where the fence does not hold.
   */
  commit(batch: Batch): Promise<void>;

  /** Verified against its hash. Throws `blob-missing` or `blob-corrupt`. */
  readBlob(id: BlobId): Promise<Uint8Array>;

  /**
   * Keeps many blobs at once, durably, outside of any batch: for the first copy of a worktree. The caller
   * holds the project lock until it has committed a baseline that names the packs; `prune` removes those
   * that none names. The next group is asked for when there is room for it, so that memory stays bounded
   * whatever comes; from then on the caller may use the bytes of the last one again. When it throws, because of the disk or of the groups, nothing is kept.
   */
  putBlobs(groups: AsyncIterable<readonly Blob[]>): Promise<PackReceipt>;

  /**
   * A blob straight from the packs, verified, without a reference to it; null when it is in none. For a
   * look at the baseline. Throws `blob-corrupt`.
   */
  readPacked(id: BlobId): Promise<Uint8Array | null>;

  /**
   * Where capture keeps git's packs, as a bare repository; the folder need not be there yet. Null when the
   * store has no place for them.
   */
  objectsFolder(): string | null;

  /**
   * A blob of git's below `objectsFolder` by its id (20 bytes), verified against it. Throws
   * `blob-missing` or `blob-corrupt`.
   */
  readGitObject(key: Uint8Array): Promise<Uint8Array>;

  session(id: string): Promise<Session | null>;
  /** Most recently active first. */
  sessions(): Promise<readonly Session[]>;

  checkpoint(id: CheckpointId): Promise<Checkpoint | null>;
  /** Checkpoints whose id starts with `prefix`, newest first, at most `limit`. */
  checkpointsByPrefix(prefix: string, limit: number): Promise<readonly Checkpoint[]>;
  /**
   * For each of these ids, the ids on record right before and right after it in the order of their
   * characters, where there are any: whichever other id has the most of its beginning is one of them.
   */
  idsBeside(ids: readonly CheckpointId[]): Promise<ReadonlyMap<CheckpointId, readonly string[]>>;
  /** Newest first. */
  checkpoints(query: CheckpointQuery): Promise<readonly Checkpoint[]>;
  /** The smallest sequence number of any checkpoint, or null when there is none. */
  oldestCheckpointSeq(): Promise<Seq | null>;
  /** How many different paths changed under each checkpoint; checkpoints with none are left out. */
  changedPathCounts(ids: readonly CheckpointId[]): Promise<ReadonlyMap<CheckpointId, number>>;

  head(path: TrackedPath): Promise<Head | null>;
  /** Of all tracked paths, in the order of their bytes. */
  heads(): Promise<readonly Head[]>;
  /** Oldest first. */
  changes(query: ChangeQuery): Promise<readonly Change[]>;
  /** The pairs whose `change` is among these, by ascending `by`. */
  cancellationsOf(changes: readonly Seq[]): Promise<readonly Cancellation[]>;

  operation(id: OperationId): Promise<Operation | null>;
  /** Newest first. */
  operations(limit?: number): Promise<readonly Operation[]>;
  journal(): Promise<Journal | null>;
  /** By ascending `opened`. */
  windows(): Promise<readonly Window[]>;
  baseline(): Promise<Baseline | null>;

  execution(id: string): Promise<Execution | null>;
  /** Most recently updated first. */
  executions(): Promise<readonly Execution[]>;
  /** All attempts, by index and attempt; without an index, of all steps. */
  steps(executionId: string, index?: number): Promise<readonly StepAttempt[]>;

  /**
   * Keeps a document under its name, in the place of the one there: all of it, durably, before the promise
   * resolves, or nothing. Documents are no part of the timeline: nothing about them has a number, and who
   * writes one needs no project lock. False, and nothing written, where it was to be new and is not. Throws
   * `part-missing` as `commit` does, `store-locked` where others wrote for longer than `timeoutMs`,
   * `store-closed` where something else is in the store's place.
   */
  putDocument(write: DocumentWrite, options: PutDocumentOptions): Promise<boolean>;
  /** Whether there was one. Otherwise as `putDocument`. */
  removeDocument(category: string, key: string, options: LockOptions): Promise<boolean>;
  document(category: string, key: string): Promise<StoredDocument | null>;
  /** In the order of their keys. */
  documents(category: string): Promise<readonly StoredDocument[]>;
  /** A document with all its parts, verified. Throws `part-missing` or `part-corrupt`. */
  readDocument(category: string, key: string): Promise<WholeDocument | null>;
  /**
   * A part with all that it holds, however deep, each once and in any order. Verified against their names.
   * A part that was only ever the whole of a document need not be found. Throws `part-missing` or `part-corrupt`.
   */
  readParts(root: PartId): Promise<readonly Part[]>;

  /**
   * Drops changes older than `floor` with their cancellations, then blobs that nothing reaches: no
   * change, head, journal, baseline, or blob that is compressed against them. Open changes stay, and
   * those that a change from `floor` on takes back: they tell how far back that one reaches. A blob that
   * a live one is compressed against is not lost: the live one is stored anew first. Packs that the
   * baseline does not name go too; what a live reference finds in them is stored anew first. Parts that no
   * step and no document reaches go as well, and are not counted.
   */
  prune(floor: Seq): Promise<PruneResult>;

  /**
   * Compares what a restore relies on with what was written: the rows of these paths, and of the checkpoint
   * to return to. Null for all paths. Throws `store-corrupt` where a row is another one now, or is not
   * found any more. Contents are compared whenever they are read.
   */
  verify(paths: readonly TrackedPath[] | null, checkpoint: CheckpointId | null): Promise<void>;

  /**
   * Takes these paths out of the record: their states become unknown (`purged`) in every change, in their
   * heads and in the baseline. What no other path has is then removed so that no part of the store holds it
   * any more, in whatever form, nor as free space; nothing of `objectsFolder` is kept. What other paths have
   * too stays. The caller holds the project lock, and there is no journal: throws `restore-unfinished`.
   * When it throws `purge-unfinished`, or the process dies, the record is purged or as it was, and
   * `needsScrub` says whether bytes are left for `scrub`.
   */
  purge(paths: readonly TrackedPath[]): Promise<void>;
  /** Whether a purge has bytes left to remove. */
  needsScrub(): Promise<boolean>;
  /** Removes what a purge has left. Idempotent. Throws `purge-unfinished` when somebody is in the way. */
  scrub(): Promise<void>;

  /** What `prune` would remove; at most so many bytes, since what leans on them is stored anew. */
  prunable(floor: Seq): Promise<PruneResult>;

  /** Bytes that the store takes up, wherever it is kept; what it shares with others does not count. */
  diskBytes(): Promise<number>;

  /**
   * Compresses what was stored raw, against the previous version of the same path where that helps;
   * chains of such references stay at most 16 deep. Each result is read back and compared before it
   * replaces the bytes it stands for. Stops early, consistently, when `budgetMs` has passed.
   */
  compact(budgetMs: number): Promise<void>;

  stats(): Promise<StoreStats>;

  /** Idempotent. Open locks are released. */
  close(): Promise<void>;
}
