import type { Finds } from '../capture/attribution.ts';
import type { CaptureSite } from '../capture/capture.ts';
import type { Coverage } from '../model/checkpoint.ts';
import type { OperationId } from '../model/ids.ts';
import type { Receipt } from '../model/operation.ts';
import type { RewindPlan } from '../model/plan.ts';
import type { Draft } from '../store/draft.ts';
import type { Fence, Store } from '../store/store.ts';

export type DraftWork<T> = (draft: Draft, now: number, coverage: Coverage) => Promise<T>;

/** What executions need of the engine. */
export interface ExecutionSite {
  readonly store: Store;
  readonly files: CaptureSite;
  /** As `files`, for who replaces files and has to keep them. */
  readonly rewindFiles: CaptureSite;
  /** Whether the worktree is scanned around each step, for what no tool names. */
  readonly scans: boolean;
  now(): number;
  /** Runs `work` under the project lock, and commits what it drafted. */
  write<T>(work: DraftWork<T>): Promise<T>;
  /** The same with what a scan finds, in one transaction. `movedOn`: this session's commands are over. */
  scanned<T>(movedOn: string | null, work: DraftWork<T>): Promise<T>;
  locked<T>(work: () => Promise<T>): Promise<T>;
  finds(now: number): Finds;
  /** Carries a plan out, unless the execution has another holder by now. */
  apply(plan: RewindPlan, fence: Fence, operationId?: OperationId): Promise<Receipt>;
}

/** Scans where scans are made. */
export function record<T>(site: ExecutionSite, work: DraftWork<T>): Promise<T> {
  return site.scans ? site.scanned(null, work) : site.write(work);
}
