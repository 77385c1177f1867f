import type { Finds } from '../capture/attribution.ts';
import type { CaptureSite } from '../capture/capture.ts';
import type { Coverage } from '../model/checkpoint.ts';
import type { OperationId } from '../model/ids.ts';
import type { Receipt } from '../model/operation.ts';
import type { OnConflict, RewindPlan } from '../model/plan.ts';
import type { Draft } from '../store/draft.ts';
import type { Fence, Store } from '../store/store.ts';

export type DraftWork<T> = (draft: Draft, now: number, coverage: Coverage) => Promise<T>;

/** What durable steps need of the engine. */
export interface ExecutionSite {
  readonly store: Store;
  readonly files: CaptureSite;
  /** As `files`, for a rewind, which keeps what it replaces. */
  readonly rewindFiles: CaptureSite;
  /** Whether the worktree is scanned around each step, for files that no tool names. */
  readonly scans: boolean;
  now(): number;
  /** Runs `work` under the project lock, and commits what it drafted. */
  write<T>(work: DraftWork<T>): Promise<T>;
  /** The same with what a scan finds, in one transaction. `movedOn`: the session whose commands are over. */
  scanned<T>(movedOn: string | null, work: DraftWork<T>): Promise<T>;
  locked<T>(work: () => Promise<T>): Promise<T>;
  finds(now: number): Finds;
  /** Carries a plan out, unless the execution has another holder by now. */
  apply(plan: RewindPlan, fence: Fence, operationId?: OperationId): Promise<Receipt>;
}

/** What checkpoints that a program keeps itself need of the timeline of files. A `Savepoint` is one. */
export interface ExecutionFiles {
  /** Marks a point to return to. */
  checkpoint(request: { readonly description: string }): Promise<{ readonly id: string }>;
  /** Puts on record what changed unseen, where a first scan was made before. */
  scanAgain?(): Promise<unknown>;
  planRewind(request: {
    readonly to: string;
    /** Only what this session did is taken back. */
    readonly sessionId?: string | undefined;
    readonly onConflict?: OnConflict | undefined;
    /** Also takes back changes that may be somebody else's. */
    readonly includeShared?: boolean | undefined;
  }): Promise<RewindPlan>;
  apply(plan: RewindPlan): Promise<Receipt>;
}
