/** What one worker says at its end, as JSON: all that it was told was done, and all that failed. */
export interface WorkerReport {
  readonly session: string;
  /** Every change whose capture was acknowledged. */
  readonly changes: { seq: number; path: string }[];
  readonly checkpoints: string[];
  readonly operations: string[];
  /** What its own files should hold now. */
  readonly files: Record<string, string>;
  readonly failures: string[];
}
