import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { SavepointError } from '../../../model/errors.ts';
import { Manifest } from '../../../model/manifest/manifest.ts';
import type { Connection } from '../connection.ts';
import { isBusy } from '../failures.ts';
import { filesIn } from '../files-in.ts';
import type { Layout } from '../layout.ts';
import { needsScrub, readBaseline, writeMeta } from '../meta.ts';
import type { Opened } from '../opened.ts';
import { sweepPacks } from '../packs/sweep-packs.ts';
import { dropBlobs, freeFromDeadBases, namedBlobs, REACHED } from '../prune.ts';
import { dropParts } from '../prune-parts.ts';
import { readBlob } from '../read-blob.ts';
import { sealSql } from '../seals.ts';
import { sweepBlobFiles } from '../sweep.ts';
import { references, takeOver } from '../take-over.ts';
import { blankArrivals } from './blank-arrivals.ts';

// Damaged, so that it could not be stored anew: without its base nobody will ever read it.
const GIVE_UP = `
  WITH ${REACHED}
  UPDATE blobs SET encoding = 'missing', stored = 0, pending = 0, base = NULL, depth = 0, data = NULL
  WHERE base IS NOT NULL AND base NOT IN (SELECT id FROM reached)`;

// A row can be left that keeps a number from being used again. Who guesses a secret can tell it by its hash.
const FORGET_HASHES = `
  WITH ${REACHED}
  UPDATE blobs SET hash = ?2, size = 0, seal = ${sealSql('blobs', { hash: '?2', size: '0' })}
  WHERE encoding = 'missing' AND id NOT IN (SELECT id FROM reached)`;

/** In the transaction that takes contents out of the record: from then on their bytes have to go. */
export function markForScrub(connection: Connection): void {
  writeMeta(connection, 'scrub', 1);
}

/**
 * Removes every byte that no row names: rows, files, packs, free pages, the log. The caller holds the
 * project lock. The mark goes last, so that whoever is interrupted is followed by somebody who begins anew.
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
  // What is in the log now holds nothing; it only looks better without.
  connection.get('PRAGMA wal_checkpoint(TRUNCATE)');
}

/**
 * Git's packs may hold anything. A purge copies what the baseline has of them; they are needed where a
 * baseline was made since, and rows can still refer to them where there is none.
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
 * What may hold anything and is needed by nobody: what a repair set aside, the stat index with
 * the texts of rule files, databases that somebody died over.
 */
function leftovers(layout: Layout): string[] {
  const files = filesIn(layout.directory).filter(
    (name) => name.startsWith('scan.index') || name.startsWith('store.db.new'),
  );
  return [layout.damaged, ...files.map((name) => join(layout.directory, name))];
}

/** Every page is written anew, and the log emptied: nothing is left in free pages or between rows. */
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
