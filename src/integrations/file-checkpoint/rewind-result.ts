import {
  isSavepointError,
  type PathReason,
  type PlanLine,
  type Receipt,
  type TrackedPath,
} from '../../index.ts';
import { absolutePath } from './file-rows.ts';
import type { FileError, RewindFailure, RewindResult } from './types.ts';

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
  const errors = reasons(receipt.errors).map(({ filePath, reason }) => ({
    filePath,
    error: reason,
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

function isAboutFolder({ expected, target }: PlanLine): boolean {
  const folder = (state: typeof expected) =>
    state.kind === 'captured' && state.type === 'directory';
  return (folder(expected) || expected.kind === 'absent') &&
    (folder(target) || target.kind === 'absent')
    ? folder(expected) || folder(target)
    : false;
}
