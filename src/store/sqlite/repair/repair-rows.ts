import { existsSync, statSync } from 'node:fs';
import { ATTRIBUTIONS, CHANGE_ORIGINS } from '../../../model/change.ts';
import type { Seq } from '../../../model/ids.ts';
import { unknown } from '../../../model/state.ts';
import { modeOf } from '../../state-columns.ts';
import {
  type Chain,
  endOf,
  floorOf,
  isHeadRight,
  isJoined,
  type Link,
  NEWEST,
  readChains,
  SEALED_TABLES,
  STRANGERS,
} from '../check/check-rows.ts';
import type { Connection } from '../connection.ts';
import type { Layout, Opened } from '../layout.ts';
import { writeBaseline, writeMeta } from '../meta.ts';
import { ROW_KEYS, type SealedTable } from '../schema.ts';
import { type BrokenSeal, brokenSeals, sealSql } from '../seals.ts';
import { isSealed, type Row } from './copy-rows.ts';
import { type LostChanges, mayMiss } from './lost-changes.ts';
import type { SetAside } from './repair-store.ts';

const DAMAGED = String(modeOf(unknown('damaged')));

/** Makes the states that a condition selects unknown. A change that is open stays open. */
export function makeUnknown(
  connection: Connection,
  side: 'before' | 'after' | 'head',
  where: string,
  ...values: readonly number[]
): void {
  const [table, mode, blob] =
    side === 'head'
      ? (['heads', 'mode', 'blob'] as const)
      : (['changes', `${side}_mode`, `${side}_blob`] as const);
  const seal = sealSql(table, { [mode]: DAMAGED, [blob]: 'NULL' });
  connection.run(
    `UPDATE ${table} SET ${mode} = ${DAMAGED}, ${blob} = NULL, seal = ${seal}
     WHERE ${mode} IS NOT NULL AND (${where})`,
    ...values,
  );
}

/** Takes out the rows that are not what was written, or makes unknown what they said. */
export function repairRows(opened: Opened, aside: SetAside): void {
  const { connection } = opened;
  for (const table of SEALED_TABLES) {
    for (const broken of brokenSeals(connection, table)) {
      aside.rows += 1;
      repairRow(connection, broken);
    }
  }
  restoreEntries(connection, opened.layout);
}

/** Makes the two entries anew that a store cannot be without. Nothing may be written over other arrivals. */
export function restoreEntries(connection: Connection, layout: Layout): void {
  const newest = connection.get<{ seq: Seq | null }>(NEWEST)?.seq ?? 0;
  const seq = entryOf(connection, 'seq');
  if (typeof seq !== 'number' || seq < newest) writeMeta(connection, 'seq', newest);
  if (typeof entryOf(connection, 'arrivals') !== 'number') {
    const end = existsSync(layout.arrivals) ? statSync(layout.arrivals).size : 0;
    writeMeta(connection, 'arrivals', end);
  }
}

/** Any column may be the damaged one. JSON that cannot be parsed would fail every query of the row. */
const WITHOUT_OWNER = `
  UPDATE changes SET owner = NULL, co_authors = NULL,
    origin = ${wordOr(CHANGE_ORIGINS, 'origin', 'outside')},
    attribution = ${wordOr(ATTRIBUTIONS, 'attribution', 'shared')}
  WHERE seq = ?`;

/** The column as it is, where it stands for a word; otherwise this word. */
function wordOr(words: readonly string[], column: string, word: string): string {
  const isWord = `typeof(${column}) = 'integer' AND ${column} < ${words.length}`;
  return `CASE WHEN ${isWord} THEN ${column} ELSE ${words.indexOf(word)} END`;
}

function repairRow(connection: Connection, { table, key, keys }: BrokenSeal): void {
  const where = ROW_KEYS[table].map((name) => `${name} = ?`).join(' AND ');
  if (table === 'sessions' || table === 'blobs') {
    // Other rows still name it by its number or id. The bytes of a blob are compared with its hash.
    reseal(connection, table, where, keys);
  } else if (table === 'executions') {
    // Without the execution, its steps would run once more. Whoever held it must take it again.
    const known = 'owner = NULL, lease_until = NULL, root = NULL, accepted = NULL';
    connection.run(`UPDATE executions SET ${known} WHERE ${where}`, ...keys);
    reseal(connection, table, where, keys);
  } else if (table === 'changes') {
    connection.run(WITHOUT_OWNER, Number(key));
    for (const side of ['before', 'after'] as const) {
      makeUnknown(connection, side, 'seq = ?', Number(key));
    }
  } else if (table === 'heads') repairHead(connection, Number(key));
  else connection.run(`DELETE FROM ${table} WHERE ${where}`, ...keys);
}

function reseal(
  connection: Connection,
  table: SealedTable,
  where: string,
  keys: BrokenSeal['keys'],
): void {
  connection.run(`UPDATE ${table} SET seal = ${sealSql(table)} WHERE ${where}`, ...keys);
}

function entryOf(connection: Connection, key: string): unknown {
  return connection.get<{ value: unknown }>('SELECT value FROM meta WHERE key = ?', key)?.value;
}

const LAST = `
  SELECT path, seq, before_mode, before_blob, after_mode, after_blob FROM changes
  WHERE path = ? ORDER BY seq DESC LIMIT 1`;

/** A last known state is that of the last change, if its seal says so. Otherwise its path is unknown. */
function repairHead(connection: Connection, id: number): void {
  const head = connection.get<Row>('SELECT * FROM heads WHERE id = ?', id);
  const last = connection.get<Link>(LAST, id);
  if (head !== undefined && last !== undefined && isSealed('heads', { ...head, ...endOf(last) })) {
    const { seq, open, mode, blob } = endOf(last);
    const sql = 'UPDATE heads SET seq = ?, open = ?, mode = ?, blob = ? WHERE id = ?';
    connection.run(sql, seq, open, mode, blob, id);
    return;
  }
  makeUnknown(connection, 'head', 'id = ?', id);
  for (const side of ['before', 'after'] as const) makeUnknown(connection, side, 'path = ?', id);
  // The name may be wrong: then another path has lost its last known state, and nobody knows which.
  dropBaseline(connection);
}

/**
 * Where a path may have lost its last known state, the first scan must not speak for it: an old state would
 * be taken for the last one. Without a baseline everything is unknown until the next scan.
 */
export function dropBaseline(connection: Connection): void {
  writeBaseline(connection, null);
}

/** Rows that name other rows which are lost. */
const DANGLING: readonly (readonly [table: string, where: string])[] = [
  ['changes', 'path NOT IN (SELECT id FROM heads)'],
  ['checkpoints', 'session_id IS NOT NULL AND session_id NOT IN (SELECT id FROM sessions)'],
  ['windows', 'session_id NOT IN (SELECT id FROM sessions)'],
  // Or they would belong to the next execution that gets the number.
  ['steps', 'execution NOT IN (SELECT num FROM executions)'],
  [
    'cancellations',
    'by_seq NOT IN (SELECT seq FROM changes) OR change_seq NOT IN (SELECT seq FROM changes)',
  ],
];

const WITHOUT_SESSION = `
  session IS NOT NULL AND session NOT IN (SELECT num FROM sessions)
    OR seq IN (${STRANGERS})`;

/**
 * Takes out rows that name lost ones, and makes unknown what the changes of a path contradict each other in,
 * or what lost changes have left without a witness.
 */
export function repairChains(connection: Connection, aside: SetAside, lost: LostChanges): void {
  for (const [table, where] of DANGLING) {
    const removed = connection.run(`DELETE FROM ${table} WHERE ${where}`);
    aside.rows += removed;
    if (table === 'changes' && removed > 0) dropBaseline(connection);
  }
  // What a change did to its path is still known when its session is not.
  const seal = sealSql('changes', { session: 'NULL' });
  aside.rows += connection.run(
    `UPDATE changes SET session = NULL, seal = ${seal} WHERE ${WITHOUT_SESSION}`,
  );
  const floor = floorOf(connection);
  for (const chain of readChains(connection)) mendJoints(connection, chain, floor, lost);
  for (const chain of readChains(connection)) {
    if (isHeadRight(chain, floor)) continue;
    const last = chain.links.at(-1);
    if (last !== undefined) {
      const { seq, open } = endOf(last);
      makeUnknown(connection, open === 1 ? 'before' : 'after', 'seq = ?', seq);
      connection.run('UPDATE heads SET seq = ?, open = ? WHERE id = ?', seq, open, chain.head.id);
    }
    makeUnknown(connection, 'head', 'id = ?', chain.head.id);
  }
}

/**
 * The state before a change is unknown where the change does not begin where the one before it ended, and
 * where one between them may be lost.
 */
function mendJoints(
  connection: Connection,
  { head, links }: Chain,
  floor: Seq,
  lost: LostChanges,
): void {
  links.forEach((link, at) => {
    const before = links[at - 1];
    // Nothing is restored to a time below the floor.
    const since = Math.max(before?.seq ?? 0, floor);
    const isWhole = !mayMiss(lost, head.id, [since, link.seq]);
    if (isWhole && isJoined(before, link, floor)) return;
    if (before !== undefined) makeUnknown(connection, 'after', 'seq = ?', before.seq);
    makeUnknown(connection, 'before', 'seq = ?', link.seq);
  });
}
