import type { Session } from '../model/session.ts';
import type { Store } from '../store/store.ts';

/** A session with what is on record of it. */
export interface SessionSummary extends Session {
  readonly checkpoints: number;
  /** How many different paths it changed. */
  readonly files: number;
}

/** Most recently active first. */
export async function summarizeSessions(
  store: Store,
  sessions: readonly Session[],
): Promise<SessionSummary[]> {
  const sessionIds = sessions.map(({ id }) => id);
  const checkpoints = countBy(await store.checkpoints({ sessionIds }), ({ id }) => id);
  const files = countBy(await store.changes({ sessionIds }), ({ path }) => path);
  return sessions.map((session) => ({
    ...session,
    checkpoints: checkpoints.get(session.id) ?? 0,
    files: files.get(session.id) ?? 0,
  }));
}

/** How many different ones each session has. */
function countBy<Row extends { readonly sessionId: string | null }>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): Map<string | null, number> {
  const groups = Map.groupBy(rows, ({ sessionId }) => sessionId);
  return new Map([...groups].map(([id, group]) => [id, new Set(group.map(keyOf)).size]));
}
