import type { Cancellation } from '../../model/change.ts';
import type { Seq } from '../../model/ids.ts';
import type { Connection } from './connection.ts';
import { LISTED_NUMBERS } from './parameters.ts';
import { newSealSql } from './seals.ts';

const INSERT = `
  INSERT OR IGNORE INTO cancellations (change_seq, by_seq, seal)
  VALUES (?1, ?2, ${newSealSql('cancellations')})`;

const LIST = `
  SELECT by_seq AS "by", change_seq AS change FROM cancellations
  WHERE change_seq IN ${LISTED_NUMBERS} ORDER BY by_seq, change_seq`;

export function insertCancellation(connection: Connection, { by, change }: Cancellation): void {
  connection.run(INSERT, change, by);
}

export function listCancellations(
  connection: Connection,
  changes: readonly Seq[],
): readonly Cancellation[] {
  const rows = connection.all<Cancellation>(LIST, JSON.stringify(changes));
  return rows.map(({ by, change }) => ({ by, change }));
}
