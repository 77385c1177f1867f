import { SavepointError } from '../../model/errors.ts';
import type { CheckpointId } from '../../model/ids.ts';
import { pathToBytes, type TrackedPath } from '../../model/path.ts';
import { type Connection, hexList, LISTED_BYTES } from './connection.ts';
import type { Opened } from './layout.ts';
import type { SealedTable } from './schema.ts';
import { brokenSeals, sealSql } from './seals.ts';

const LISTED_HEADS = `(SELECT id FROM heads WHERE path IN ${LISTED_BYTES})`;

// An index must lead to every change: a rewind would leave out a change that it does not find. Sums of numbers
// are quick, and need no look at each row.
const PATHS = 'count(*) AS paths, sum(path * 31 + seq) AS path_sum';
const SESSIONS = 'count(session) AS sessions, sum(session * 31 + seq) AS session_sum';

/** See the port. Without paths everything is compared, for whoever is about to write a whole tree. */
export function verify(
  { connection }: Opened,
  paths: readonly TrackedPath[] | null,
  checkpoint: CheckpointId | null,
): void {
  connection.reading(() => {
    const own = paths === null ? verifyAll : verifyPaths;
    own(connection, hexList((paths ?? []).map(pathToBytes)));
    verifyIndices(connection);
    for (const table of ['sessions', 'operations', 'meta'] as const) {
      refuse(table, brokenSeals(connection, table).length > 0);
    }
    if (checkpoint !== null) verifyCheckpoint(connection, checkpoint);
  });
}

function verifyIndices(connection: Connection): void {
  const sums = (sql: string) => connection.get<Record<string, number>>(`SELECT ${sql}`) ?? {};
  const rows = sums(`${PATHS}, ${SESSIONS} FROM changes NOT INDEXED`);
  const found = {
    ...sums(`${PATHS} FROM changes INDEXED BY changes_path`),
    ...sums(
      `${SESSIONS} FROM changes INDEXED BY idx_checkpoints_session WHERE session IS NOT NULL`,
    ),
  };
  const names = ['paths', 'path_sum', 'sessions', 'session_sum'];
  const isSame = (name: string) => rows[name] !== undefined && rows[name] === found[name];
  refuse('changes', !names.every(isSame));
}

function verifyPaths(connection: Connection, list: string): void {
  const changes = `seq IN (SELECT seq FROM changes WHERE path IN ${LISTED_HEADS})`;
  const found: [SealedTable, string][] = [
    ['changes', `path IN ${LISTED_HEADS}`],
    ['heads', `path IN ${LISTED_BYTES}`],
    ['cancellations', changes.replace('seq', 'change_seq')],
  ];
  for (const [table, where] of found) {
    refuse(table, brokenSeals(connection, table, { where, value: list }).length > 0);
  }
}

function verifyAll(connection: Connection): void {
  for (const table of ['changes', 'heads', 'checkpoints', 'cancellations'] as const) {
    const pages = connection.get<{ integrity_check: string }>(`PRAGMA integrity_check(${table})`);
    refuse(table, pages?.integrity_check !== 'ok');
    refuse(table, brokenSeals(connection, table).length > 0);
  }
}

/** An index that leads elsewhere gives the row of another checkpoint. */
function verifyCheckpoint(connection: Connection, id: CheckpointId): void {
  const sql = `SELECT id, seal IS ${sealSql('checkpoints')} AS sealed FROM checkpoints WHERE id = ?`;
  const row = connection.get<{ id: string; sealed: number }>(sql, id);
  refuse('checkpoints', row !== undefined && (row.sealed !== 1 || row.id !== id));
}

function refuse(table: SealedTable, isDamaged: boolean): void {
  if (!isDamaged) return;
  throw new SavepointError('store-corrupt', `${table} of the store are not what was written`, {
    hint: 'nothing was touched; savepoint fsck says what is damaged',
  });
}
