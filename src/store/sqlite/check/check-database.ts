import { Connection } from '../connection.ts';
import { formatOf, otherFormat } from '../open-database.ts';
import { APPLICATION_ID, FORMAT, SCHEMA } from '../schema.ts';
import { problem, type StoreProblem } from './problem.ts';

const DEFINITIONS = `
  SELECT type || ' ' || name || ' ' || coalesce(sql, '') AS text FROM sqlite_schema
  WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name`;

/** SQLite's own look at its file, and whether it is a store of this version at all. */
export function checkDatabase(connection: Connection): StoreProblem[] {
  const identity = checkIdentity(connection);
  if (identity !== null) return [identity];
  return [...checkPages(connection), ...checkSchema(connection), ...checkKeys(connection)];
}

/**
 * Throws `store-too-new` for a store of another format: nobody here can tell what is right in it. Where only the
 * number was damaged, the tables are still those of this format.
 */
export function requireFormat(connection: Connection): void {
  const format = formatOf(connection);
  if (idOf(connection) !== APPLICATION_ID || format === FORMAT || hasSchema(connection)) return;
  throw otherFormat(format);
}

function checkIdentity(connection: Connection): StoreProblem | null {
  if (idOf(connection) !== APPLICATION_ID) {
    return problem('database', 'the database is not a Savepoint store');
  }
  const format = formatOf(connection);
  if (format === FORMAT) return null;
  return problem('database', `the database says that its format is ${format}, and it is not`);
}

function idOf(connection: Connection): number | undefined {
  return connection.get<{ application_id: number }>('PRAGMA application_id')?.application_id;
}

function checkPages(connection: Connection): StoreProblem[] {
  const rows = connection.all<{ integrity_check: string }>('PRAGMA integrity_check(20)');
  return rows
    .filter(({ integrity_check: text }) => text !== 'ok')
    .map(({ integrity_check: text }) => problem('database', `SQLite says: ${text}`));
}

/** Tables and indices are as this version makes them; a flipped bit can make another column of one. */
function checkSchema(connection: Connection): StoreProblem[] {
  const same = hasSchema(connection);
  return same ? [] : [problem('database', 'the definitions of the tables are damaged')];
}

function hasSchema(connection: Connection): boolean {
  const fresh = Connection.bare(':memory:');
  try {
    fresh.exec(SCHEMA);
    const expected = fresh.all<{ text: string }>(DEFINITIONS).map(({ text }) => text);
    const found = connection.all<{ text: string }>(DEFINITIONS).map(({ text }) => text);
    return expected.length === found.length && expected.every((text, at) => text === found[at]);
  } finally {
    fresh.close();
  }
}

function checkKeys(connection: Connection): StoreProblem[] {
  const rows = connection.all<{ table: string; parent: string }>('PRAGMA foreign_key_check');
  const kinds = new Set(
    rows.map(({ table, parent }) => `${table} name ${parent} that are not there`),
  );
  return [...kinds].map((text) => problem('chain', `rows of ${text}`));
}
