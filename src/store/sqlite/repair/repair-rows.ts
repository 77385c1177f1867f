import { existsSync, statSync } from 'node:fs';
import { isPackName } from '../../pack-name.ts';
import { type BrokenSeal, brokenSeals } from '../broken-seals.ts';
import { readManifest } from '../check/check-baseline.ts';
import { NEWEST } from '../check/check-chains.ts';
import { SEALED_TABLES } from '../check/check-seals.ts';
import { readBaseline, writeMeta } from '../meta.ts';
import type { Opened } from '../opened.ts';
import { ROW_KEYS, type SealedTable } from '../schema.ts';
import { repairHead } from './repair-heads.ts';
import type { SetAside } from './set-aside.ts';
import { seal, silenceSide } from './silence.ts';

/** Rows that are not what was written: set aside, and then taken out, or made to say nothing. */
export function repairRows(opened: Opened, aside: SetAside): void {
  const { connection } = opened;
  for (const table of SEALED_TABLES) {
    for (const broken of brokenSeals(connection, table)) {
      const row = connection.get(`SELECT * FROM ${table} WHERE ${whereOf(table)}`, ...broken.keys);
      aside.row(table, row);
      settle(opened, broken, aside);
    }
  }
  repairMeta(opened);
}

function settle(opened: Opened, { table, key, keys }: BrokenSeal, aside: SetAside): void {
  const { connection } = opened;
  // What a session or a content is called by is still what others call it by; the rest is looked at anew.
  if (table === 'sessions' || table === 'blobs') {
    seal(connection, table, 'id', key);
  } else if (table === 'executions') {
    // Without it its steps would be nobody's, and be run once more. Whoever held it has to take it again.
    connection.run('UPDATE executions SET owner = NULL, lease_until = NULL WHERE num = ?', key);
    seal(connection, table, 'num', key);
  } else if (table === 'heads') repairHead(opened, Number(key), aside);
  else if (table === 'changes') {
    for (const side of ['before', 'after'] as const) {
      silenceSide(connection, side, 'seq', Number(key));
    }
  } else if (key === 'baseline' && isUsableBaseline(opened)) {
    seal(connection, 'meta', 'key', key);
  } else connection.run(`DELETE FROM ${table} WHERE ${whereOf(table)}`, ...keys);
}

function whereOf(table: SealedTable): string {
  return ROW_KEYS[table].map((key) => `${key} = ?`).join(' AND ');
}

/** What the row of the first scan says shows in the list that it names by its hash. */
function isUsableBaseline(opened: Opened): boolean {
  if (readManifest(opened) === null) return false;
  const { seq, packs } = readBaseline(opened.connection) ?? { seq: -1, packs: [] };
  return Number.isSafeInteger(seq) && seq >= 0 && Array.isArray(packs) && packs.every(isPackName);
}

/** What a store cannot be without. A project that is not known is bound anew; so is a baseline. */
function repairMeta({ connection, layout }: Opened): void {
  const newest = connection.get<{ seq: number | null }>(NEWEST)?.seq ?? 0;
  const said = connection.get<{ value: unknown }>(
    "SELECT value FROM meta WHERE key = 'seq'",
  )?.value;
  if (typeof said !== 'number' || said < newest) writeMeta(connection, 'seq', newest);
  const size = existsSync(layout.arrivals) ? statSync(layout.arrivals).size : 0;
  if (connection.get("SELECT 1 FROM meta WHERE key = 'arrivals'") === undefined) {
    writeMeta(connection, 'arrivals', size);
  }
  for (const key of ['project', 'baseline']) {
    const row = connection.get<{ value: unknown }>('SELECT value FROM meta WHERE key = ?', key);
    if (row !== undefined && !isJson(row.value))
      connection.run('DELETE FROM meta WHERE key = ?', key);
  }
}

function isJson(value: unknown): boolean {
  try {
    return typeof value === 'string' && typeof JSON.parse(value) === 'object';
  } catch {
    return false;
  }
}
