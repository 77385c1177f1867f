import { SavepointError, type SavepointErrorDetails } from '../model/errors.ts';
import type { TrackedPath } from '../model/path.ts';
import type { Session } from '../model/session.ts';
import type { WorktreeEntry } from '../store/store.ts';
import type { History } from './history.ts';

export type RowCounts = { readonly [List in keyof History]: number };

export interface ExportRequest {
  /** A session, by its id or the beginning of it; left out, the one that was active last. */
  readonly sessionId?: string | undefined;
  /** Everything on record instead. */
  readonly all?: boolean | undefined;
  /** Private paths to take along, or folders that hold them. Without their names they stay behind. */
  readonly privatePaths?: readonly (string | Uint8Array)[] | undefined;
}

/** How much an export holds, as its end says it. */
export interface TransferCounts extends RowCounts {
  readonly blobs: number;
  readonly blobBytes: number;
}

/** What was exported, and what could not be taken along. */
export interface ExportReceipt extends TransferCounts {
  readonly exported: readonly Session[];
  /** Paths outside of the project: they stay behind. */
  readonly leftOut: readonly TrackedPath[];
  /** Private paths that nobody named: they stay behind. */
  readonly privateOut: readonly TrackedPath[];
  /** Contents that were lost or are too large; elsewhere they count as unknown. */
  readonly unreadable: number;
}

/** What came with an import; all of it was here already if it is not `imported`. */
export interface ImportReceipt extends TransferCounts {
  readonly imported: boolean;
  readonly brought: readonly Session[];
  /** Sessions of the export that were here before, the same: they stay as they are. */
  readonly alreadyHere: readonly Session[];
  /** Labels that a checkpoint here has, or that could be taken for an id: their checkpoints come without. */
  readonly labelsLeftOut: readonly string[];
}

export interface TakeoverRequest {
  /** A session of another worktree, by its id or the beginning of it. */
  readonly sessionId: string;
  /** The worktree to take it from, by its id or the name of its machine; left out, the one that worked on it last. */
  readonly from?: string | undefined;
  /** As for an export. */
  readonly privatePaths?: readonly (string | Uint8Array)[] | undefined;
}

/** What came with a takeover; all of it was here already if it is not `takenOver`. */
export interface TakeoverReceipt
  extends RowCounts,
    Pick<ImportReceipt, 'brought' | 'labelsLeftOut'>,
    Pick<ExportReceipt, 'leftOut' | 'privateOut' | 'unreadable'> {
  readonly takenOver: boolean;
  readonly from: WorktreeEntry;
  /** Sessions of the family that were here before: what they have done since came with it. */
  readonly alreadyHere: readonly Session[];
  /** Changes of tools that are still at work there: the next takeover brings them. */
  readonly open: number;
}

/** Limits of a reader: a small file can claim to be a large one. */
export interface TransferLimits {
  readonly maxRows: number;
  readonly maxBlobs: number;
  readonly maxBlobBytes: number;
  /** All blobs together, decompressed. */
  readonly maxTotalBytes: number;
}

const MIB = 1024 * 1024;
export const DEFAULT_LIMITS: TransferLimits = {
  maxRows: 500_000,
  maxBlobs: 500_000,
  maxBlobBytes: 256 * MIB,
  maxTotalBytes: 20 * 1024 * MIB,
};

const INVALID_HINT = 'nothing was imported; export it again where it comes from';

/** The file says something that no export says. `what` names the place. */
export function invalid(what: string, more: SavepointErrorDetails = {}): SavepointError {
  const message = `this is not a sound Savepoint export: ${what}`;
  return new SavepointError('export-invalid', message, { hint: INVALID_HINT, ...more });
}

export function notAnExport(): SavepointError {
  const message = 'this is not a Savepoint export (wrong header)';
  return new SavepointError('export-invalid', message, {
    hint: 'nothing was imported; pass a file that savepoint export wrote',
  });
}

export function tooLarge(what: string): SavepointError {
  return new SavepointError('export-too-large', `the export is past a limit: ${what}`, {
    hint: 'nothing was imported; export single sessions instead of all',
  });
}

export function tooNew(): SavepointError {
  return new SavepointError('export-too-new', 'the export was written by a newer Savepoint', {
    hint: 'nothing was imported; install a newer Savepoint',
  });
}
