import type { Session } from '../../model/session.ts';
import type { Connection } from './connection.ts';
import { newSealSql, sealSql } from './seals.ts';

interface SessionRow {
  readonly id: string;
  readonly root_id: string;
  readonly agent: string;
  readonly created_at: number;
  readonly last_active_at: number;
  readonly archived_at: number | null;
}

// Not REPLACE: that would delete the row first, and its checkpoints with it.
const UPDATE = `
  UPDATE sessions SET root_id = ?2, agent = ?3, created_at = ?4, last_active_at = ?5,
    archived_at = ?6, seal = ${newSealSql('sessions')}
  WHERE id = ?1`;

// A number that changes name is never given to another session, even where somebody deleted the row
// without foreign keys, which is how the sqlite3 shell starts.
const INSERT = `
  INSERT INTO sessions (id, root_id, agent, created_at, last_active_at, archived_at, seal, num)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ${newSealSql('sessions')}, 1 + max(
    coalesce((SELECT max(num) FROM sessions), 0), coalesce((SELECT max(session) FROM changes), 0)))`;

export function putSession(connection: Connection, session: Session): void {
  const { id, rootId, agent, createdAt, lastActiveAt, archivedAt } = session;
  const values = [id, rootId, agent, createdAt, lastActiveAt, archivedAt] as const;
  if (connection.run(UPDATE, ...values) === 0) connection.run(INSERT, ...values);
}

// Foreign keys would do it too, but they know nothing of seals.
const FREE_CHANGES = `
  UPDATE changes SET session = NULL, seal = ${sealSql('changes', { session: 'NULL' })}
  WHERE session = ?`;

/** Foreign keys take its checkpoints along. */
export function removeSession(connection: Connection, id: string): void {
  connection.run(FREE_CHANGES, sessionNumber(connection, id));
  connection.run('DELETE FROM sessions WHERE id = ?', id);
}

const NO_SESSION = -1;

/** By which changes name it. That of one that is not there is refused by the foreign key. */
export function sessionNumber(connection: Connection, id: string): number {
  const sql = 'SELECT num FROM sessions WHERE id = ?';
  return connection.get<{ num: number }>(sql, id)?.num ?? NO_SESSION;
}

export function findSession(connection: Connection, id: string): Session | null {
  const row = connection.get<SessionRow>('SELECT * FROM sessions WHERE id = ?', id);
  return row === undefined ? null : toSession(row);
}

export function listSessions(connection: Connection): readonly Session[] {
  const sql = 'SELECT * FROM sessions ORDER BY last_active_at DESC, id';
  return connection.all<SessionRow>(sql).map(toSession);
}

function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    rootId: row.root_id,
    agent: row.agent,
    createdAt: row.created_at,
    lastActiveAt: row.last_active_at,
    archivedAt: row.archived_at,
  };
}
