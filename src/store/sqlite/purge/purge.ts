import { SavepointError } from '../../../model/errors.ts';
import { pathToBytes, type TrackedPath } from '../../../model/path.ts';
import { unknown } from '../../../model/state.ts';
import { storeBlobs } from '../blobs.ts';
import type { Connection } from '../connection.ts';
import type { Opened } from '../layout.ts';
import { readJournal, writeBaseline } from '../meta.ts';
import { Numbers } from '../numbers.ts';
import { hexList, LISTED_BYTES } from '../parameters.ts';
import { REACHED } from '../prune.ts';
import { sealSql } from '../seals.ts';
import { modeOf } from '../state-columns.ts';
import { type NewBaseline, newBaseline } from './new-baseline.ts';
import { markForScrub, scrub } from './scrub.ts';

const LISTED = LISTED_BYTES.replace('?', '?2');
const PURGED_AFTER = 'CASE WHEN after_mode IS NULL THEN NULL ELSE ?1 END';

// An open change stays open: whoever opened it will close it with the state that it finds then.
const PURGE_CHANGES = `
  UPDATE changes SET before_mode = ?1, before_blob = NULL, after_blob = NULL,
    after_mode = ${PURGED_AFTER}, seal = ${sealSql('changes', {
      before_mode: '?1',
      before_blob: 'NULL',
      after_mode: PURGED_AFTER,
      after_blob: 'NULL',
    })}
  WHERE path IN (SELECT id FROM heads WHERE path IN ${LISTED})`;

const PURGE_HEADS = `
  UPDATE heads SET mode = ?1, blob = NULL,
    seal = ${sealSql('heads', { mode: '?1', blob: 'NULL' })}
  WHERE path IN ${LISTED}`;

// Blobs that nobody needs stay among git's objects until the scrub: others may be compressed against them.
const MOVE_TO_PACK = `
  WITH ${REACHED}
  UPDATE blobs SET encoding = 'pack', data = NULL
  WHERE encoding = 'git' AND id IN (SELECT id FROM reached)`;

/**
 * See the port. First everything that is still needed is written to places without the purged bytes; then
 * one transaction takes the paths out of the record; then the bytes that nothing names are removed. A crash
 * before the transaction leaves a pack that nothing names, one after it a mark for the next command.
 */
export async function purge(opened: Opened, paths: readonly TrackedPath[]): Promise<void> {
  if (readJournal(opened.connection) !== null) throw unfinished();
  const made = await newBaseline(opened, paths);
  try {
    opened.connection.immediate(() => takeOut(opened, paths, made));
  } catch (error) {
    opened.packs.remove(made?.newPacks ?? []);
    throw error;
  }
  opened.packs.forget();
  await scrub(opened);
}

function takeOut(opened: Opened, paths: readonly TrackedPath[], made: NewBaseline | null): void {
  const { connection } = opened;
  purgeRows(connection, paths);
  markForScrub(connection);
  if (made === null) return;
  storeBlobs(opened, [made.manifest], new Numbers(connection));
  writeBaseline(connection, made.baseline);
  connection.run(MOVE_TO_PACK, '[]');
}

/** Makes every state of these paths unknown, also "absent": that a file was not there is a record too. */
function purgeRows(connection: Connection, paths: readonly TrackedPath[]): void {
  const list = hexList(paths.map(pathToBytes));
  const purged = modeOf(unknown('purged'));
  connection.run(PURGE_CHANGES, purged, list);
  connection.run(PURGE_HEADS, purged, list);
}

function unfinished(): SavepointError {
  return new SavepointError('restore-unfinished', 'a restore is not finished', {
    hint: 'what it left has to be put away first; the next command does that',
  });
}
