import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn, type Layout } from '../layout.ts';

const PACK = '.pack';
const INDEX = '.idx';

export function packFile(layout: Layout, name: string): string {
  return join(layout.packs, name + PACK);
}

export function indexFile(layout: Layout, name: string): string {
  return join(layout.packs, name + INDEX);
}

/** The name of the pack that a file belongs to; null for a file with another kind of name. */
export function packOf(file: string): string | null {
  const name = [PACK, INDEX].find((suffix) => file.endsWith(suffix));
  const stem = name === undefined ? '' : file.slice(0, -name.length);
  return isPackName(stem) ? stem : null;
}

/** Names of the packs that have an index. */
export function listPacks(layout: Layout): string[] {
  return filesIn(layout.packs)
    .filter((file) => file.endsWith(INDEX))
    .map(packOf)
    .filter((name) => name !== null);
}

/** Bytes of all files in the folder, including those that a crash left. */
export function sizeOfPacks(layout: Layout): number {
  return filesIn(layout.packs)
    .map((file) => statSync(join(layout.packs, file), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0);
}

const PACK_NAME = /^[0-9a-f]{32}$/;

/** Random, so that nobody has to look which names are taken. */
export function newPackName(): string {
  return randomBytes(16).toString('hex');
}

export function isPackName(text: string): boolean {
  return PACK_NAME.test(text);
}
