import { constants, lstatSync } from 'node:fs';
import { bytesToPath, type TrackedPath } from '../../model/path.ts';
import { type ByteText, byteText } from '../ignore/pattern.ts';
import type { EntryStat } from '../scan/entry-stat.ts';
import { ENTRY, FLAG, type IndexFile, MODE, OID_SIZE } from './git-index.ts';
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
  readonly listing: ByteText;
  /** One byte for each entry of the index, 1 where git may convert the file. */
  readonly converted: Uint8Array;
}

const ATTRIBUTES = '.gitattributes';
const MAX_UNSETTLED = 200;

/**
 * The entries of the index, by position, whose files hold exactly the bytes of HEAD's objects. Index and
 * HEAD's tree have the same order, so one pass over both, side by side, is enough.
 */
export function matchEntries(gathered: Gathered, statOf: StatOf): number[] {
  const { repository, index, converted } = gathered;
  const { paths } = index.entries;
  const prefix = byteText(repository.prefix);
  const tree = new TreeListing(gathered.listing);
  const held: number[] = [];
  // Folders whose attributes differ between HEAD, index and worktree, each ending with "/". Git tells the
  // attributes of now, so files below such a folder may have been written under other attributes.
  const unsettled: ByteText[] = [];
  const settle = (path: ByteText): void => {
    if (isAttributesFile(path) && (path.startsWith(prefix) || isAbove(path, prefix))) {
      unsettled.push(folderOf(path));
    }
  };
  const lookAt = (path: ByteText): EntryStat | null =>
    path.startsWith(prefix)
      ? statOf(pathOf(path.slice(prefix.length)))
      : statAbove(repository, path);
  for (const [i, path] of paths.entries()) {
    for (; tree.path !== null && tree.path < path; tree.next()) settle(tree.path);
    const isInTree = tree.path === path;
    const isInProject = path.startsWith(prefix);
    if (isInProject || isAbove(path, prefix)) {
      const isKnown = isInTree && converted[i] === 0 && isCommitted(index, i, tree);
      const stat = isKnown ? lookAt(path) : null;
      const isHeld = stat !== null && isUntouched(index, i, stat, tree.size);
      if (isHeld && isInProject) held.push(i);
      if (!isHeld) settle(path);
    }
    if (isInTree) tree.next();
  }
  for (; tree.path !== null; tree.next()) settle(tree.path);
  if (unsettled.length === 0) return held;
  // Each folder is compared with every path. A repository with so many of them may be hostile.
  if (unsettled.length > MAX_UNSETTLED) return [];
  return held.filter((i) => !unsettled.some((folder) => paths[i]?.startsWith(folder)));
}

/** The path of a byte text. Most are ASCII, for which the strict decoder is too slow. */
export function pathOf(text: ByteText): TrackedPath {
  const isPlain = !/[^\0-\x7f]/.test(text);
  return (isPlain ? text : bytesToPath(Buffer.from(text, 'latin1'))) as TrackedPath;
}

function isAttributesFile(path: ByteText): boolean {
  return path === ATTRIBUTES || path.endsWith(`/${ATTRIBUTES}`);
}

function folderOf(path: ByteText): ByteText {
  return path.slice(0, -ATTRIBUTES.length);
}

/** Whether a path gives attributes to the project from a folder above it. */
function isAbove(path: ByteText, prefix: ByteText): boolean {
  return isAttributesFile(path) && prefix.startsWith(folderOf(path));
}

/** The scan knows nothing of the folders above a project that is not the whole worktree. */
function statAbove({ top }: Repository, path: ByteText): EntryStat | null {
  const at = Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, 'latin1')]);
  return lstatSync(at, { throwIfNoEntry: false }) ?? null;
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
  return tree.mode === mode && tree.oid === bytes.toString('hex', at + ENTRY.oid, at + ENTRY.flags);
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

const MODE_DIGITS = 6;
const OID_DIGITS = 2 * OID_SIZE;

/**
 * Steps through the output of `ls-tree -r -l -z`, which has the order of the index:
 * `mode SP type SP oid SP+ size TAB path NUL`. The fields are those of the current entry.
 */
class TreeListing {
  /** Null behind the last entry. */
  path: ByteText | null = null;
  mode = 0;
  oid = '';
  /** NaN for an entry that is no blob. */
  size = Number.NaN;
  readonly #text: ByteText;
  #next = 0;

  constructor(text: ByteText) {
    this.#text = text;
    this.next();
  }

  next(): void {
    const text = this.#text;
    const start = this.#next;
    this.path = null;
    if (start >= text.length) return;
    const oidAt = text.indexOf(' ', start + MODE_DIGITS + 1) + 1;
    const tab = text.indexOf('\t', oidAt + OID_DIGITS);
    const end = text.indexOf('\0', tab);
    if (oidAt === 0 || tab === -1 || end === -1) throw new Refusal('git-failed');
    this.mode = Number.parseInt(text.slice(start, start + MODE_DIGITS), 8);
    this.oid = text.slice(oidAt, oidAt + OID_DIGITS);
    this.size = Number(text.slice(oidAt + OID_DIGITS, tab));
    this.path = text.slice(tab + 1, end);
    this.#next = end + 1;
  }
}
