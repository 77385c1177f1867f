import type { Receipt } from '../model/operation.ts';
import type { OnConflict, RewindPlan } from '../model/plan.ts';

/** What an execution needs of the timeline of its project's files. A `Savepoint` is one. */
export interface ExecutionFiles {
  /** Marks a point to return to. */
  checkpoint(request: { readonly description: string }): Promise<{ readonly id: string }>;
  /** Puts on record what changed unseen, where a first scan was made before. */
  scanAgain?(): Promise<unknown>;
  planRewind(request: {
    readonly to: string;
    readonly onConflict?: OnConflict | undefined;
  }): Promise<RewindPlan>;
  apply(plan: RewindPlan): Promise<Receipt>;
}
