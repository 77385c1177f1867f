import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { isTemporary } from '../../../fs/write-file.ts';
import { SavepointError } from '../../../model/errors.ts';
import { Manifest } from '../../../model/manifest.ts';
import { readBlob } from '../blobs.ts';
import { references, takeOver } from '../compaction.ts';
import { type Connection, isBusy } from '../connection.ts';
import { filesIn, type Layout, type Opened } from '../layout.ts';
import { needsScrub, readBaseline, writeMeta } from '../meta.ts';
import {
  dropBlobs,
  dropParts,
  freeFromDeadBases,
  namedBlobs,
  REACHED,
  sweepBlobFiles,
  sweepPacks,
} from '../prune.ts';
import { sealSql } from '../seals.ts';

// Blobs that are damaged could not be stored anew. Without their base nobody can ever read them.
const GIVE_UP = `
  WITH ${REACHED}
  UPDATE blobs SET encoding = 'missing', stored = 0, pending = 0, base = NULL, depth = 0, data = NULL
  WHERE base IS NOT NULL AND base NOT IN (SELECT id FROM reached)`;

// Such a row only keeps its number from being used again. Its hash goes: it would confirm a guessed secret.
const FORGET_HASHES = `
  WITH ${REACHED}
  UPDATE blobs SET hash = ?2, size = 0, seal = ${sealSql('blobs', { hash: '?2', size: '0' })}
  WHERE encoding = 'missing' AND id NOT IN (SELECT id FROM reached)`;

const ARRIVED = `
  SELECT data AS start, size FROM blobs WHERE encoding = 'arrived' ORDER BY data`;
const ZEROS: Uint8Array = new Uint8Array(64 * 1024);

/** Called in the transaction that takes contents out of the record: from then on their bytes must go. */
export function markForScrub(connection: Connection): void {
  writeMeta(connection, 'scrub', 1);
}

/**
 * Removes every byte that no row names: rows, files, packs, free pages, the log. The caller holds the
 * project lock. The mark goes last: after an interruption, the next command begins again.
 */
export async function scrub(opened: Opened): Promise<void> {
  const { connection, layout } = opened;
  if (!needsScrub(connection)) return;
  await freeFromDeadBases(opened, { referencesGo: true });
  connection.run(GIVE_UP, namedBlobs(connection));
  dropBlobs(connection);
  connection.run(FORGET_HASHES, namedBlobs(connection), randomBytes(32));
  dropParts(connection);
  sweepBlobFiles(opened);
  blankArrivals(opened);
  await sweepPacks(opened);
  await leaveGit(opened);
  for (const leftover of leftovers(layout)) rmSync(leftover, { recursive: true, force: true });
  rewriteDatabase(connection);
  connection.run("DELETE FROM meta WHERE key = 'scrub'");
  // The log has only that deletion now; an empty one is easier to check.
  connection.get('PRAGMA wal_checkpoint(TRUNCATE)');
}

/** Overwrites bytes of arrivals that no row names. In a transaction, as everybody who writes there. */
function blankArrivals({ connection, layout }: Opened): void {
  if (!existsSync(layout.arrivals)) return;
  connection.immediate(() => {
    const descriptor = openSync(layout.arrivals, 'r+');
    try {
      let end = 0;
      for (const { start, size } of connection.all<{ start: number; size: number }>(ARRIVED)) {
        blank(descriptor, end, start);
        end = Math.max(end, start + size);
      }
      blank(descriptor, end, fstatSync(descriptor).size);
      fdatasyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  });
}

function blank(descriptor: number, from: number, to: number): void {
  for (let at = from; at < to; ) {
    at += writeSync(descriptor, ZEROS, 0, Math.min(ZEROS.length, to - at), at);
  }
}

/**
 * Removes git's packs, which may hold anything. A purge has copied what the baseline needs of them; they
 * stay where a baseline was made since. Without a baseline, rows that refer to them are stored anew first.
 */
async function leaveGit(opened: Opened): Promise<void> {
  const baseline = readBaseline(opened.connection);
  if (baseline !== null && namesGit(new Manifest(readBlob(opened, baseline.manifest)))) return;
  await takeOver(opened, references(opened, 'git'));
  rmSync(opened.layout.git, { recursive: true, force: true });
}

function namesGit(list: Manifest): boolean {
  for (let at = 0; at < list.count; at += 1) if (list.state(at).kind === 'git') return true;
  return false;
}

/**
 * Files that may hold anything and that nobody needs: what a repair set aside, the stat index with the
 * texts of rule files, databases and other files that a killed process left unfinished.
 */
function leftovers(layout: Layout): string[] {
  const files = filesIn(layout.directory).filter(
    (name) => isTemporary(name) || name.startsWith('scan.index') || name.startsWith('store.db.new'),
  );
  return [layout.damaged, ...files.map((name) => join(layout.directory, name))];
}

/** Writes every page anew and empties the log: nothing is left in free pages or between rows. */
function rewriteDatabase(connection: Connection): void {
  try {
    connection.exec('PRAGMA secure_delete = ON; VACUUM');
  } catch (error) {
    throw isBusy(error) ? inTheWay(error) : error;
  }
  const log = connection.get<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)');
  if (log?.busy !== 0) throw inTheWay();
}

function inTheWay(cause?: unknown): SavepointError {
  const message = 'the contents are out of the record, but another program has the store open';
  return new SavepointError('purge-unfinished', message, {
    hint: 'their bytes go with the next command that finds the store free',
    cause,
  });
}
