import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isTemporary } from '../../../fs/write-file.ts';
import { filesIn } from '../files-in.ts';
import { readBaseline } from '../meta.ts';
import type { Opened } from '../opened.ts';
import { bytesToHash } from '../state-columns.ts';
import { references, takeOver } from '../take-over.ts';

/**
 * Removes packs that the baseline does not name: those of an older baseline, and those that a crash left
 * before their commit. The caller holds the project lock, so nobody is writing a pack.
 */
export async function sweepPacks(opened: Opened): Promise<void> {
  const { layout, packs } = opened;
  const unfinished = filesIn(layout.packs).filter(isTemporary);
  for (const file of unfinished) rmSync(join(layout.packs, file), { force: true });
  const named = readBaseline(opened.connection)?.packs ?? [];
  const orphans = packs.names().filter((name) => !named.includes(name));
  if (orphans.length === 0) return;
  const kept = named.map((name) => packs.index(name));
  const rows = references(opened, 'pack').filter(
    ({ hash }) => !kept.some((index) => index?.has(bytesToHash(hash))),
  );
  await takeOver(opened, rows);
  packs.remove(orphans);
}
