/** What the scan takes from `lstat`. Node's bigint stats fit; a test may make its own. */
export interface RawStat {
  readonly mode: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

/** Without the rest of Node's stats, which takes four times as much memory. */
export function bareStat({ mode, ino, size, mtimeNs, ctimeNs }: RawStat): RawStat {
  return { mode, ino, size, mtimeNs, ctimeNs };
}

/** What the index keeps of one entry. Times are exact: a double of milliseconds is 200 ns off. */
export interface EntryStat {
  /** All of `st_mode`: the type and the permission bits. */
  readonly mode: number;
  readonly ino: bigint;
  readonly size: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  /** The entry may have changed again without its stat showing it, so it must be looked at once more. */
  readonly racy: boolean;
}

const TYPE_MASK = 0o170000;
const DIRECTORY = 0o040000;
const REGULAR_FILE = 0o100000;
const LINK = 0o120000;

// Beside the 16 bits of the mode, one column of the index carries what the scan knows about the entry.
export const MODE_MASK = 0xffff;
export const RACY: number = 1 << 16;
/** A folder that could not be read, or not wholly: what is not in the index may still be there. */
export const UNREADABLE: number = 1 << 17;
/** A name that is not plain ASCII, so that its bytes are not its text. */
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
/** File systems that keep whole (milli)seconds: FAT counts in steps of two seconds. */
const COARSE_TICK_NS = 2_000_000_000n;
const MILLISECOND_NS = 1_000_000n;

/**
 * Tells stats that prove nothing: an entry stamped at or after the moment when the scan began (less a
 * tick of the clock) can change once more within the same tick and look the same afterwards.
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
