import type { Session } from '../index.ts';

/** A session as programs see it. */
export function sessionJson({ id, rootId, agent, createdAt, lastActiveAt }: Session): object {
  return {
    id,
    rootId,
    agent,
    createdAt: new Date(createdAt).toISOString(),
    lastActiveAt: new Date(lastActiveAt).toISOString(),
  };
}
