import {
  type ErrorCode,
  isSavepointError,
  type PathReason,
  type PlanLine,
  type Receipt,
  type TrackedPath,
} from '../../index.ts';
import { absolutePath } from './file-rows.ts';

export interface FileError {
  readonly filePath: string;
  readonly error: string;
}

export interface FileReason {
  readonly filePath: string;
  readonly reason: string;
}

/** Why a rewind did nothing at all. */
export interface RewindFailure {
  /** A code of docs/errors.md; `checkpoint-not-found` when nothing is on record for the message. */
  readonly code: ErrorCode | 'unexpected';
  readonly message: string;
  readonly hint: string | null;
}

export interface RewindResult {
  /** False when a file was left in conflict or could not be restored, or nothing was done. */
  readonly success: boolean;
  /** Null when the rewind was carried out, be it in part. */
  readonly failure: RewindFailure | null;
  readonly restoredFiles: string[];
  readonly deletedFiles: string[];
  /** With a `failure`, that one: under the path that it is about, or else the project's folder. */
  readonly errors: FileError[];
  /** Files in which somebody else's edits were kept. */
  readonly mergedFiles: string[];
  /** Files left as they are, because somebody else's edits stand in the way. */
  readonly conflicts: FileReason[];
  /** Files that were never recorded (too large, for example) and so cannot be brought back. */
  readonly skipped: FileReason[];
  /** For undo; null when there was nothing to do. */
  readonly operationId: string | null;
  readonly safetyCheckpointId: string | null;
}

/** A receipt in the service's terms: absolute paths, and files only. */
export function resultOf(
  root: string,
  lines: readonly PlanLine[],
  receipt: Receipt,
  failures: readonly FileError[],
): RewindResult {
  const folders = new Set(lines.filter(isAboutFolder).map((line) => line.path));
  const names = (paths: readonly TrackedPath[]): string[] =>
    paths.filter((path) => !folders.has(path)).map((path) => absolutePath(root, path));
  const reasons = (list: readonly PathReason[]) =>
    list.map(({ path, reason }) => ({ filePath: absolutePath(root, path), reason }));
  const errors = reasons(receipt.errors).map(({ filePath, reason: error }) => ({
    filePath,
    error,
  }));
  return {
    success: receipt.success && failures.length === 0,
    failure: null,
    restoredFiles: names(receipt.restoredFiles),
    deletedFiles: names(receipt.deletedFiles),
    mergedFiles: names(receipt.mergedFiles),
    conflicts: reasons(receipt.conflicts),
    skipped: reasons(receipt.skipped),
    errors: [...errors, ...failures],
    operationId: receipt.operationId,
    safetyCheckpointId: receipt.safetyCheckpointId,
  };
}

/** Nothing was changed: the reason, in the same shape. */
export function failedResult(root: string, error: unknown): RewindResult {
  const failure = failureOf(error);
  const named = isSavepointError(error) ? error.path : undefined;
  const filePath = named === undefined ? root : absolutePath(root, named as TrackedPath);
  return {
    success: false,
    failure,
    restoredFiles: [],
    deletedFiles: [],
    mergedFiles: [],
    conflicts: [],
    skipped: [],
    errors: [{ filePath, error: `${failure.code}: ${failure.message}` }],
    operationId: null,
    safetyCheckpointId: null,
  };
}

function failureOf(error: unknown): RewindFailure {
  if (!isSavepointError(error)) return { code: 'unexpected', message: String(error), hint: null };
  const { code, message, hint = null } = error;
  return { code, message, hint };
}

/** Whether a folder comes or goes, or changes its mode, and no file or link is concerned. */
function isAboutFolder({ expected, target }: PlanLine): boolean {
  const kinds = [expected, target].map((state) =>
    state.kind === 'captured' ? state.type : state.kind,
  );
  return (
    kinds.includes('directory') && kinds.every((kind) => kind === 'directory' || kind === 'absent')
  );
}
