import { constants, lstatSync } from 'node:fs';
import { pathToBytes, type TrackedPath } from '../../model/path.ts';
import type { EntryStat } from '../scan/entry-stat.ts';
import {
  comparePaths,
  ENTRY,
  FLAG,
  type IndexFile,
  MODE,
  OID_SIZE,
  type PathBytes,
  startsWith,
  textOf,
} from './git-index.ts';
import { Refusal } from './refusal.ts';
import type { Repository } from './repository.ts';

/** The scan's stat of a path of the project; null for a path that is not in scope. */
export type StatOf = (path: TrackedPath) => EntryStat | null;

/** Everything that git was asked about a repository. */
export interface Gathered {
  readonly repository: Repository;
  readonly head: string;
  readonly index: IndexFile;
  /** The output of `ls-tree` for `head`. */
  readonly listing: Buffer;
  /** One byte for each entry of the index, 1 where git may convert the file. */
  readonly converted: Uint8Array;
}

const ATTRIBUTES = Buffer.from('.gitattributes');
const SLASH = 47;
const MAX_UNSETTLED = 200;

/** The entries of the index, by position, whose files hold exactly the bytes of HEAD's objects. */
export function matchEntries(gathered: Gathered, statOf: StatOf): number[] {
  return new Match(gathered, statOf).run();
}

/** Index and HEAD's tree have the same order, so one pass over both, side by side, is enough. */
class Match {
  readonly #gathered: Gathered;
  readonly #statOf: StatOf;
  readonly #tree: TreeListing;
  readonly #prefix: Uint8Array;
  readonly #held: number[] = [];
  /** Folders whose attributes differ between HEAD, index and worktree, each ending with "/". */
  readonly #unsettled: Uint8Array[] = [];

  constructor(gathered: Gathered, statOf: StatOf) {
    this.#gathered = gathered;
    this.#statOf = statOf;
    this.#tree = new TreeListing(gathered.listing);
    this.#prefix = pathToBytes(gathered.repository.prefix);
  }

  run(): number[] {
    const { count } = this.#gathered.index.entries;
    let inTree = this.#tree.next();
    const path = { bytes: this.#gathered.index.entries.paths, start: 0, end: 0 };
    for (let i = 0; i < count; i += 1) {
      this.#moveTo(path, i);
      let order = inTree ? comparePaths(this.#tree.path, path) : 1;
      for (; order < 0; order = inTree ? comparePaths(this.#tree.path, path) : 1) {
        this.#settle(this.#tree.path, false);
        inTree = this.#tree.next();
      }
      this.#judge(i, path, order === 0);
      if (order === 0) inTree = this.#tree.next();
    }
    for (; inTree; inTree = this.#tree.next()) this.#settle(this.#tree.path, false);
    return this.#settled();
  }

  #moveTo(path: PathBytes, i: number): void {
    const { pathStart, pathEnd } = this.#gathered.index.entries;
    path.start = pathStart[i] as number;
    path.end = pathEnd[i] as number;
  }

  #judge(i: number, path: PathBytes, inTree: boolean): void {
    const inProject = startsWith(path, this.#prefix);
    if (!inProject && !this.#isAbove(path)) return;
    const held = inTree && this.#isHeld(i, path, inProject);
    if (held && inProject) this.#held.push(i);
    this.#settle(path, held);
  }

  #isHeld(i: number, path: PathBytes, inProject: boolean): boolean {
    const { index, converted } = this.#gathered;
    if (converted[i] !== 0 || !isCommitted(index, i, this.#tree)) return false;
    const stat = inProject ? this.#statInProject(path) : this.#statAbove(path);
    return stat !== null && isUntouched(index, i, stat, this.#tree.size);
  }

  #statInProject({ start, end }: PathBytes): EntryStat | null {
    const { paths } = this.#gathered.index.entries;
    return this.#statOf(textOf(paths, start + this.#prefix.length, end));
  }

  /** The scan knows nothing of the folders above a project that is not the whole worktree. */
  #statAbove({ bytes, start, end }: PathBytes): EntryStat | null {
    const top = Buffer.from(`${this.#gathered.repository.top}/`);
    const at = Buffer.concat([top, bytes.subarray(start, end)]);
    return lstatSync(at, { throwIfNoEntry: false }) ?? null;
  }

  /**
   * Git tells the attributes of now. Where an attributes file differs from the one in HEAD, the files
   * below it may have been written under other attributes, so none of them is taken.
   */
  #settle(path: PathBytes, held: boolean): void {
    if (held || !isAttributesFile(path)) return;
    if (!startsWith(path, this.#prefix) && !this.#isAbove(path)) return;
    this.#unsettled.push(path.bytes.subarray(path.start, path.end - ATTRIBUTES.length));
  }

  /** Whether a path gives attributes to the project from a folder above it. */
  #isAbove({ bytes, start, end }: PathBytes): boolean {
    if (!isAttributesFile({ bytes, start, end })) return false;
    const prefix = { bytes: this.#prefix, start: 0, end: this.#prefix.length };
    return startsWith(prefix, bytes.subarray(start, end - ATTRIBUTES.length));
  }

  #settled(): number[] {
    if (this.#unsettled.length === 0) return this.#held;
    // Each folder is compared with every path. A repository with so many of them may be hostile.
    if (this.#unsettled.length > MAX_UNSETTLED) return [];
    const path = { bytes: this.#gathered.index.entries.paths, start: 0, end: 0 };
    return this.#held.filter((i) => {
      this.#moveTo(path, i);
      return !this.#unsettled.some((folder) => startsWith(path, folder));
    });
  }
}

function isAttributesFile({ bytes, start, end }: PathBytes): boolean {
  const nameAt = end - ATTRIBUTES.length;
  if (nameAt < start || !startsWith({ bytes, start: nameAt, end }, ATTRIBUTES)) return false;
  return nameAt === start || bytes[nameAt - 1] === SLASH;
}

const { S_IFMT, S_IFREG } = constants;
const UNTRUSTED = FLAG.assumeValid | FLAG.extended | FLAG.stage;

// The largest size that the index can hold. Larger files are past every limit of a capture as well.
const MAX_SIZE = 0xffff_ffff;

/** Whether an entry is an ordinary file, and the one that HEAD's tree has at its path. */
function isCommitted(index: IndexFile, i: number, tree: TreeListing): boolean {
  const { bytes } = index.entries;
  const at = index.entries.at[i] as number;
  const mode = bytes.readUInt32BE(at + ENTRY.mode);
  if (mode !== MODE.file && mode !== MODE.executable) return false;
  if ((bytes.readUInt16BE(at + ENTRY.flags) & UNTRUSTED) !== 0) return false;
  return tree.mode === mode && tree.hasOid(bytes, at + ENTRY.oid);
}

/**
 * Whether the file with this stat holds the bytes of its object, which has `size` bytes: git saw this very
 * file, nothing touched it since, and no conversion changed its length. Its ctime must be older than the
 * index too, unlike in git: `utimes` can make a new file look old, but it cannot set the ctime.
 */
function isUntouched(index: IndexFile, i: number, stat: EntryStat, size: number): boolean {
  if (stat.size === 0 || stat.size > MAX_SIZE || stat.size !== size) return false;
  if (stat.mtimeMs >= index.writtenMs || stat.ctimeMs >= index.writtenMs) return false;
  return isSameFile(index, i, stat);
}

/** The index keeps 32 bits of each number. The device is not compared, because mounts renumber it. */
function isSameFile({ entries }: IndexFile, i: number, stat: EntryStat): boolean {
  const { bytes } = entries;
  const at = entries.at[i] as number;
  // A rounded inode number has lost the bits to compare. The ctime shows a replaced file as well.
  const isRounded = !Number.isSafeInteger(stat.ino);
  return (
    timeAt(bytes, at + ENTRY.mtimeSec) === stat.mtimeMs &&
    timeAt(bytes, at + ENTRY.ctimeSec) === stat.ctimeMs &&
    (isRounded || bytes.readUInt32BE(at + ENTRY.inode) === stat.ino >>> 0) &&
    bytes.readUInt32BE(at + ENTRY.size) === stat.size &&
    bytes.readUInt32BE(at + ENTRY.mode) === modeOf(stat)
  );
}

/** A time of the index, computed from its seconds and nanoseconds as Node computes those of a stat. */
function timeAt(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) * 1000 + bytes.readUInt32BE(at + 4) / 1e6;
}

/** As git sees it: of the permissions only whether the owner may execute; 0 for what is no file. */
function modeOf(stat: EntryStat): number {
  if ((stat.mode & S_IFMT) !== S_IFREG) return 0;
  return (stat.mode & 0o100) === 0 ? MODE.file : MODE.executable;
}

const NUL = 0;
const TAB = 9;
const SPACE = 32;
const MODE_DIGITS = 6;
const OID_DIGITS = 2 * OID_SIZE;

/**
 * Steps through the output of `ls-tree -r -l -z`, which has the order of the index:
 * `mode SP type SP oid SP+ size TAB path NUL`. The fields are those of the current entry.
 */
class TreeListing {
  readonly path: PathBytes;
  mode = 0;
  /** -1 for an entry that is no blob. */
  size = -1;
  #oidAt = 0;
  #next = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.path = { bytes, start: 0, end: 0 };
  }

  /** Steps to the next entry; false behind the last one. */
  next(): boolean {
    if (this.#next >= this.#bytes.length) return false;
    const start = this.#next;
    const typeEnd = this.#bytes.indexOf(SPACE, start + MODE_DIGITS + 1);
    this.#oidAt = typeEnd + 1;
    const tab = this.#oidAt + OID_DIGITS < this.#bytes.length ? this.#tabAfterOid() : -1;
    const end = tab === -1 ? -1 : this.#bytes.indexOf(NUL, tab);
    if (typeEnd === -1 || tab === -1 || end === -1) throw new Refusal('git-failed');
    this.mode = this.#digits(start, start + MODE_DIGITS, 8);
    this.size = this.#digits(this.#oidAt + OID_DIGITS + 1, tab, 10);
    this.path.start = tab + 1;
    this.path.end = end;
    this.#next = end + 1;
    return true;
  }

  /** Whether the entry's object is the one whose id stands in `bytes` at `at`. */
  hasOid(bytes: Uint8Array, at: number): boolean {
    for (let i = 0; i < OID_SIZE; i += 1) {
      const digits = this.#oidAt + 2 * i;
      const high = hexValue(this.#bytes[digits]);
      const low = hexValue(this.#bytes[digits + 1]);
      if (high * 16 + low !== bytes[at + i]) return false;
    }
    return true;
  }

  #tabAfterOid(): number {
    return this.#bytes.indexOf(TAB, this.#oidAt + OID_DIGITS);
  }

  #digits(from: number, to: number, radix: number): number {
    let value = -1;
    for (let at = from; at < to; at += 1) {
      const digit = (this.#bytes[at] as number) - 48;
      // Sizes are padded with spaces, and "-" where there is none.
      if (digit >= 0 && digit < radix) value = Math.max(value, 0) * radix + digit;
    }
    return value;
  }
}

function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 48 && byte <= 57) return byte - 48;
  return byte >= 97 && byte <= 102 ? byte - 87 : -1;
}
