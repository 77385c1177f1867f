import { SavepointError } from '../model/errors.ts';
import type { Session } from '../model/session.ts';
import type { Draft } from '../store/draft.ts';
import type { Store } from '../store/store.ts';

export interface SessionRef {
  readonly id: string;
  readonly agent?: string | undefined;
  /** The session that this one continues or works for. */
  readonly parentId?: string | undefined;
}

const ACTIVITY_STEP_MS = 60_000;

/** Finds a session or begins it, and notes that it is active (to the minute: each note is a write). */
export async function touchSession(
  draft: Draft,
  store: Store,
  ref: SessionRef,
  now: number,
): Promise<Session> {
  const known = await store.session(ref.id);
  if (known === null) {
    const session = await beginSession(store, ref, now);
    draft.putSession(session);
    return session;
  }
  if (known.archivedAt === null && now - known.lastActiveAt < ACTIVITY_STEP_MS) return known;
  const active = { ...known, lastActiveAt: Math.max(now, known.lastActiveAt), archivedAt: null };
  draft.putSession(active);
  return active;
}

async function beginSession(store: Store, ref: SessionRef, now: number): Promise<Session> {
  const parent = ref.parentId === undefined ? null : await store.session(ref.parentId);
  return {
    id: ref.id,
    rootId: parent?.rootId ?? ref.parentId ?? ref.id,
    agent: ref.agent ?? 'unknown',
    createdAt: now,
    lastActiveAt: now,
    archivedAt: null,
  };
}

/** The retention of an archived session begins to run. */
export async function archiveSession(
  draft: Draft,
  store: Store,
  id: string,
  now: number,
): Promise<void> {
  const session = await store.session(id);
  if (session === null) {
    throw new SavepointError('session-not-found', 'no session has this id', { details: { id } });
  }
  draft.putSession({ ...session, archivedAt: session.archivedAt ?? now });
}
