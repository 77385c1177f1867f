import { currentOwner, processMayRun } from '../capture/process-owner.ts';
import { isOfFolder, leavesAsItWas } from '../model/change.ts';
import { SavepointError } from '../model/errors.ts';
import type { Seq } from '../model/ids.ts';
import type { LivingOwner } from '../model/owner.ts';
import type { RunTime, Session } from '../model/session.ts';
import type { Draft } from '../store/draft.ts';
import { findSession } from '../store/find.ts';
import type { Store } from '../store/store.ts';

export interface SessionRef {
  readonly id: string;
  readonly agent?: string | undefined;
  /** The session that this one continues or works for. */
  readonly parentId?: string | undefined;
  /** Whether it is a single run; undefined leaves it what it is. */
  readonly isRun?: boolean | undefined;
  /** Its agent; null leaves it what it is. */
  readonly owner?: LivingOwner | null | undefined;
}

const ACTIVITY_STEP_MS = 60_000;

/** Finds a session or begins it, and notes its activity, to the minute because each note is a write. */
export async function touchSession(
  draft: Draft,
  store: Store,
  ref: SessionRef,
  now: number,
): Promise<Session> {
  const known = await sessionNow(draft, store, ref.id);
  if (known === null) {
    if (ref.isRun) await endGoneRuns(draft, store);
    const session = await beginSession(draft, store, ref, now);
    draft.putSession(session);
    return session;
  }
  const run = runOf(known, ref, draft);
  const owner = ref.owner ?? known.owner;
  const isRecent = known.archivedAt === null && now - known.lastActiveAt < ACTIVITY_STEP_MS;
  if (isRecent && run === known.run && isSameOwner(owner, known.owner)) return known;
  const lastActiveAt = Math.max(now, known.lastActiveAt);
  const active = { ...known, lastActiveAt, archivedAt: null, run, owner };
  draft.putSession(active);
  return active;
}

/** A lease grows with each call. That is noted with the activity, to the minute. */
function isSameOwner(one: LivingOwner | null, other: LivingOwner | null): boolean {
  if (one?.kind === 'lease' && other?.kind === 'lease') return true;
  return JSON.stringify(one) === JSON.stringify(other);
}

/** If somebody goes on from a run, it is a conversation from then on. */
function runOf({ run }: Session, { isRun }: SessionRef, draft: Draft): RunTime | null {
  if (isRun === undefined || (isRun && run?.ended === null)) return run;
  return isRun ? { ...newRun(draft), began: run?.began ?? draft.seq } : null;
}

function newRun({ seq }: Draft): RunTime {
  return { began: seq, ended: null, owner: currentOwner() };
}

function sessionNow(draft: Draft, store: Store, id: string): Promise<Session | null> {
  const drafted = draft.sessionOf(id);
  return drafted === undefined ? findSession(store, id) : Promise.resolve(drafted);
}

/** Runs whose processes were killed have ended before the next run begins. */
async function endGoneRuns(draft: Draft, store: Store): Promise<void> {
  for (const { id, run } of await store.timeline.sessions()) {
    const isGone = run !== null && run.ended === null && !processMayRun(run.owner);
    if (isGone) await endRun(draft, store, id);
  }
}

async function beginSession(
  draft: Draft,
  store: Store,
  ref: SessionRef,
  now: number,
): Promise<Session> {
  const parent = ref.parentId === undefined ? null : await findSession(store, ref.parentId);
  return {
    id: ref.id,
    rootId: parent?.rootId ?? ref.parentId ?? ref.id,
    agent: ref.agent ?? 'unknown',
    createdAt: now,
    lastActiveAt: now,
    archivedAt: null,
    run: ref.isRun ? newRun(draft) : null,
    owner: ref.owner ?? null,
    told: parent?.told ?? null,
  };
}

/** The agent of a session has ended. */
export async function releaseSession(draft: Draft, store: Store, id: string): Promise<void> {
  const session = await sessionNow(draft, store, id);
  if (session?.owner != null) draft.putSession({ ...session, owner: null });
}

/** Notes where a run ended. Of any other session nothing is noted. */
export async function endRun(draft: Draft, store: Store, id: string): Promise<void> {
  const session = await sessionNow(draft, store, id);
  if (session?.run == null || session.run.ended !== null) return;
  draft.putSession({ ...session, run: { ...session.run, ended: draft.seq } });
}

/**
 * Whether a rewind to a checkpoint of a session takes back what another one did: sub-agents and continuations
 * count as the session itself. For a run, also the runs that began after it had ended: to a person they are
 * one line of time.
 */
export function takesBack(
  own: Session,
  { rootId }: Session,
  runs: ReadonlyMap<string, Seq>,
): boolean {
  if (rootId === own.rootId) return true;
  const ended = own.run?.ended ?? null;
  const began = runs.get(rootId);
  return ended !== null && began !== undefined && began >= ended;
}

/** Where the latest run of each family began, by the root of the family. */
export function latestRuns(sessions: readonly Session[]): ReadonlyMap<string, Seq> {
  const runs = new Map<string, Seq>();
  for (const { rootId, run } of sessions) {
    if (run !== null) runs.set(rootId, Math.max(run.began, runs.get(rootId) ?? 0));
  }
  return runs;
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
