import type { BlobId } from '../../../model/ids.ts';
import { pathToBytes, type TrackedPath } from '../../../model/path.ts';
import { unknown } from '../../../model/state.ts';
import type { Connection } from '../connection.ts';
import { hexList, LISTED_BYTES } from '../parameters.ts';
import { sealSql } from '../seals.ts';
import { bytesToHash, modeOf } from '../state-columns.ts';

const LISTED_HEADS = `(SELECT id FROM heads WHERE path IN ${LISTED_BYTES})`;

const PURGED_AFTER = 'CASE WHEN after_mode IS NULL THEN NULL ELSE ?1 END';

// An open change stays open: whoever opened it will close it with what is there then.
const PURGE_CHANGES = `
  UPDATE changes SET before_mode = ?1, before_blob = NULL, after_blob = NULL,
    after_mode = ${PURGED_AFTER}, seal = ${sealSql('changes', {
      before_mode: '?1',
      before_blob: 'NULL',
      after_mode: PURGED_AFTER,
      after_blob: 'NULL',
    })}
  WHERE path IN ${LISTED_HEADS.replace('?', '?2')}`;

const PURGE_HEADS = `
  UPDATE heads SET mode = ?1, blob = NULL,
    seal = ${sealSql('heads', { mode: '?1', blob: 'NULL' })}
  WHERE path IN ${LISTED_BYTES.replace('?', '?2')}`;

const NAMED_BY_OTHERS = `
  SELECT hash FROM blobs WHERE id IN (
    SELECT blob FROM heads WHERE id NOT IN ${LISTED_HEADS.replace('?', '?1')}
    UNION SELECT before_blob FROM changes WHERE path NOT IN ${LISTED_HEADS.replace('?', '?1')}
    UNION SELECT after_blob FROM changes WHERE path NOT IN ${LISTED_HEADS.replace('?', '?1')}
  )`;

/** The states of these paths become unknown everywhere, also where nothing was: that is a record too. */
export function purgeRows(connection: Connection, paths: readonly TrackedPath[]): void {
  const list = hexList(paths.map(pathToBytes));
  const purged = modeOf(unknown('purged'));
  connection.run(PURGE_CHANGES, purged, list);
  connection.run(PURGE_HEADS, purged, list);
}

/** Blobs that changes and heads of other paths name. */
export function namedByOthers(
  connection: Connection,
  paths: readonly TrackedPath[],
): ReadonlySet<BlobId> {
  const list = hexList(paths.map(pathToBytes));
  const rows = connection.all<{ hash: Uint8Array }>(NAMED_BY_OTHERS, list);
  return new Set(rows.map(({ hash }) => bytesToHash(hash)));
}
