import type { BlobId } from '../../../model/ids.ts';
import { ManifestWriter } from '../../../model/manifest/manifest-writer.ts';
import { unknown } from '../../../model/state.ts';
import { blobOf } from '../../blob.ts';
import { blobFile } from '../blob-files.ts';
import { isReadableEntry, readManifest } from '../check/check-baseline.ts';
import { readBaseline, writeBaseline } from '../meta.ts';
import { Numbers } from '../numbers.ts';
import type { Opened } from '../opened.ts';
import { indexFile, packFile } from '../packs/pack-files.ts';
import { storeBlobs } from '../put-blob.ts';
import { readIntact } from '../read-blob.ts';
import { sealSql } from '../seals.ts';
import { bytesToHash } from '../state-columns.ts';
import type { SetAside } from './set-aside.ts';
import { DAMAGED_MODE } from './silence.ts';

interface Row {
  readonly id: number;
  readonly hash: Uint8Array;
  readonly size: number;
  readonly encoding: string;
  readonly data: Uint8Array | number | null;
}

const ROWS = "SELECT id, hash, size, encoding, data FROM blobs WHERE encoding <> 'missing'";

const LOSE = `
  UPDATE blobs SET encoding = 'missing', stored = 0, pending = 0, base = NULL, depth = 0, data = NULL
  WHERE id = ?`;

// Also those that name a row which is not there at all.
const LOST = "NOT IN (SELECT id FROM blobs WHERE encoding <> 'missing')";

/** Contents that cannot be read any more are set aside; whatever named them is unknown from now on. */
export function repairContents(opened: Opened, aside: SetAside): void {
  const { connection } = opened;
  const lost = connection.all<Row>(ROWS).filter((row) => !isWhole(opened, row));
  for (const row of lost) {
    setAside(opened, row, aside);
    connection.run(LOSE, row.id);
  }
  for (const [table, side, mode] of [
    ['changes', 'before_blob', 'before_mode'],
    ['changes', 'after_blob', 'after_mode'],
    ['heads', 'blob', 'mode'],
  ] as const) {
    const seal = sealSql(table, { [mode]: String(DAMAGED_MODE), [side]: 'NULL' });
    connection.run(
      `UPDATE ${table} SET ${mode} = ${DAMAGED_MODE}, ${side} = NULL, seal = ${seal}
       WHERE ${side} IS NOT NULL AND ${side} ${LOST}`,
    );
  }
}

/** The list of the first scan without what is lost of it; without a list, there was no first scan. */
export function repairBaseline(opened: Opened, aside: SetAside): void {
  const { connection, layout } = opened;
  const baseline = readBaseline(connection);
  if (baseline === null) return;
  const packs = baseline.packs.filter((name) => opened.packs.index(name) !== null);
  for (const name of baseline.packs.filter((one) => !packs.includes(one))) {
    aside.file(indexFile(layout, name));
    aside.file(packFile(layout, name));
  }
  opened.packs.forget();
  const list = readManifest(opened);
  if (list === null) {
    aside.row('meta', { key: 'baseline', value: JSON.stringify(baseline) });
    writeBaseline(connection, null);
    return;
  }
  const writer = new ManifestWriter(list.count);
  for (let at = 0; at < list.count; at += 1) {
    const state = list.state(at);
    writer.set(at, isReadableEntry(opened, state) ? state : unknown('damaged'));
  }
  const manifest = blobOf(writer.finish((at) => list.path(at)));
  if (manifest.id === baseline.manifest && packs.length === baseline.packs.length) return;
  storeBlobs(opened, [manifest], new Numbers(connection));
  writeBaseline(connection, { ...baseline, manifest: manifest.id, packs });
}

function isWhole(opened: Opened, { hash, size }: Row): boolean {
  return hash instanceof Uint8Array && readIntact(opened, bytesToHash(hash))?.length === size;
}

/** What lies in packs and among git's objects stays there: others lie beside it. */
function setAside({ layout, arrivals }: Opened, row: Row, aside: SetAside): void {
  const id = row.hash instanceof Uint8Array ? bytesToHash(row.hash) : ('none' as BlobId);
  if (row.encoding === 'pack' || row.encoding === 'git') return;
  if (row.data instanceof Uint8Array) aside.bytes(`blob-${id}`, row.data);
  else if (typeof row.data === 'number') {
    try {
      aside.bytes(`blob-${id}`, arrivals.read(row.data, row.size));
    } catch {
      // The file is gone, or its size is nonsense: there is nothing to keep.
    }
  } else aside.file(blobFile(layout, id, row.encoding === 'zstd' ? 'zstd' : 'raw'));
}
