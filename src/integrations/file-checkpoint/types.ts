import type { ErrorCode } from '../../index.ts';

/** One file as it was before a tool of one message touched it. */
export interface FileCheckpoint {
  readonly id: string;
  readonly sessionId: string;
  readonly messageId: string;
  /** Absolute path. */
  readonly filePath: string;
  /** The content as text; null when there was no file. Bytes that are not UTF-8 show as U+FFFD. */
  readonly originalContent: string | null;
  readonly fileExisted: boolean;
  readonly createdAt: number;
  /** Permission bits; null when there was no file. */
  readonly mode: number | null;
  /** True when `originalContent` cannot show the exact bytes. A rewind restores those. */
  readonly binary: boolean;
}

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
