import type { PartId } from '../../../model/ids.ts';
import { damagedDocuments, isLost, partsOf } from '../check/check-parts.ts';
import type { Connection } from '../connection.ts';
import { writeMeta } from '../meta.ts';
import { sealSql } from '../seals.ts';
import type { SetAside } from './set-aside.ts';

/**
 * Parts that are damaged, or hold one that is, are set aside. A document without its first part goes with
 * it; a step stays, and has no state. One without its result has none either: that alone would say that
 * nothing was returned.
 */
export function repairParts(connection: Connection, aside: SetAside): void {
  const names = new Map<number, PartId>();
  const lost = [...partsOf(connection, names)].filter(({ isWhole }) => !isWhole);
  for (const { id } of lost) {
    aside.row('parts', connection.get('SELECT * FROM parts WHERE id = ?', id));
    connection.run('DELETE FROM parts WHERE id = ?', id);
  }
  // Rows may have gone before, too, and other processes remember their numbers.
  writeMeta(connection, 'parts', Date.now());
  for (const row of connection.all(`SELECT * FROM documents WHERE ${isLost('part')}`)) {
    aside.row('documents', row);
  }
  connection.run(`DELETE FROM documents WHERE ${isLost('part')}`);
  for (const row of damagedDocuments(connection, names)) {
    aside.row('documents', row);
    connection.run('DELETE FROM documents WHERE num = ?', row.num);
  }
  for (const lost of ['root', 'result']) {
    const where = isLost(lost);
    for (const row of connection.all(`SELECT * FROM steps WHERE ${where}`)) aside.row('steps', row);
    const seal = sealSql('steps', { root: 'NULL', [lost]: 'NULL' });
    connection.run(`UPDATE steps SET root = NULL, ${lost} = NULL, seal = ${seal} WHERE ${where}`);
  }
}
