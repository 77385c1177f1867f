/** The fields of `lstat` that the scan uses. Node's bigint stats have them; a test may make its own. */
export interface RawStat {
  readonly mode: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

/** A copy without the other fields of Node's stats, which take four times as much memory. */
export function bareStat({ mode, ino, size, mtimeNs, ctimeNs }: RawStat): RawStat {
  return { mode, ino, size, mtimeNs, ctimeNs };
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
const TICK_NS = 20_000_000n;
/** Some file systems keep whole milliseconds or seconds; FAT counts in steps of two seconds. */
const COARSE_TICK_NS = 2_000_000_000n;
const MILLISECOND_NS = 1_000_000n;

/**
 * Finds stats that prove nothing: an entry with a stamp from about the start of the scan, or later, can
 * change once more within the same tick of the clock and still have the same stamp.
 */
export class RacyRule {
  readonly #fine: bigint;
  readonly #coarse: bigint;

  constructor(scanBeganMs: number) {
    const began = BigInt(Math.floor(scanBeganMs)) * MILLISECOND_NS;
    this.#fine = began - TICK_NS;
    this.#coarse = began - COARSE_TICK_NS;
  }

  isRacy(stat: RawStat): boolean {
    return this.#isRecent(stat.mtimeNs) || this.#isRecent(stat.ctimeNs);
  }

  #isRecent(time: bigint): boolean {
    if (time < this.#coarse) return false;
    return time >= this.#fine || time % MILLISECOND_NS === 0n;
  }
}
