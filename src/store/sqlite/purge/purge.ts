import { SavepointError } from '../../../model/errors.ts';
import type { TrackedPath } from '../../../model/path.ts';
import { readJournal, writeBaseline } from '../meta.ts';
import { Numbers } from '../numbers.ts';
import type { Opened } from '../opened.ts';
import { REACHED } from '../prune.ts';
import { storeBlobs } from '../put-blob.ts';
import { type NewBaseline, newBaseline, removePacks } from './new-baseline.ts';
import { purgeRows } from './purge-rows.ts';
import { markForScrub, scrub } from './scrub.ts';

// What nobody needs any more stays where it is until the scrub: others may still lean on it.
const MOVE_TO_PACK = `
  WITH ${REACHED}
  UPDATE blobs SET encoding = 'pack', data = NULL
  WHERE encoding = 'git' AND id IN (SELECT id FROM reached)`;

/**
 * See the port. First everything that is still needed is written where nothing of the paths is; then one
 * transaction takes them out of the record; then what nobody names any more is removed for good. A crash
 * before the transaction leaves a pack that nobody names, one after it a mark for the next start.
 */
export async function purge(opened: Opened, paths: readonly TrackedPath[]): Promise<void> {
  if (readJournal(opened.connection) !== null) throw unfinished();
  const made = await newBaseline(opened, paths);
  try {
    opened.connection.immediate(() => takeOut(opened, paths, made));
  } catch (error) {
    removePacks(opened, made?.newPacks ?? []);
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

function unfinished(): SavepointError {
  return new SavepointError('restore-unfinished', 'a restore is not finished', {
    hint: 'what it left has to be put away first; the next command does that',
  });
}
