import { type ErrorCode, SavepointError } from '../../model/errors.ts';

// Primary result codes of SQLite; the extended ones have them in their low byte.
const SQLITE_CODES: Readonly<Record<number, ErrorCode>> = {
  5: 'store-locked',
  6: 'store-locked',
  11: 'store-corrupt',
  13: 'store-full',
  19: 'argument-invalid',
  26: 'store-corrupt',
};
// The shared memory file could not grow, which happens when the disk is full.
const SQLITE_IOERR_SHMSIZE = 4874;

const FILE_CODES: Readonly<Record<string, ErrorCode>> = {
  ENOSPC: 'store-full',
  EDQUOT: 'store-full',
};

const HINTS: Partial<Record<ErrorCode, string>> = {
  'store-locked': 'another process is writing; try again when it has finished',
  'store-full': 'free some disk space; nothing of this was kept',
  'argument-invalid': 'the batch contradicts the timeline: a used number or an unknown session',
};

/** What a failure of SQLite or of the file system means to a caller. */
export function storeFailure(error: unknown): SavepointError {
  if (error instanceof SavepointError) return error;
  const code = codeOf(error);
  const reason = error instanceof Error ? error.message : String(error);
  return new SavepointError(code, `the store failed: ${reason}`, {
    cause: error,
    hint: HINTS[code],
  });
}

/** Whether somebody else holds the database. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === 'store-locked';
}

// No permission, busy, locked, no memory, read-only, interrupted, a failing disk, a full one, not to be opened.
const OUTSIDE: readonly number[] = [3, 5, 6, 7, 8, 9, 10, 13, 14, 22, 23];
// Where a file is shorter than it says.
const SQLITE_IOERR_SHORT_READ = 522;

/** Whether a failure says nothing of the store itself: the disk, rights or another process are in the way. */
export function isOutside(error: unknown): boolean {
  const { errcode, syscall } = (error ?? {}) as { errcode?: unknown; syscall?: unknown };
  if (typeof errcode !== 'number') return typeof syscall === 'string';
  return errcode !== SQLITE_IOERR_SHORT_READ && OUTSIDE.includes(errcode & 0xff);
}

/** Whether a row is against the rules of its table. */
export function isAgainstRules(error: unknown): boolean {
  const { errcode } = (error ?? {}) as { errcode?: unknown };
  return typeof errcode === 'number' && [19, 20].includes(errcode & 0xff);
}

function codeOf(error: unknown): ErrorCode {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  if (errcode === SQLITE_IOERR_SHMSIZE) return 'store-full';
  if (typeof errcode === 'number') return SQLITE_CODES[errcode & 0xff] ?? 'store-failed';
  // What node:sqlite says to a value that no column can hold, such as undefined.
  if (code === 'ERR_INVALID_ARG_TYPE') return 'argument-invalid';
  return (typeof code === 'string' ? FILE_CODES[code] : undefined) ?? 'store-failed';
}
