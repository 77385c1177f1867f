import { isOfFolder, leavesAsItWas } from '../model/change.ts';
import { SavepointError } from '../model/errors.ts';
import type { Session } from '../model/session.ts';
import type { Draft } from '../store/draft.ts';
import { findSession } from '../store/find.ts';
import type { Store } from '../store/store.ts';

export interface SessionRef {
  readonly id: string;
  readonly agent?: string | undefined;
  /** The session that this one continues or works for. */
  readonly parentId?: string | undefined;
}

const ACTIVITY_STEP_MS = 60_000;

/** Finds a session or begins it, and notes its activity, to the minute because each note is a write. */
export async function touchSession(
  draft: Draft,
  store: Store,
  ref: SessionRef,
  now: number,
): Promise<Session> {
  const known = await findSession(store, ref.id);
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
  const parent = ref.parentId === undefined ? null : await findSession(store, ref.parentId);
  return {
    id: ref.id,
    rootId: parent?.rootId ?? ref.parentId ?? ref.id,
    agent: ref.agent ?? 'unknown',
    createdAt: now,
    lastActiveAt: now,
    archivedAt: null,
  };
}

/** Archives a session: the time that retention keeps it begins now. */
export async function archiveSession(
  draft: Draft,
  store: Store,
  id: string,
  now: number,
): Promise<void> {
  const session = await findSession(store, id);
  if (session === null) {
    throw new SavepointError('session-not-found', 'no session has this id', { details: { id } });
  }
  draft.putSession({ ...session, archivedAt: session.archivedAt ?? now });
}

/** A session, and how much of it is on record. */
export interface SessionSummary extends Session {
  readonly checkpoints: number;
  /** How many different files it changed. */
  readonly files: number;
}

/** Most recently active first. */
export async function summarizeSessions(
  store: Store,
  sessions: readonly Session[],
): Promise<SessionSummary[]> {
  const sessionIds = sessions.map(({ id }) => id);
  const checkpoints = countBy(await store.timeline.checkpoints({ sessionIds }), ({ id }) => id);
  const changes = await store.timeline.changes({ sessionIds });
  const ofFiles = changes.filter((change) => !leavesAsItWas(change) && !isOfFolder(change));
  const files = countBy(ofFiles, ({ path }) => path);
  return sessions.map((session) => ({
    ...session,
    checkpoints: checkpoints.get(session.id) ?? 0,
    files: files.get(session.id) ?? 0,
  }));
}

/** How many different keys each session has. */
function countBy<Row extends { readonly sessionId: string | null }>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): Map<string | null, number> {
  const groups = Map.groupBy(rows, ({ sessionId }) => sessionId);
  return new Map([...groups].map(([id, group]) => [id, new Set(group.map(keyOf)).size]));
}
