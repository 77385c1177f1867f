import { existsSync } from 'node:fs';
import type { PartId } from '../../../model/ids.ts';
import { ManifestWriter } from '../../../model/manifest.ts';
import { unknown } from '../../../model/state.ts';
import { blobOf } from '../../blob.ts';
import { bytesToHash } from '../../state-columns.ts';
import { type BlobRow, blobFile, readIntact, storeBlobs } from '../blobs.ts';
import {
  damagedDocuments,
  isLost,
  isReadableEntry,
  partsOf,
  readManifest,
} from '../check/check-contents.ts';
import type { Connection } from '../connection.ts';
import type { Opened } from '../layout.ts';
import { readBaseline, writeBaseline, writeMeta } from '../meta.ts';
import { Numbers } from '../numbers.ts';
import { indexFile, packFile } from '../packs/pack-index.ts';
import { sealSql } from '../seals.ts';
import { dropBaseline, makeUnknown } from './repair-rows.ts';
import type { SetAside } from './repair-store.ts';

type FoundRow = Omit<BlobRow, 'base' | 'depth'>;

const BLOBS = "SELECT id, hash, size, encoding, data FROM blobs WHERE encoding <> 'missing'";

const LOSE = `
  UPDATE blobs SET encoding = 'missing', stored = 0, pending = 0, base = NULL, depth = 0, data = NULL
  WHERE id = ?`;

function lostIn(column: string): string {
  const there = "(SELECT id FROM blobs WHERE encoding <> 'missing')";
  return `${column} IS NOT NULL AND ${column} NOT IN ${there}`;
}

/** Takes out the contents that cannot be read any more. The states that had them become unknown. */
export function repairBlobs(opened: Opened, aside: SetAside): void {
  const { connection } = opened;
  const lost = connection
    .all<FoundRow>(BLOBS)
    .filter(({ hash, size }) => readIntact(opened, bytesToHash(hash))?.length !== size);
  for (const row of lost) {
    keepDamaged(opened, row, aside);
    aside.rows += connection.run(LOSE, row.id);
  }
  makeUnknown(connection, 'before', lostIn('before_blob'));
  makeUnknown(connection, 'after', lostIn('after_blob'));
  makeUnknown(connection, 'head', lostIn('blob'));
}

/** Bytes in rows are in the old database; bytes in packs and among git's objects stay where they are. */
function keepDamaged({ layout, arrivals }: Opened, row: FoundRow, aside: SetAside): void {
  const id = bytesToHash(row.hash);
  if (typeof row.data === 'number') {
    if (existsSync(layout.arrivals)) aside.bytes(`blob-${id}`, arrivals.read(row.data, row.size));
  } else if (row.data === null && (row.encoding === 'raw' || row.encoding === 'zstd')) {
    aside.file(blobFile(layout, id, row.encoding));
  }
}

/** Makes a baseline without the contents that are lost. Without its list there is no baseline. */
export function repairBaseline(opened: Opened, aside: SetAside): void {
  const { connection, layout } = opened;
  const baseline = readBaseline(connection);
  if (baseline === null) return;
  // Also those that nothing names: one of them may have the only bytes of an entry that are still right.
  const packs = opened.packs.names().filter((name) => opened.packs.index(name) !== null);
  for (const name of baseline.packs.filter((one) => !packs.includes(one))) {
    aside.file(indexFile(layout, name));
    aside.file(packFile(layout, name));
  }
  opened.packs.forget();
  const list = readManifest(opened);
  if (list === null) {
    dropBaseline(connection);
    return;
  }
  const writer = new ManifestWriter(list.count);
  for (let at = 0; at < list.count; at += 1) {
    const state = list.state(at);
    writer.set(at, isReadableEntry(opened, state, packs) ? state : unknown('damaged'));
  }
  const manifest = blobOf(writer.finish((at) => list.path(at)));
  storeBlobs(opened, [manifest], new Numbers(connection));
  writeBaseline(connection, { ...baseline, manifest: manifest.id, packs });
}

/**
 * Takes out parts that are damaged or hold a damaged one. A document without its first part goes too. A
 * step stays, and loses its state also when only its result is lost: a step with a state and without a
 * result would say that nothing was returned. An execution without its first state gets that of its program.
 */
export function repairParts(connection: Connection, aside: SetAside): void {
  const names = new Map<number, PartId>();
  const lost = [...partsOf(connection, names)].filter(({ isIntact }) => !isIntact);
  for (const { id } of lost) {
    aside.rows += connection.run('DELETE FROM parts WHERE id = ?', id);
  }
  // Other processes remember numbers of parts, and must look again.
  writeMeta(connection, 'parts', Date.now());
  aside.rows += connection.run(`DELETE FROM documents WHERE ${isLost('part')}`);
  for (const { num } of damagedDocuments(connection, names)) {
    aside.rows += connection.run('DELETE FROM documents WHERE num = ?', num);
  }
  for (const column of ['root', 'result']) {
    const seal = sealSql('steps', { root: 'NULL', [column]: 'NULL' });
    aside.rows += connection.run(
      `UPDATE steps SET root = NULL, ${column} = NULL, seal = ${seal} WHERE ${isLost(column)}`,
    );
  }
  const seal = sealSql('executions', { root: 'NULL' });
  aside.rows += connection.run(
    `UPDATE executions SET root = NULL, seal = ${seal} WHERE ${isLost('root')}`,
  );
}
