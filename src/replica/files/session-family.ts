import type { Savepoint } from '../../index.ts';

/** The sessions of a conversation: those that it was forked from, and its other branches. */
export async function sessionFamily(savepoint: Savepoint, sessionId: string): Promise<string[]> {
  const sessions = await savepoint.sessions();
  const root = sessions.find(({ id }) => id === sessionId)?.rootId;
  return sessions.filter(({ rootId }) => rootId === root).map(({ id }) => id);
}
