import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { isTemporary } from '../../../fs/write-file.ts';
import { isBlobId } from '../../../model/ids.ts';
import { parseBlobFile } from '../blob-files.ts';
import { filesIn } from '../files-in.ts';
import type { Layout } from '../layout.ts';
import type { Opened } from '../opened.ts';
import { indexFile, packFile, packOf } from '../packs/pack-files.ts';
import { PackIndex } from '../packs/pack-index.ts';
import { bytesToHash, hashToBytes } from '../state-columns.ts';
import { problem, type StoreProblem } from './problem.ts';

const NAMED = 'SELECT 1 FROM blobs WHERE hash = ? AND encoding = ? AND data IS NULL';
const PACKED = "SELECT hash FROM blobs WHERE encoding = 'pack'";
const PACK_MAGIC = 'SVPK';

/** Packs that are not whole, and files that nobody names. */
export function checkFiles(opened: Opened, namedPacks: readonly string[]): StoreProblem[] {
  return [
    ...namedPacks.flatMap((name) => checkPack(opened.layout, name)),
    ...leftovers(opened, namedPacks),
  ];
}

/** Whether a pack can be looked into; its contents are read one by one elsewhere. */
function checkPack(layout: Layout, name: string): StoreProblem[] {
  const file = `packs/${name}.idx`;
  try {
    new PackIndex(readFileSync(indexFile(layout, name)));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [problem('pack', `the index of a pack cannot be used: ${reason}`, { file })];
  }
  const begins = beginningOf(packFile(layout, name));
  if (begins === PACK_MAGIC) return [];
  const message = 'a pack does not begin as packs do';
  return [problem('pack', message, { file: `packs/${name}.pack` })];
}

function beginningOf(file: string): string | null {
  try {
    const descriptor = openSync(file, 'r');
    const bytes = Buffer.alloc(PACK_MAGIC.length);
    readSync(descriptor, bytes, 0, bytes.length, 0);
    closeSync(descriptor);
    return bytes.toString('latin1');
  } catch {
    return null;
  }
}

/** No damage: what a crash left, and what is not ours. `prune` takes away what is. */
function leftovers(opened: Opened, namedPacks: readonly string[]): StoreProblem[] {
  const { connection, layout } = opened;
  const isNamedBlob = (name: string): boolean => {
    const { id, encoding } = parseBlobFile(name);
    return isBlobId(id) && connection.get(NAMED, hashToBytes(id), encoding) !== undefined;
  };
  const isNamedPack = (name: string): boolean => {
    const pack = packOf(name);
    return pack !== null && (namedPacks.includes(pack) || isNeeded(opened, pack));
  };
  const files = [
    ...filesIn(layout.blobs).flatMap((name) => (isNamedBlob(name) ? [] : [join('blobs', name)])),
    ...filesIn(layout.packs).flatMap((name) => (isNamedPack(name) ? [] : [join('packs', name)])),
    ...filesIn(layout.directory).filter((name) => isTemporary(name) || name.includes('.db.new')),
    ...(filesIn(layout.damaged).length > 0 ? ['damaged'] : []),
  ];
  return files.map((file) => problem('leftover', leftoverText(file), { file }));
}

/** Whether a pack that the baseline does not name, such as one that was imported, has a row's content. */
function isNeeded({ connection, packs }: Opened, pack: string): boolean {
  const rows = connection.all<{ hash: Uint8Array }>(PACKED);
  return rows.some(({ hash }) => packs.holds([pack], bytesToHash(hash)));
}

function leftoverText(file: string): string {
  return file === 'damaged'
    ? 'an earlier repair has set things aside'
    : 'a file that nothing names';
}
