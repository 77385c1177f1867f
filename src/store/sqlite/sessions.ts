import type { Session } from '../../model/session.ts';
import type { Connection } from './connection.ts';

interface SessionRow {
  readonly id: string;
  readonly root_id: string;
  readonly agent: string;
  readonly created_at: number;
  readonly last_active_at: number;
  readonly archived_at: number | null;
}

// An upsert, and not REPLACE: that would delete the row first, and its checkpoints with it.
const PUT = `
  INSERT INTO sessions (id, root_id, agent, created_at, last_active_at, archived_at)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET root_id = excluded.root_id, agent = excluded.agent,
    created_at = excluded.created_at, last_active_at = excluded.last_active_at,
    archived_at = excluded.archived_at`;

export function putSession(connection: Connection, session: Session): void {
  const { id, rootId, agent, createdAt, lastActiveAt, archivedAt } = session;
  connection.run(PUT, id, rootId, agent, createdAt, lastActiveAt, archivedAt);
}

/** Foreign keys take its checkpoints along and free its changes. */
export function removeSession(connection: Connection, id: string): void {
  connection.run('DELETE FROM sessions WHERE id = ?', id);
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
