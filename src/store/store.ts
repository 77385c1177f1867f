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
  /** If they are UTF-8, the bytes stay as they are, so that people can read them with SQL. */
  readonly asText?: boolean;
}

/**
 * These bytes are in the store already, under another name; rows may name them from now on. `pack`: a
 * pack of `putMany` holds them. `git`: an object of `Store.git` does.
 */
export interface BlobReference {
  readonly id: BlobId;
  readonly size: number;
  readonly source: 'pack' | 'git';
  /** For git: the object's id, 20 bytes. */
  readonly key: Uint8Array | null;
}

/** What `putMany` kept: how many different blobs, and their bytes before compression. */
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

/** Proves that a writer still holds an execution: an earlier holder has a smaller token. */
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
  /** Changes on record of which it turned out that somebody else can have made them: they become `shared`. */
  readonly doubted?: readonly Seq[];
  readonly cancellations?: readonly Cancellation[];
  /** Paths that are private from now on. Harmless where they are so already. */
  readonly privatePaths?: readonly TrackedPath[];
  /** Inserted, or replaced by id. */
  readonly operations?: readonly Operation[];
  /** Inserted, or replaced by id. */
  readonly windows?: readonly Window[];
  /** A baseline replaces the one there; null clears it; left out, it stays. */
  readonly baseline?: Baseline | null;
  /** A journal replaces the one there; null clears it; left out, it stays. */
  readonly journal?: Journal | null;
  readonly removedCheckpoints?: readonly CheckpointId[];
  /**
   * Their checkpoints, their windows and the steps of their executions go with them. Their changes stay,
   * without a session; their executions stay as `removed`, with the next token and without a holder.
   */
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
  /** Set where the rows are those of another store. */
  readonly carried?: Carried;
}

/** What says where another store stood. Its rows keep their numbers, which are not compared with the base. */
export interface Carried {
  /** The newest number that it has handed out: this store goes on from there. */
  readonly seq: Seq;
  /** As they stood there, whichever changes are on record. They count before those that follow from changes. */
  readonly heads?: readonly Head[];
}

export interface CheckpointQuery {
  readonly ids?: readonly CheckpointId[];
  /** Only checkpoints whose id starts with this. */
  readonly prefix?: string;
  /**
   * Only checkpoints whose id stands right before or right after one of these in the order of characters.
   * Of all other ids, one of these two has the longest beginning in common with it.
   */
  readonly beside?: readonly CheckpointId[];
  readonly sessionIds?: readonly string[];
  readonly messageId?: string;
  readonly kinds?: readonly CheckpointKind[];
  /** Only checkpoints older than this. */
  readonly before?: Seq;
  /** Only checkpoints made at this time of the clock or later. */
  readonly since?: number;
  /** Only checkpoints under which this path, or one below it, changed (as `changedPaths` counts it). */
  readonly path?: TrackedPath;
  readonly labelled?: true;
  /** Only checkpoints that this import brought; null: only those of this machine's own timeline. */
  readonly importedAt?: Seq | null;
  readonly oldestFirst?: true;
  readonly limit?: number;
}

export interface OperationQuery {
  readonly ids?: readonly OperationId[];
  readonly limit?: number;
}

export interface ChangeQuery {
  /** Only changes newer than this. */
  readonly after?: Seq;
  /** Only changes older than this. */
  readonly before?: Seq;
  /** Only changes of these sessions, and those that are theirs as well (`coAuthors`) unless `open` is asked for. */
  readonly sessionIds?: readonly string[];
  readonly paths?: readonly TrackedPath[];
  /** As `sessionIds`, for the checkpoints of messages. */
  readonly checkpointIds?: readonly CheckpointId[];
  readonly operationId?: OperationId;
  readonly open?: true;
}

/** Numbers of different paths, and of changes. */
export interface ChangedPaths {
  /** Everything but folders: also links, and contents that are not on record. */
  readonly files: number;
  /** Paths at which a folder was made, removed, or got another mode. */
  readonly folders: number;
  readonly changes: number;
  /** Those of the changes that an operation took back, even if that was taken back in turn. */
  readonly cancelled: readonly Seq[];
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
  /** Bytes of `Store.git`. Links share them with the user's repository, as long as it has them. */
  readonly gitBytes: number;
}

/** Where a store stands. */
export interface StoreState {
  /** The worktree that it belongs to; null before `setProject`. */
  readonly project: ProjectIdentity | null;
  /** The newest sequence number handed out, 0 at first. */
  readonly seq: Seq;
  readonly baseline: Baseline | null;
  /** Whether a purge has left bytes for the task `scrub`. */
  readonly needsScrub: boolean;
}

/**
 * One project's record: its timeline, the bytes of its files, and documents. Asynchronous, because some
 * stores are reached over a network. All failures are `SavepointError`. After `close`, every method throws
 * `store-closed`. Reads see the last commit of any process.
 */
export interface Store {
  readonly timeline: TimelineStore;
  readonly blobs: BlobStore;
  readonly documents: DocumentStore;
  /** Null where the store has no folder on this machine. */
  readonly git: GitStore | null;
  /** Null where a project has this one worktree alone. */
  readonly worktrees: Worktrees | null;

  /** Throws `store-corrupt` where the sequence number is lost. */
  state(): Promise<StoreState>;
  /** Binds the store to a worktree. Idempotent, and does not move `seq`. */
  setProject(identity: ProjectIdentity): Promise<void>;

  /**
   * Takes the project lock, one holder at a time over all processes and all stores opened on the same
   * place. A holder that dies loses it. Throws `store-locked` after `timeoutMs`, `aborted` on signal,
   * `store-closed` where something else was put in the store's place since it was opened.
   */
  lock(options: LockOptions): Promise<ProjectLock>;

  /** Runs one task of `Maintenance`. A store for which a task means nothing does nothing. */
  maintain<Task extends keyof Maintenance>(
    task: Task,
    ...input: Parameters<Maintenance[Task]>
  ): Promise<ReturnType<Maintenance[Task]>>;

  /** Idempotent. Open locks are released. */
  close(): Promise<void>;
}

/** What can be read of a timeline that somebody else writes. */
export interface StoreReader {
  readonly timeline: Omit<TimelineStore, 'commit'>;
  state(): Promise<StoreState>;
}

/** A folder on a machine, with a timeline of its own in a project. */
export interface WorktreeEntry {
  /** A UUID. */
  readonly id: string;
  /** The name of its machine. */
  readonly machine: string;
  /** Its folder there. */
  readonly root: string;
  /** When something was last recorded in it, by the clock of the server. */
  readonly activeAt: number;
  /** Whether it is the store's own. */
  readonly isThis: boolean;
}

/** The worktrees of a project. They have its contents in common. */
export interface Worktrees {
  /** Most recently active first. */
  list(): Promise<readonly WorktreeEntry[]>;
  /** The timeline of another worktree. Throws `worktree-not-found`. */
  reader(id: string): Promise<StoreReader>;
  /**
   * Keeps contents of the project for this worktree until its next `prune`, whatever happens to the rows of others that
   * name them. The caller holds the project lock. Answers which ones are not there.
   */
  keep(ids: readonly BlobId[]): Promise<readonly BlobId[]>;
  /**
   * Removes another worktree, with its timeline. The next `prune` removes contents that no other has. Throws
   * `worktree-not-found`, also for the store's own, and `store-locked` where a process holds its project lock.
   */
  remove(id: string): Promise<void>;
}

/** What happened, in rows. Lists come in the order said at each method. */
export interface TimelineStore {
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

  /** Most recently active first; with ids, only these. */
  sessions(ids?: readonly string[]): Promise<readonly Session[]>;
  /** Newest first, unless the query says otherwise. */
  checkpoints(query: CheckpointQuery): Promise<readonly Checkpoint[]>;
  /**
   * What changed under each checkpoint. A change that is known to have left its path as it was does not
   * count, and checkpoints without any other are left out.
   */
  changedPaths(ids: readonly CheckpointId[]): Promise<ReadonlyMap<CheckpointId, ChangedPaths>>;
  /** Of all tracked paths, or of these, in the order of their bytes. */
  heads(paths?: readonly TrackedPath[]): Promise<readonly Head[]>;
  /** Oldest first. */
  changes(query: ChangeQuery): Promise<readonly Change[]>;
  /** The pairs whose `change` is among these, by ascending `by`. */
  cancellations(changes: readonly Seq[]): Promise<readonly Cancellation[]>;
  /** Every path that was ever private, in the order of their bytes. */
  privatePaths(): Promise<readonly TrackedPath[]>;
  /** Newest first. */
  operations(query?: OperationQuery): Promise<readonly Operation[]>;
  /** By ascending `opened`. */
  windows(): Promise<readonly Window[]>;
  /** Throws `store-corrupt` where it is not what was written: files are moved by what it says. */
  journal(): Promise<Journal | null>;
  /** Most recently updated first; with ids, only these. */
  executions(ids?: readonly string[]): Promise<readonly Execution[]>;
  /** All attempts, by index and attempt; without an index, of all steps. */
  steps(executionId: string, index?: number): Promise<readonly StepAttempt[]>;
}

/** Bytes under their SHA-256. A batch brings single ones; `putMany` is for the first copy of a worktree. */
export interface BlobStore {
  /** Verified against the hash, also where only a pack has it. Throws `blob-missing` or `blob-corrupt`. */
  read(id: BlobId): Promise<Uint8Array>;
  /**
   * Keeps many blobs at once, durably, outside of any batch. The caller holds the project lock until it has
   * committed a baseline that names the packs; `prune` removes those that none names. The next group is asked
   * for when there is room for it, so that memory stays bounded; from then on the caller may use the bytes of
   * the last one again. When it throws, because of the disk or of the groups, nothing is kept.
   */
  putMany(groups: AsyncIterable<readonly Blob[]>): Promise<PackReceipt>;
}

/** Objects of git that a baseline takes from the user's repository instead of copying them. */
export interface GitStore {
  /** Where capture keeps git's packs, as a bare repository; the folder need not be there yet. */
  readonly folder: string;
  /** A blob by its id (20 bytes), verified against it. Throws `blob-missing` or `blob-corrupt`. */
  read(key: Uint8Array): Promise<Uint8Array>;
}

/** A writer of documents notices after this time at the latest that another store is in the place of its own. */
export const DOCUMENT_LOOK_MS = 100;

/**
 * Values under a category and a key, in parts. They are not on the timeline: nothing about them has a
 * sequence number, and a writer needs no project lock.
 */
export interface DocumentStore {
  /**
   * Keeps a document under its name, in the place of the one there: all of it, durably, before the promise
   * resolves, or nothing. False, and nothing written, where it was to be new and is not. Throws
   * `part-missing` as `commit` does, `store-locked` where others wrote for longer than `timeoutMs`,
   * `store-closed` where something else is in the store's place, for DOCUMENT_LOOK_MS or longer.
   */
  put(write: DocumentWrite, options: PutDocumentOptions): Promise<boolean>;
  /** Whether there was one. Otherwise as `put`. */
  remove(category: string, key: string, options: LockOptions): Promise<boolean>;
  /** All, of one category, or at most one by its name; in the order of categories, then of keys. */
  list(category?: string, key?: string): Promise<readonly StoredDocument[]>;
  /** A document with all its parts, verified. Throws `part-missing` or `part-corrupt`. */
  read(category: string, key: string): Promise<WholeDocument | null>;
  /**
   * A part with all that it holds, however deep, each once and in any order. Verified against their names.
   * A part that was only ever the whole of a document need not be found. Throws `part-missing` or `part-corrupt`.
   */
  readParts(root: PartId): Promise<readonly Part[]>;
}

/** How a store does the tasks of `Maintenance`; `Opened` is what it works with. */
export type Tasks<Opened> = {
  readonly [Task in keyof Maintenance]: (
    opened: Opened,
    ...input: Parameters<Maintenance[Task]>
  ) => Promise<ReturnType<Maintenance[Task]>>;
};

/** The tasks of `Store.maintain`: what a store does for itself. The caller of a task that writes holds the lock. */
export interface Maintenance {
  /**
   * Drops changes older than `floor` with their cancellations, then blobs that nothing reaches: no
   * change, head, journal, baseline, or blob that is compressed against them. Open changes stay, and
   * those that a change from `floor` on takes back: they tell how far back that one reaches. A blob that
   * a live one is compressed against is not lost: the live one is stored anew first. Packs that the
   * baseline does not name go too; what a live reference finds in them is stored anew first. Parts that no
   * step and no document reaches go as well, and are not counted.
   */
  prune(floor: Seq): PruneResult;
  /** What `prune` would remove; at most so many bytes, since what leans on them is stored anew. */
  prunable(floor: Seq): PruneResult;
  /**
   * Compares what a restore relies on with what was written: the rows of these paths, and of the checkpoint
   * to return to. Null for all paths. Throws `store-corrupt` where a row is another one now, or is not
   * found any more. Contents are compared whenever they are read.
   */
  verify(paths: readonly TrackedPath[] | null, checkpoint: CheckpointId | null): void;
  /**
   * Takes these paths out of the record: their states become unknown (`purged`) in every change, in their
   * heads and in the baseline. What no other path has is then removed so that no part of the store holds it
   * any more, in whatever form, nor as free space; nothing of git's objects is kept. What other paths have
   * too stays. Throws `restore-unfinished` while there is a journal. When it throws `purge-unfinished`, or
   * the process dies, the record is purged or as it was, and `needsScrub` says whether bytes are left.
   */
  purge(paths: readonly TrackedPath[]): void;
  /** Removes what a purge has left. Idempotent. Throws `purge-unfinished` when somebody is in the way. */
  scrub(): void;
  /**
   * Compresses what was stored raw, against the previous version of the same path where that helps;
   * chains of such references stay at most 16 deep. Each result is read back and compared before it
   * replaces the bytes it stands for. Stops early, consistently, when `budgetMs` has passed.
   */
  compact(budgetMs: number): void;
  stats(): StoreStats;
  /** Bytes that the store takes up, wherever it is kept; what it shares with others does not count. */
  diskBytes(): number;
}
