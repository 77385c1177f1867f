import type { CheckpointId } from '../../model/ids.ts';
import type { Window } from '../../model/window.ts';
import type { Connection } from './connection.ts';
import { excluded, newSealSql, sealSql } from './seals.ts';

interface WindowRow {
  readonly opened: number;
  readonly id: string;
  readonly session_id: string;
  readonly checkpoint_id: string;
  readonly tool_call_id: string | null;
  readonly owner: string | null;
  readonly description: string;
  readonly closed: number | null;
  readonly created_at: number;
}

const PUT = `
  INSERT INTO windows
    (opened, id, session_id, checkpoint_id, tool_call_id, owner, description, closed, created_at, seal)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ${newSealSql('windows')})
  ON CONFLICT (id) DO UPDATE SET session_id = excluded.session_id,
    checkpoint_id = excluded.checkpoint_id, tool_call_id = excluded.tool_call_id,
    owner = excluded.owner, description = excluded.description, closed = excluded.closed,
    created_at = excluded.created_at,
    seal = ${sealSql('windows', { ...excluded('windows'), opened: 'windows.opened' })}`;

export function putWindow(connection: Connection, window: Window): void {
  connection.run(
    PUT,
    window.opened,
    window.id,
    window.sessionId,
    window.checkpointId,
    window.toolCallId,
    window.owner,
    window.description,
    window.closed,
    window.createdAt,
  );
}

export function removeWindow(connection: Connection, id: string): void {
  connection.run('DELETE FROM windows WHERE id = ?', id);
}

export function findWindow(connection: Connection, id: string): Window | null {
  const row = connection.get<WindowRow>('SELECT * FROM windows WHERE id = ?', id);
  return row === undefined ? null : toWindow(row);
}

export function listWindows(connection: Connection): readonly Window[] {
  return connection.all<WindowRow>('SELECT * FROM windows ORDER BY opened').map(toWindow);
}

function toWindow(row: WindowRow): Window {
  return {
    id: row.id,
    sessionId: row.session_id,
    checkpointId: row.checkpoint_id as CheckpointId,
    toolCallId: row.tool_call_id,
    owner: row.owner,
    description: row.description,
    opened: row.opened,
    closed: row.closed,
    createdAt: row.created_at,
  };
}
