import type { BlobId, Seq } from '../model/ids.ts';
import type { TrackedPath } from '../model/path.ts';
import type { RewindPlan, SkipReason } from '../model/plan.ts';
import type { State } from '../model/state.ts';

/** One change of a path's chain, and whether it is to be taken back. */
export interface ChainLink {
  readonly seq: Seq;
  readonly before: State;
  readonly after: State;
  readonly inSet: boolean;
}

export interface PathInput {
  readonly path: TrackedPath;
  /** The chain from the oldest change of the set to what is there now, oldest first. */
  readonly links: readonly ChainLink[];
  readonly current: State;
  /** Names in it, if a folder is there now. */
  readonly children: readonly string[];
  /** How many names the file has. */
  readonly hardLinks: number;
  /** Set when a rule says to leave the path alone whatever its chain holds. */
  readonly skip?: SkipReason;
  readonly takesUnrecorded?: true;
}

/** What stands at a folder above the plan's paths. */
export interface Surrounding {
  readonly kind: 'absent' | 'file' | 'symlink' | 'directory' | 'special';
  /** Mode to give the folder, should it have to be made again. */
  readonly mode: number;
}

/** Everything that `planRewind` needs, loaded beforehand. */
export interface PlanInput extends Omit<RewindPlan, 'lines'> {
  readonly paths: readonly PathInput[];
  readonly surroundings: ReadonlyMap<TrackedPath, Surrounding>;
  /** Contents of the blobs that `blobsToMerge` asked for. */
  readonly contents: ReadonlyMap<BlobId, Uint8Array>;
  /** Blobs that cannot be read back. */
  readonly damaged: ReadonlyMap<BlobId, 'blob-corrupt' | 'blob-missing'>;
}
