import { closeSync, copyFileSync, existsSync, openSync, rmSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isSavepointError } from '../../../model/errors.ts';
import { requireFormat } from '../check/check-database.ts';
import { healedHeader } from '../check/header.ts';
import { Connection } from '../connection.ts';
import { isOutside } from '../failures.ts';

/**
 * Lets `read` look into a damaged database: through a copy where its header has to be healed first, since
 * the original is kept as it is. Not called where nothing can be opened.
 */
export function withSource(database: string, read: (source: DatabaseSync) => void): void {
  // A name that a purge knows, should we die before it is removed.
  const copy = `${database}.new.healed`;
  removeAll(copy);
  try {
    const source = openSource(healedCopy(database, copy) ? copy : database);
    if (source === null) return;
    try {
      read(source);
    } finally {
      source.close();
    }
  } finally {
    removeAll(copy);
  }
}

/** Whether a copy was needed. */
function healedCopy(database: string, copy: string): boolean {
  const healed = existsSync(database) ? healedHeader(database) : null;
  if (healed === null) return false;
  copyFileSync(database, copy);
  // The newest commits lie there.
  if (existsSync(`${database}-wal`)) copyFileSync(`${database}-wal`, `${copy}-wal`);
  const file = openSync(copy, 'r+');
  try {
    writeSync(file, healed, 0, healed.length, 0);
  } finally {
    closeSync(file);
  }
  refuseOtherFormat(copy);
  return true;
}

/** With its header damaged, nobody could tell before that it has another format. */
function refuseOtherFormat(copy: string): void {
  let connection: Connection | undefined;
  try {
    connection = new Connection(copy);
    requireFormat(connection);
  } catch (error) {
    if (isSavepointError(error, 'store-too-new') || isOutside(error)) throw error;
  } finally {
    connection?.close();
  }
}

function openSource(file: string): DatabaseSync | null {
  if (!existsSync(file)) return null;
  try {
    return new DatabaseSync(file, { readOnly: true });
  } catch (error) {
    if (isOutside(error)) throw error;
    return null;
  }
}

function removeAll(copy: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(copy + suffix, { force: true });
}
