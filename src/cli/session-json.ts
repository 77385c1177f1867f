import type { Session } from '../index.ts';

/** A session as programs see it, in every command. */
export function sessionJson(session: Session): object {
  const { id, rootId, agent, archivedAt } = session;
  return {
    id,
    agent,
    rootId,
    state: archivedAt === null ? 'open' : 'archived',
    createdAt: new Date(session.createdAt).toISOString(),
    lastActiveAt: new Date(session.lastActiveAt).toISOString(),
    archivedAt: archivedAt === null ? null : new Date(archivedAt).toISOString(),
  };
}
