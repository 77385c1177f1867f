import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';

/** A folder as a value to compare: every entry with its kind, mode and content. */
export type Tree = Readonly<Record<string, string>>;

export function treeOf(folder: string): Tree {
  return Object.fromEntries(walk(folder, '').map((path) => [path, describe(join(folder, path))]));
}

/** The paths in which two trees differ. */
export function differences(a: Tree, b: Tree): string[] {
  const paths = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...paths].filter((path) => a[path] !== b[path]).sort();
}

/** Copies a folder with its modes and links, hard ones as well; folders that let nobody in get their mode at the end. */
export function copyTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  const paths = walk(from, '');
  const copies = new Map<bigint, string>();
  for (const path of paths) copyEntry(join(from, path), join(to, path), copies);
  for (const path of paths.reverse()) {
    const stats = lstatSync(join(from, path));
    if (!stats.isSymbolicLink()) chmodSync(join(to, path), stats.mode & 0o7777);
  }
}

/** Removes a folder whatever the modes of those in it. */
export function removeTree(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return;
  for (const path of walk(folder, '')) unlock(join(folder, path));
  rmSync(folder, { recursive: true, force: true });
}

/** Parents before children. */
function walk(folder: string, prefix: string): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = prefix + entry.name;
    found.push(path);
    if (entry.isDirectory()) found.push(...walk(join(folder, entry.name), `${path}/`));
  }
  return found.sort();
}

function describe(at: string): string {
  const stats = lstatSync(at);
  const mode = (stats.mode & 0o7777).toString(8);
  if (stats.isSymbolicLink()) return `link to ${readlinkSync(at)}`;
  if (stats.isDirectory()) return `folder ${mode}`;
  const bytes = readFileSync(at);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return `file ${mode} ${bytes.length} bytes ${hash}`;
}

/** `copies` knows the first copy of each file, by inode. */
function copyEntry(from: string, to: string, copies: Map<bigint, string>): void {
  const stats = lstatSync(from, { bigint: true });
  const copied = copies.get(stats.ino);
  if (stats.isDirectory()) mkdirSync(to);
  else if (copied !== undefined) linkSync(copied, to);
  else if (stats.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else copyFileSync(from, to);
  copies.set(stats.ino, to);
}

function unlock(at: string): void {
  if (lstatSync(at).isDirectory()) chmodSync(at, 0o700);
}
