import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
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

/** Copies a folder with its modes and links; folders that let nobody in get their mode at the end. */
export function copyTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  const paths = walk(from, '');
  for (const path of paths) copyEntry(join(from, path), join(to, path));
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

function copyEntry(from: string, to: string): void {
  const stats = lstatSync(from);
  if (stats.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else if (stats.isDirectory()) mkdirSync(to);
  else copyFileSync(from, to);
}

function unlock(at: string): void {
  if (lstatSync(at).isDirectory()) chmodSync(at, 0o700);
}
