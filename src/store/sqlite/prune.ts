import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isTemporary } from '../../fs/write-file.ts';
import { SavepointError } from '../../model/errors.ts';
import { type BlobId, isBlobId, type Seq } from '../../model/ids.ts';
import { blobsNeededBy } from '../blob.ts';
import { bytesToHash, hashToBytes } from '../state-columns.ts';
import type { PruneResult } from '../store.ts';
import { type BlobRow, findChain, parseBlobFile, readIntact, replaceBlob } from './blobs.ts';
import { asBase, chooseForm, references, takeOver } from './compaction.ts';
import { type Connection, isMalformed } from './connection.ts';
import { canBeBase } from './encoding.ts';
import { filesIn, type Opened } from './layout.ts';
import { readBaseline, readJournal, writeMeta } from './meta.ts';
import { sealSql } from './seals.ts';

const DROP_CHANGES = `
  DELETE FROM changes WHERE seq < ?1 AND after_mode IS NOT NULL
  AND seq NOT IN (SELECT change_seq FROM cancellations WHERE by_seq >= ?1)`;

/** The parameter is a list of hashes that are needed besides those that rows name. */
export const REACHED: string = `
  reached(id) AS (
    SELECT before_blob FROM changes WHERE before_blob IS NOT NULL
    UNION SELECT after_blob FROM changes WHERE after_blob IS NOT NULL
    UNION SELECT blob FROM heads WHERE blob IS NOT NULL
    UNION SELECT id FROM blobs WHERE hash IN (SELECT unhex(value) FROM json_each(?))
  )`;

const LIVE = `
  WITH ${REACHED}
  SELECT id, hash, base FROM blobs WHERE id IN (SELECT id FROM reached)`;

const REFERENCES = "SELECT id FROM blobs WHERE encoding IN ('pack', 'git')";

// A blob stays while a live one is compressed against it.
const DROP_BLOBS = `
  WITH RECURSIVE ${REACHED},
  kept(id, base) AS (
    SELECT id, base FROM blobs WHERE id IN (SELECT id FROM reached)
    UNION SELECT blobs.id, blobs.base FROM blobs JOIN kept ON blobs.id = kept.base
  )
  DELETE FROM blobs WHERE id NOT IN (SELECT id FROM kept)
  RETURNING id, hash, stored, encoding <> 'missing' AS was_there`;

const KEEP_NUMBER = `
  INSERT INTO blobs (id, hash, size, stored, encoding, pending, base, depth, data, seal)
  SELECT ?1, ?2, 0, 0, 'missing', 0, NULL, 0, NULL, ${sealSql('blobs', { hash: '?2', size: '0' })}
  WHERE NOT EXISTS (SELECT 1 FROM blobs WHERE id > ?1)`;

const UNREACHED = `
  WITH ${REACHED}
  SELECT count(*) AS blobs, coalesce(sum(stored), 0) AS bytes FROM blobs
  WHERE encoding <> 'missing' AND id NOT IN (SELECT id FROM reached)`;

type LiveRow = Pick<BlobRow, 'id' | 'hash' | 'base'>;

interface Dropped {
  readonly id: number;
  readonly hash: Uint8Array;
  readonly stored: number;
  readonly was_there: number;
}

/** See the port. The caller holds the project lock. */
export async function prune(opened: Opened, floor: Seq): Promise<PruneResult> {
  const { connection } = opened;
  const changes = connection.immediate(() => dropChanges(connection, floor));
  await freeFromDeadBases(opened);
  const dropped = dropBlobs(connection);
  dropParts(connection);
  sweepBlobFiles(opened);
  await sweepPacks(opened);
  connection.exec('PRAGMA incremental_vacuum');
  const bytes = dropped.reduce((sum, { stored }) => sum + stored, 0);
  const blobs = dropped.filter((row) => row.was_there === 1).length;
  return { changes, blobs, bytes };
}

/** See the port. Prunes in a transaction that is taken back. */
export function prunable({ connection }: Opened, floor: Seq): PruneResult {
  return connection.trial(() => {
    const changes = dropChanges(connection, floor);
    const unreached = connection.get<PruneResult>(UNREACHED, namedBlobs(connection));
    return { changes, blobs: unreached?.blobs ?? 0, bytes: unreached?.bytes ?? 0 };
  });
}

function dropChanges(connection: Connection, floor: Seq): number {
  const dropped = connection.run(DROP_CHANGES, floor);
  for (const end of ['change_seq', 'by_seq']) {
    connection.run(
      `DELETE FROM cancellations WHERE ${end} < ? AND ${end} NOT IN (SELECT seq FROM changes)`,
      floor,
    );
  }
  return dropped;
}

/** Stores anew every live blob that is compressed against one that goes. */
export async function freeFromDeadBases(
  opened: Opened,
  { referencesGo = false }: { readonly referencesGo?: boolean } = {},
): Promise<void> {
  const { connection } = opened;
  const rows = connection.all<LiveRow>(LIVE, namedBlobs(connection));
  // A reference is small, and stays while others lean on it.
  const staying = referencesGo ? [] : connection.all<{ id: number }>(REFERENCES);
  const live = new Set([...rows, ...staying].map(({ id }) => id));
  for (const { hash, base } of rows) {
    if (base === null || live.has(base)) continue;
    connection.immediate(() => freeBlob(opened, bytesToHash(hash), live));
    await setImmediate();
  }
}

function freeBlob(opened: Opened, id: BlobId, live: ReadonlySet<number>): void {
  const [row, ...bases] = findChain(opened.connection, id);
  const raw = readIntact(opened, id);
  // A damaged blob keeps its base: without it nothing could ever mend or examine it.
  if (row === undefined || raw === null) return;
  const next = bases.find((base) => live.has(base.id) && canBeBase(base.size, base.depth));
  replaceBlob(opened, row, chooseForm(opened, raw, next ? asBase(opened, next) : null));
}

export function dropBlobs(connection: Connection): Dropped[] {
  return connection.immediate(() => {
    const dropped = connection.all<Dropped>(DROP_BLOBS, namedBlobs(connection));
    // SQLite would give the greatest number to the next blob. If a row still named that number by mistake,
    // nothing would tell that it stands for other bytes now.
    const last = dropped.toSorted((a, b) => a.id - b.id).at(-1);
    if (last !== undefined) connection.run(KEEP_NUMBER, last.id, last.hash);
    return dropped;
  });
}

/** The blobs that the baseline and an unfinished restore need, as a list for a query. */
export function namedBlobs(connection: Connection): string {
  return JSON.stringify(blobsNeededBy(readBaseline(connection), readJournal(connection)));
}

/** The kind of a row that only keeps its number from being used again. */
export const NO_PART = -1;

const KEPT = `
  WITH RECURSIVE kept(id) AS (
    SELECT root FROM steps WHERE root IS NOT NULL
    UNION SELECT result FROM steps WHERE result IS NOT NULL
    UNION SELECT root FROM executions WHERE root IS NOT NULL
    UNION SELECT part FROM documents WHERE part IS NOT NULL
    UNION SELECT entry.value FROM documents
    JOIN json_each(documents.children) AS entry WHERE documents.children IS NOT NULL
    UNION SELECT entry.value FROM kept
    JOIN parts ON parts.id = kept.id AND parts.children IS NOT NULL
    JOIN json_each(parts.children) AS entry
  )`;

const DROP = `${KEPT}
  DELETE FROM parts WHERE id NOT IN (SELECT id FROM kept) AND id < (SELECT max(id) FROM parts)`;

const sealed = { hash: '?1', kind: String(NO_PART), children: 'NULL' };
const BLANK = `${KEPT}
  UPDATE parts SET hash = ?1, kind = ${NO_PART}, children = NULL, data = x'',
    seal = ${sealSql('parts', sealed)}
  WHERE id = (SELECT max(id) FROM parts) AND id NOT IN (SELECT id FROM kept) AND kind <> ${NO_PART}`;

/** Throws where a list of parts is damaged: nobody can tell what to keep. */
function removed(connection: Connection): number {
  try {
    return connection.run(BLANK, randomBytes(32)) + connection.run(DROP);
  } catch (error) {
    if (!isMalformed(error)) throw error;
    throw new SavepointError('store-corrupt', 'a list of the parts of a document is damaged', {
      hint: 'savepoint fsck says which; nothing was removed',
      cause: error,
    });
  }
}

/** Removes parts that no step and no document reaches. The greatest number stays taken. */
export function dropParts(connection: Connection): void {
  connection.immediate(() => {
    const gone = removed(connection);
    if (gone === 0) return;
    const sql = "SELECT coalesce(max(value), 0) AS count FROM meta WHERE key = 'parts'";
    const { count } = connection.get<{ count: number }>(sql) ?? { count: 0 };
    // Other processes may remember numbers that are gone now.
    writeMeta(connection, 'parts', count + 1);
  });
}

const NAMED = 'SELECT 1 FROM blobs WHERE hash = ? AND encoding = ? AND data IS NULL';

/**
 * Removes bytes outside the database that no row names: those of dropped blobs, and those that a crash left
 * before its row. In a transaction, because everybody writes there in one; and in a transaction of its own,
 * because the rows must be gone for good before their bytes.
 */
export function sweepBlobFiles(opened: Opened): void {
  const { connection, layout, arrivals } = opened;
  connection.immediate(() => {
    arrivals.shrink(connection);
    for (const name of filesIn(layout.blobs)) {
      if (isOrphan(connection, name)) rmSync(join(layout.blobs, name), { force: true });
    }
  });
}

/** Files with other names than Savepoint gives are left alone. */
function isOrphan(connection: Connection, name: string): boolean {
  if (isTemporary(name)) return true;
  const { id, encoding } = parseBlobFile(name);
  return isBlobId(id) && connection.get(NAMED, hashToBytes(id), encoding) === undefined;
}

/**
 * Removes packs that the baseline does not name: those of an older baseline, and those that a crash left
 * before their commit; and temporary files of the store. The caller holds the project lock, so nobody is
 * writing one.
 */
export async function sweepPacks(opened: Opened): Promise<void> {
  const { layout, packs } = opened;
  for (const folder of [layout.packs, layout.directory]) {
    for (const name of filesIn(folder).filter(isTemporary))
      rmSync(join(folder, name), { force: true });
  }
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
