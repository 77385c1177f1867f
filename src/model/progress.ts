/** The part of long work that is under way: looking, copying, planning, restoring, moving. */
export type ProgressStep =
  | 'scan'
  | 'copy'
  | 'record'
  | 'plan'
  | 'keep'
  | 'stage'
  | 'swap'
  | 'write'
  | 'export'
  | 'check'
  | 'contents'
  | 'import'
  | 'carry'
  | 'compare';

export interface Progress {
  readonly step: ProgressStep;
  /** How many of `total` are behind it; null where nobody knows how many there are. */
  readonly done: number;
  readonly total: number | null;
}

/**
 * Told how far long work has come. What it returns is waited for, so that a caller can let the event loop
 * turn meanwhile; what it throws ends the work as any other failure would.
 */
export type OnProgress = (progress: Progress) => void | Promise<void>;
