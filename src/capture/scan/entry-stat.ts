import { isOthers } from '../../fs/entries.ts';

/**
 * The fields of `lstat` that the scan uses. Plain numbers are enough: times lose less than a microsecond,
 * and very large inode numbers are rounded, but the stat of a file that changed still differs. Its ctime,
 * which no program can set, moves at least by the time that a system call takes; see also `RacyRule`.
 */
export interface EntryStat {
  readonly mode: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly uid?: number | undefined;
}

/** A copy without the other fields of Node's stats, which take four times as much memory. */
export function bareStat({ mode, ino, size, mtimeMs, ctimeMs, uid }: EntryStat): EntryStat {
  return { mode, ino, size, mtimeMs, ctimeMs, uid };
}

const TYPE_MASK = 0o170000;
const DIRECTORY = 0o040000;
const REGULAR_FILE = 0o100000;
const LINK = 0o120000;

// One column of the index holds the 16 bits of the mode and, above them, the flags of the scan.
export const MODE_MASK = 0xffff;
/** The entry may have changed again without a new stat, so the next scan must look at it once more. */
export const RACY: number = 1 << 16;
/** A folder that could not be read completely: an entry that is not in the index may still exist. */
export const UNREADABLE: number = 1 << 17;
/** The name is not plain ASCII, so its bytes must be decoded. */
export const WIDE_NAME: number = 1 << 18;
/** The entry belongs to another user. */
export const OTHERS_FLAG: number = 1 << 19;
/** Git ignores the entry, and it is kept all the same. */
export const PRIVATE: number = 1 << 20;

/** The mode of an entry, and what else its stat says, as the column has them. */
export function statBits({ mode, uid }: EntryStat, own: number | undefined): number {
  return (mode & MODE_MASK) | (uid !== undefined && isOthers(uid, own) ? OTHERS_FLAG : 0);
}

export function isDirectoryMode(mode: number): boolean {
  return (mode & TYPE_MASK) === DIRECTORY;
}

export function isFileMode(mode: number): boolean {
  return (mode & TYPE_MASK) === REGULAR_FILE;
}

export function isLinkMode(mode: number): boolean {
  return (mode & TYPE_MASK) === LINK;
}

/** The kernel stamps files with the time of its last tick, at most 10 ms ago. */
const TICK_MS = 20;
/** Some file systems keep whole milliseconds or seconds; FAT counts in steps of two seconds. */
const COARSE_TICK_MS = 2000;

/**
 * Finds stats that prove nothing: an entry with a stamp from about the start of the scan, or later, can
 * change once more within the same tick of the clock and still have the same stamp.
 */
export class RacyRule {
  readonly #fine: number;
  readonly #coarse: number;

  constructor(scanBeganMs: number) {
    this.#fine = Math.floor(scanBeganMs) - TICK_MS;
    this.#coarse = Math.floor(scanBeganMs) - COARSE_TICK_MS;
  }

  isRacy({ mtimeMs, ctimeMs }: EntryStat): boolean {
    return this.#isRecent(mtimeMs) || this.#isRecent(ctimeMs);
  }

  #isRecent(time: number): boolean {
    return time >= this.#fine || (time >= this.#coarse && Number.isInteger(time));
  }
}
