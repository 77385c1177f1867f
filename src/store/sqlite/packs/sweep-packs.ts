import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isTemporary } from '../durable-files.ts';
import { filesIn } from '../files-in.ts';
import { readBaseline } from '../meta.ts';
import type { Opened } from '../opened.ts';
import { bytesToHash } from '../state-columns.ts';
import { references, takeOver } from '../take-over.ts';
import { packOf } from './pack-files.ts';

/**
 * Removes packs that the baseline does not name: those of an older baseline, and those that a crash left
 * before their commit. The caller holds the project lock, so nobody is writing a pack.
 */
export async function sweepPacks(opened: Opened): Promise<void> {
  const { packs } = opened.layout;
  const named = readBaseline(opened.connection)?.packs ?? [];
  const orphans = filesIn(packs).filter((file) => isOrphan(file, named));
  if (orphans.length === 0) return;
  const kept = named.map((name) => opened.packs.index(name));
  const rows = references(opened, 'pack').filter(
    ({ hash }) => !kept.some((index) => index?.has(bytesToHash(hash))),
  );
  await takeOver(opened, rows);
  // In this order an index goes before its pack: nobody reads a pack without an index.
  for (const file of orphans.sort()) rmSync(join(packs, file), { force: true });
  opened.packs.forget();
}

/** Files with other names than Savepoint gives are left alone. */
function isOrphan(file: string, named: readonly string[]): boolean {
  if (isTemporary(file)) return true;
  const pack = packOf(file);
  return pack !== null && !named.includes(pack);
}
