import type { Change } from '../model/change.ts';
import {
  AMOUNT,
  BOOLEAN,
  branded,
  check,
  ID,
  type Kind,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  TEXT,
} from '../model/check.ts';
import { CHECKPOINT_KINDS, type Checkpoint } from '../model/checkpoint.ts';
import type { BlobId, CheckpointId, OperationId, Seq } from '../model/ids.ts';
import type { Operation } from '../model/operation.ts';
import type { TrackedPath } from '../model/path.ts';
import type { Session } from '../model/session.ts';
import type { ChangeQuery, CheckpointQuery, Store, StoreStats } from '../store/store.ts';
import {
  currentPlace,
  importedSessions,
  type ListedCheckpoint,
  listCheckpoints,
} from '../timeline/checkpoints.ts';
import { type InspectedCheckpoint, inspectCheckpoint } from '../timeline/inspect-checkpoint.ts';
import { type CountBudget, countCheckpointLines, type LineCount } from '../timeline/line-counts.ts';
import { resolveCheckpoint, resolveSession, uniqueLengths } from '../timeline/resolve.ts';
import { undoableBefore } from '../timeline/runs.ts';
import { type SessionSummary, summarizeSessions } from '../timeline/sessions.ts';
import { tookBack } from '../timeline/work.ts';

const CHECKPOINT_QUERY: Kind<CheckpointQuery> = object({
  ids: optional(listOf(branded<CheckpointId>(ID))),
  prefix: optional(TEXT),
  beside: optional(listOf(branded<CheckpointId>(ID))),
  sessionIds: optional(listOf(ID)),
  messageId: optional(ID),
  kinds: optional(listOf(oneOf(...CHECKPOINT_KINDS))),
  before: optional(AMOUNT),
  since: optional(AMOUNT),
  path: optional(branded<TrackedPath>(TEXT)),
  labelled: optional(branded<true>(BOOLEAN)),
  importedAt: optional(nullable(AMOUNT)),
  oldestFirst: optional(branded<true>(BOOLEAN)),
  limit: optional(AMOUNT),
});

const CHANGE_QUERY: Kind<ChangeQuery> = object({
  after: optional(AMOUNT),
  before: optional(AMOUNT),
  sessionIds: optional(listOf(ID)),
  paths: optional(listOf(branded<TrackedPath>(TEXT))),
  checkpointIds: optional(listOf(branded<CheckpointId>(ID))),
  operationId: optional(branded<OperationId>(ID)),
  open: optional(branded<true>(BOOLEAN)),
});

const BUDGET: Kind<CountBudget> = object({ reads: AMOUNT, bytes: AMOUNT });

/** Answers questions about the timeline without looking at files. Takes no lock, and writes nothing. */
export class TimelineReader {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Newest first. */
  async list(query: CheckpointQuery = {}): Promise<ListedCheckpoint[]> {
    check(CHECKPOINT_QUERY, 'query', query);
    return listCheckpoints(this.#store, query);
  }

  /**
   * Where the files stand: the newest checkpoint whose work is in them. Null where there is none, because
   * nothing was recorded here, or everything is taken back.
   */
  currentPlace(): Promise<CheckpointId | null> {
    return currentPlace(this.#store);
  }

  /**
   * Finds a checkpoint by its id or the beginning of it, its label, the id of its message, or as `latest`; with
   * `~N`, the Nth before it. The id of an operation means the checkpoint that was made before it.
   */
  async resolve(ref: string): Promise<Checkpoint> {
    check(TEXT, 'ref', ref);
    return resolveCheckpoint(this.#store, ref);
  }

  /** How many first characters of each id name it alone, among all ids and labels. */
  async uniqueLengths(ids: readonly CheckpointId[]): Promise<Map<CheckpointId, number>> {
    check(listOf(ID), 'ids', ids);
    return uniqueLengths(this.#store, ids);
  }

  /** Everything on record of one checkpoint. */
  async inspect(ref: string): Promise<InspectedCheckpoint> {
    return inspectCheckpoint(this.#store, await this.resolve(ref));
  }

  /** Lines added and removed under each checkpoint. Checkpoints beyond the budget are left out. */
  async countLines(
    ids: readonly CheckpointId[],
    budget?: CountBudget,
  ): Promise<Map<CheckpointId, LineCount>> {
    check(listOf(ID), 'ids', ids);
    check(optional(BUDGET), 'budget', budget);
    return countCheckpointLines(this.#store, ids, budget);
  }

  /** Finds a session by its id or the beginning of it. */
  async resolveSession(ref: string): Promise<Session> {
    check(TEXT, 'ref', ref);
    return resolveSession(this.#store, ref);
  }

  /** How much is on record of each of these sessions. */
  async summarize(sessions: readonly Session[]): Promise<SessionSummary[]> {
    check(listOf(object({ id: ID })), 'sessions', sessions);
    return summarizeSessions(this.#store, sessions);
  }

  /** Those of the sessions that an import brought, and that nobody went on with here. */
  async importedSessions(sessionIds: readonly string[]): Promise<Set<string>> {
    check(listOf(ID), 'sessionIds', sessionIds);
    return importedSessions(this.#store, sessionIds);
  }

  /** What an undo takes back once this run is settled: the run or rewind before it; null where there is none. */
  async undoableBefore(run: CheckpointId): Promise<Checkpoint | Operation | null> {
    return undoableBefore(this.#store, await this.resolve(run));
  }

  /** Whether there was a first scan. Before it, only files that tools named are on record. */
  async isScanned(): Promise<boolean> {
    return (await this.#store.state()).baseline !== null;
  }

  /** Oldest first. */
  async changes(query: ChangeQuery): Promise<readonly Change[]> {
    check(CHANGE_QUERY, 'query', query);
    return this.#store.timeline.changes(query);
  }

  /** Newest first. */
  async operations(limit?: number): Promise<readonly Operation[]> {
    check(optional(AMOUNT), 'limit', limit);
    return this.#store.timeline.operations(limit === undefined ? {} : { limit });
  }

  /** The newest number on record: it grows with everything that is recorded. */
  async head(): Promise<Seq> {
    return (await this.#store.state()).seq;
  }

  /** The checkpoints whose work each of these operations took back; for an undo, brought back. */
  tookBack(operations: readonly Operation[]): Promise<Map<OperationId, readonly CheckpointId[]>> {
    return tookBack(this.#store, operations);
  }

  /** The rewind or run that an undo takes back; null where there is none. */
  async undoable(): Promise<Checkpoint | Operation | null> {
    return undoableBefore(this.#store, { seq: Number.MAX_SAFE_INTEGER });
  }

  /** Verified bytes. */
  readBlob(id: BlobId): Promise<Uint8Array> {
    return this.#store.blobs.read(id);
  }

  stats(): Promise<StoreStats> {
    return this.#store.maintain('stats');
  }

  /** The size of the store on disk. */
  diskBytes(): Promise<number> {
    return this.#store.maintain('diskBytes');
  }

  /** Most recently active first. */
  sessions(): Promise<readonly Session[]> {
    return this.#store.timeline.sessions();
  }
}
