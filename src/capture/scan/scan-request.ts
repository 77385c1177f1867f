import type { GlobalRules } from '../ignore/index.ts';
import type { GiveUpReason } from './control.ts';
import type { ScanDifferences } from './differences.ts';
import type { ScanFileSystem } from './file-system.ts';
import type { ScanIndex } from './scan-index.ts';

export interface ScanClock {
  /** Counts milliseconds from anywhere and never goes back; what `deadline` is a moment of. */
  now(): number;
  /** Milliseconds since 1970, as the file system stamps its files. */
  wallMs(): number;
}

export interface ScanRequest {
  readonly root: string;
  readonly previous: ScanIndex | null;
  readonly global: GlobalRules;
  /** A moment of the clock (`performance.now()`) past which the scan gives up. */
  readonly deadline: number | null;
  /** How many entries may be in scope. */
  readonly maxEntries: number;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: ScanClock | undefined;
  /** Another file system than the disk; the scan then stays in this thread. */
  readonly fileSystem?: ScanFileSystem | undefined;
}

export type ScanOutcome =
  | {
      readonly kind: 'complete';
      /** Not stamped yet, unless nothing differs: then it is the previous one. */
      readonly index: ScanIndex;
      /** Empty lists, but for `unreadable`, when there was no previous index. */
      readonly differences: ScanDifferences;
    }
  | { readonly kind: 'gave-up'; readonly reason: GiveUpReason };
