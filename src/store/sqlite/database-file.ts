import { statSync } from 'node:fs';
import { SavepointError } from '../../model/errors.ts';

/** Which file is under the name of a database; null where there is none. */
export function databaseFile(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.dev}:${stats.ino}`;
}

/**
 * For who keeps repairs away: one may have put another database in the place of the one that was
 * opened. What is committed to that one nobody ever finds again.
 */
export function requireSameFile(path: string, opened: string | null): void {
  if (databaseFile(path) === opened) return;
  throw new SavepointError('store-closed', 'the store was replaced while it was open', {
    path,
    hint: 'nothing was recorded; open it again',
  });
}
