import type { Session } from '../../model/session.ts';
import type { Connection } from './connection.ts';
import { type Numbers, sessionNumber } from './numbers.ts';
import { sessions } from './schema.ts';
import { sealSql } from './seals.ts';

/** Mostly it is there. An INSERT that meets one there would use up a number each time. */
export function putSession(numbers: Numbers, session: Session): void {
  if (!sessions.update(numbers, session)) sessions.insert(numbers, session);
}

// Foreign keys would do it too, but they know nothing of seals.
const FREE_CHANGES = `
  UPDATE changes SET session = NULL, seal = ${sealSql('changes', { session: 'NULL' })}
  WHERE session = ?`;

/** Foreign keys take its checkpoints, windows and executions along. */
export function removeSession(connection: Connection, id: string): void {
  connection.run(FREE_CHANGES, sessionNumber(connection, id));
  sessions.remove(connection, id);
}
