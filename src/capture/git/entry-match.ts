import { constants } from 'node:fs';
import { type FileStat, isOlder } from './file-stat.ts';
import { ENTRY, FLAG, MODE, OID_SIZE } from './index-layout.ts';
import type { IndexFile } from './read-index.ts';
import type { TreeListing } from './tree-listing.ts';

const { S_IFMT, S_IFREG } = constants;
const UNTRUSTED = FLAG.assumeValid | FLAG.extended | FLAG.stage;

// What the index can say in full. Larger files are past every limit of a capture as well.
const MAX_SIZE = 0xffff_ffff;

/** Whether an entry is an ordinary file, and the one that HEAD's tree has at its path. */
export function isCommitted(index: IndexFile, i: number, tree: TreeListing): boolean {
  const { bytes } = index.entries;
  const at = index.entries.at[i] as number;
  const mode = bytes.readUInt32BE(at + ENTRY.mode);
  if (mode !== MODE.file && mode !== MODE.executable) return false;
  if ((bytes.readUInt16BE(at + ENTRY.flags) & UNTRUSTED) !== 0) return false;
  return tree.mode === mode && tree.hasOid(bytes, at + ENTRY.oid);
}

/**
 * Whether the file that `stat` tells of holds the bytes of its object, which has `size` bytes: git saw
 * this very file, nothing touched it since, and no conversion changed its length.
 */
export function isUntouched(index: IndexFile, i: number, stat: FileStat, size: number): boolean {
  if (stat.size === 0 || stat.size > MAX_SIZE || stat.size !== size) return false;
  return isSameFile(index, i, stat) && isOlder(stat, index.writtenAt);
}

/** The index keeps 32 bits of each number. Which device it was is not compared: mounts renumber. */
function isSameFile({ entries }: IndexFile, i: number, stat: FileStat): boolean {
  const { bytes } = entries;
  const at = entries.at[i] as number;
  return (
    bytes.readUInt32BE(at + ENTRY.mtimeSec) === stat.mtimeSec >>> 0 &&
    bytes.readUInt32BE(at + ENTRY.mtimeNsec) === stat.mtimeNsec &&
    bytes.readUInt32BE(at + ENTRY.ctimeSec) === stat.ctimeSec >>> 0 &&
    bytes.readUInt32BE(at + ENTRY.ctimeNsec) === stat.ctimeNsec &&
    bytes.readUInt32BE(at + ENTRY.inode) === stat.inode >>> 0 &&
    bytes.readUInt32BE(at + ENTRY.size) === stat.size &&
    bytes.readUInt32BE(at + ENTRY.mode) === modeOf(stat)
  );
}

/** As git sees it: of the permissions only whether the owner may execute; 0 for what is no file. */
function modeOf(stat: FileStat): number {
  if ((stat.mode & S_IFMT) !== S_IFREG) return 0;
  return (stat.mode & 0o100) === 0 ? MODE.file : MODE.executable;
}

export function oidOf({ entries }: IndexFile, i: number): Buffer {
  const from = (entries.at[i] as number) + ENTRY.oid;
  return entries.bytes.subarray(from, from + OID_SIZE);
}

export function sizeOf({ entries }: IndexFile, i: number): number {
  return entries.bytes.readUInt32BE((entries.at[i] as number) + ENTRY.size);
}
