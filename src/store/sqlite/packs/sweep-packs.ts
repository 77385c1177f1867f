import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { BlobRow } from '../blob-rows.ts';
import { chooseForm } from '../compaction.ts';
import { isTemporary } from '../durable-files.ts';
import { filesIn } from '../files-in.ts';
import { readBaseline } from '../meta.ts';
import type { Opened } from '../opened.ts';
import { replaceBlob } from '../put-blob.ts';
import { readIntact } from '../read-blob.ts';
import { bytesToHash } from '../state-columns.ts';
import { packOf } from './pack-files.ts';

const REFERENCES = `
  SELECT id, hash, size, encoding, base, depth, data FROM blobs WHERE encoding = 'pack'`;

/**
 * Removes packs that the baseline does not name: those of an older one, and what a crash left before its
 * commit. The caller holds the project lock, as does whoever makes a pack.
 */
export async function sweepPacks(opened: Opened): Promise<void> {
  const { packs } = opened.layout;
  const named = readBaseline(opened.connection)?.packs ?? [];
  const orphans = filesIn(packs).filter((file) => isOrphan(file, named));
  if (orphans.length === 0) return;
  await takeOver(opened, named);
  // Indices first: a pack that has none is not looked into by anybody any more.
  for (const file of orphans.sort()) rmSync(join(packs, file), { force: true });
  opened.packs.forget();
}

/** Files whose names are not of our making are not ours to remove. */
function isOrphan(file: string, named: readonly string[]): boolean {
  if (isTemporary(file)) return true;
  const pack = packOf(file);
  return pack !== null && !named.includes(pack);
}

/** Stores the bytes of references anew that no pack of the baseline holds. */
async function takeOver(opened: Opened, named: readonly string[]): Promise<void> {
  for (const row of opened.connection.all<BlobRow>(REFERENCES)) {
    const id = bytesToHash(row.hash);
    if (opened.packs.holds(named, id)) continue;
    const raw = readIntact(opened, id);
    if (raw === null) continue;
    opened.connection.immediate(() => replaceBlob(opened, row, chooseForm(opened, raw, null)));
    await setImmediate();
  }
}
