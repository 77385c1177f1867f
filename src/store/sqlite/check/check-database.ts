import { SavepointError } from '../../../model/errors.ts';
import { Connection } from '../connection.ts';
import { APPLICATION_ID, MIGRATIONS, migrate } from '../migrations.ts';
import { problem, type StoreProblem } from './problem.ts';

const SCHEMA = `
  SELECT type || ' ' || name || ' ' || coalesce(sql, '') AS text FROM sqlite_schema
  WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name`;

/** SQLite's own look at its file, and whether it is a store of this version at all. */
export function checkDatabase(connection: Connection): StoreProblem[] {
  const identity = checkIdentity(connection);
  if (identity !== null) return [identity];
  return [...checkPages(connection), ...checkSchema(connection), ...checkKeys(connection)];
}

/**
 * Whether it is a store of an older format, which has no seals. Throws `store-too-new` for one of a newer
 * format: nobody here can tell what is right in it. A number that was damaged is neither: the tables are
 * then those of this format.
 */
export function isOlder(connection: Connection): boolean {
  const version = versionOf(connection);
  if (idOf(connection) !== APPLICATION_ID || version === MIGRATIONS.length) return false;
  if (version < MIGRATIONS.length) return hasSchemaOf(connection, version);
  if (hasSchemaOf(connection, MIGRATIONS.length)) return false;
  throw new SavepointError('store-too-new', 'the store was written by a newer Savepoint', {
    hint: 'update Savepoint',
  });
}

function checkIdentity(connection: Connection): StoreProblem | null {
  if (idOf(connection) !== APPLICATION_ID) {
    return problem('database', 'the database is not a Savepoint store');
  }
  const version = versionOf(connection);
  if (version === MIGRATIONS.length) return null;
  return problem('database', `the database says that its format is ${version}, and it is not`);
}

function idOf(connection: Connection): number | undefined {
  return connection.get<{ application_id: number }>('PRAGMA application_id')?.application_id;
}

function versionOf(connection: Connection): number {
  return connection.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0;
}

function checkPages(connection: Connection): StoreProblem[] {
  const rows = connection.all<{ integrity_check: string }>('PRAGMA integrity_check(20)');
  return rows
    .filter(({ integrity_check: text }) => text !== 'ok')
    .map(({ integrity_check: text }) => problem('database', `SQLite says: ${text}`));
}

/** Tables and indices are as this version makes them; a flipped bit can make another column of one. */
function checkSchema(connection: Connection): StoreProblem[] {
  const same = hasSchemaOf(connection, MIGRATIONS.length);
  return same ? [] : [problem('database', 'the definitions of the tables are damaged')];
}

function hasSchemaOf(connection: Connection, version: number): boolean {
  const fresh = Connection.bare(':memory:');
  try {
    migrate(fresh, MIGRATIONS.slice(0, version));
    const expected = fresh.all<{ text: string }>(SCHEMA).map(({ text }) => text);
    const found = connection.all<{ text: string }>(SCHEMA).map(({ text }) => text);
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
