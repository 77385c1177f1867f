import { type BigIntStats, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A folder as a value to compare: each entry below it, by name, in one line of text. */
export type Tree = Record<string, string>;

/** Names are kept byte for byte, so that two spellings of one text stay two entries. */
export function treeOf(folder: string): Tree {
  const tree: Tree = {};
  walk(Buffer.from(folder), '', tree, plainLine);
  return tree;
}

/**
 * As `treeOf`, with inode and times of change as well: even a write that was taken back shows. Use it
 * for what must not be touched at all.
 */
export function canaryOf(folder: string): Tree {
  const tree: Tree = { '.': canaryLine(Buffer.from(folder)) };
  walk(Buffer.from(folder), '', tree, canaryLine);
  return tree;
}

function walk(folder: Buffer, prefix: string, tree: Tree, line: (at: Buffer) => string): void {
  for (const name of readdirSync(folder, { encoding: 'buffer' })) {
    const at = Buffer.concat([folder, Buffer.from('/'), name]);
    const key = prefix + name.toString('latin1');
    tree[key] = line(at);
    if (lstatSync(at).isDirectory()) walk(at, `${key}/`, tree, line);
  }
}

function plainLine(at: Buffer): string {
  const stats = lstatSync(at, { bigint: true });
  const mode = (stats.mode & 0o7777n).toString(8);
  if (stats.isSymbolicLink()) return `link to ${readlinkSync(at, { encoding: 'latin1' })}`;
  if (stats.isDirectory()) return `folder ${mode}`;
  return stats.isFile() ? `file ${mode} ${contentOf(at, stats)}` : `special ${mode}`;
}

function canaryLine(at: Buffer): string {
  const stats = lstatSync(at, { bigint: true });
  return `${plainLine(at)} #${stats.ino} links ${stats.nlink} written ${stats.mtimeNs}`;
}

/** Large files would drown a failure's message. */
function contentOf(at: Buffer, stats: BigIntStats): string {
  return stats.size > 4096n ? `${stats.size} bytes` : readFileSync(at, 'latin1');
}
