import type { Connection } from '../connection.ts';
import { writeBaseline } from '../meta.ts';
import type { SetAside } from './set-aside.ts';

/**
 * Where a path may have lost its last known state, the first scan must not speak for it: what it found there
 * would be taken for what is there now. Without one everything is unknown until the next scan.
 */
export function dropBaseline(connection: Connection, aside: SetAside): void {
  const row = connection.get("SELECT * FROM meta WHERE key = 'baseline'");
  if (row === undefined) return;
  aside.row('meta', row);
  writeBaseline(connection, null);
}
