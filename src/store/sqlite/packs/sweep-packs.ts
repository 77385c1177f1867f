import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isTemporary } from '../../../fs/write-file.ts';
import { filesIn } from '../files-in.ts';
import { readBaseline } from '../meta.ts';
import type { Opened } from '../opened.ts';
import { bytesToHash } from '../state-columns.ts';
import { references, takeOver } from '../take-over.ts';
import { packOf } from './pack-files.ts';

/**
 * Removes packs that the baseline does not name: those of an older one, and what a crash left before its
 * commit. The caller holds the project lock, as does whoever makes a pack.
 */
export async function sweepPacks(opened: Opened): Promise<void> {
  const { packs } = opened.layout;
  const named = readBaseline(opened.connection)?.packs ?? [];
  const orphans = filesIn(packs).filter((file) => isOrphan(file, named));
  if (orphans.length === 0) return;
  const rows = references(opened, 'pack');
  await takeOver(
    opened,
    rows.filter(({ hash }) => !opened.packs.holds(named, bytesToHash(hash))),
  );
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
