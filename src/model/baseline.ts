import type { BlobId, Seq } from './ids.ts';

/** The state of every path at the first scan, to which all changes are added. */
export interface Baseline {
  readonly seq: Seq;
  /** The blob that lists every path with its state; see manifest.ts. */
  readonly manifest: BlobId;
  /** Names of packs that hold contents which the manifest names. */
  readonly packs: readonly string[];
}
