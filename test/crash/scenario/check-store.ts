import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Savepoint } from '../../../src/index.ts';
import { type Place, storeOf } from './place.ts';

/** Problems found by a check; empty when all is well. */
export type Problems = string[];

/** The database is whole, and no row points to what is not there. */
export function checkDatabase(place: Place): Problems {
  const database = new DatabaseSync(join(storeOf(place), 'store.db'), { readOnly: true });
  try {
    const integrity = database.prepare('PRAGMA integrity_check').all();
    const keys = database.prepare('PRAGMA foreign_key_check').all();
    const found = JSON.stringify(integrity);
    return [
      ...(found === '[{"integrity_check":"ok"}]' ? [] : [`integrity: ${found}`]),
      ...(keys.length === 0 ? [] : [`foreign keys: ${JSON.stringify(keys)}`]),
    ];
  } finally {
    database.close();
  }
}

/** Every blob that the timeline names can be read back; the store compares it with its hash. */
export async function checkBlobs(savepoint: Savepoint): Promise<Problems> {
  const problems: Problems = [];
  for (const { path, before, after } of await savepoint.changes({})) {
    for (const state of [before, after]) {
      if (state?.kind !== 'captured' || state.blob === null) continue;
      await savepoint.readBlob(state.blob).catch((error: Error) => {
        problems.push(`bytes of ${path}: ${error.message}`);
      });
    }
  }
  return problems;
}

// The log of a store in the making may be left where it cannot be removed; nobody reads it.
const PARTS = /^(store\.db(\.new)?-(wal|shm|journal)|store\.db|lock\.db|blobs|arrivals)$/;

/** After a clean-up there is no file in the store that nothing names. */
export async function checkLeftovers(place: Place, savepoint: Savepoint): Promise<Problems> {
  await savepoint.cleanup({}, 0);
  const database = new DatabaseSync(join(storeOf(place), 'store.db'), { readOnly: true });
  try {
    const rows = database.prepare('SELECT lower(hex(hash)) AS hash FROM blobs WHERE data IS NULL');
    const named = new Set(rows.all().map((row) => String(row.hash)));
    const orphans = readdirSync(join(storeOf(place), 'blobs'), {
      withFileTypes: true,
      recursive: true,
    })
      .filter((entry) => entry.isFile() && !named.has(entry.name.replace(/\.zst$/, '')))
      .map((entry) => entry.name);
    const strangers = readdirSync(storeOf(place)).filter((name) => !PARTS.test(name));
    return [...orphans, ...strangers].map((name) => `left in the store: ${name}`);
  } finally {
    database.close();
  }
}
