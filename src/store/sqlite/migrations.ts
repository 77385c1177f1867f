import { SavepointError } from '../../model/errors.ts';
import type { Connection } from './connection.ts';
import { DESIGN_TABLES } from './schema/design-tables.ts';
import { DOCUMENT_CHILDREN } from './schema/document-children.ts';
import { EXECUTION_TABLES } from './schema/execution-tables.ts';
import { LEANER_CHANGES } from './schema/leaner-changes.ts';
import { NUMBERED_ROWS } from './schema/numbered-rows.ts';
import { ROW_SEALS } from './schema/row-seals.ts';
import { SCAN_TABLES } from './schema/scan-tables.ts';
import { SEED_VIEW } from './schema/seed-view.ts';

/** "SAVP", so that `file` and we can tell a store from any other database. */
export const APPLICATION_ID = 0x53415650;

/** Each step once and in this order. A step that was released is never edited; a new one follows. */
export const MIGRATIONS: readonly string[] = [
  DESIGN_TABLES,
  SEED_VIEW,
  SCAN_TABLES,
  LEANER_CHANGES,
  NUMBERED_ROWS,
  ROW_SEALS,
  EXECUTION_TABLES,
  DOCUMENT_CHILDREN,
];

/** Brings a database to the newest form. Other processes may do the same at the same moment. */
export function migrate(connection: Connection, migrations: readonly string[] = MIGRATIONS): void {
  for (let version = versionOf(connection); version < migrations.length; version += 1) {
    connection.immediate(() => {
      // Somebody else may have taken this step while we waited for the transaction.
      if (versionOf(connection) !== version) return;
      connection.exec(migrations[version] as string);
      connection.exec(`PRAGMA user_version = ${version + 1}`);
    });
  }
}

/** Refuses what is not a store, or is one from the future. */
export function requireReadable(connection: Connection, file: string): void {
  const found = connection.get<{ application_id: number }>('PRAGMA application_id');
  if (found?.application_id !== APPLICATION_ID) {
    throw new SavepointError('store-corrupt', 'the database is not a Savepoint store', {
      path: file,
      hint: 'move the file away; a new store is made at the next start',
    });
  }
  if (versionOf(connection) > MIGRATIONS.length) {
    throw new SavepointError('store-too-new', 'the store was written by a newer Savepoint', {
      path: file,
      hint: 'update Savepoint',
    });
  }
}

function versionOf(connection: Connection): number {
  return connection.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0;
}
