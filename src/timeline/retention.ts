import type { Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { Execution } from '../model/execution.ts';
import type { CheckpointId, OperationId } from '../model/ids.ts';
import type { Session } from '../model/session.ts';
import type { Window } from '../model/window.ts';
import { findSession } from '../store/find.ts';
import type { Store } from '../store/store.ts';
import { type Eviction, floorAfter, removableSessions } from './eviction.ts';

export interface RetentionRules {
  /** How long a session is kept after it was archived, and an operation after it was made. */
  readonly retentionDays: number;
  /** A session without activity for so long counts as archived. */
  readonly idleDays: number;
  /** How long an execution is kept after it was last used, once it has finished. Until then it is kept. */
  readonly executionDays: number;
  /** Steps of executions do not count: they are kept as long as their execution. */
  readonly maxCheckpointsPerSession: number;
  /** How much a store may take on disk; beyond that the oldest archived sessions are removed. */
  readonly maxStoreBytes: number;
}

export const DEFAULT_RETENTION: RetentionRules = {
  retentionDays: 7,
  idleDays: 30,
  executionDays: 30,
  maxCheckpointsPerSession: 50,
  maxStoreBytes: 10 * 1024 ** 3,
};

/** Fills in the defaults. A rule that is undefined counts as left out. */
export function retentionRules(given: Partial<RetentionRules>): RetentionRules {
  const rule = (name: keyof RetentionRules): number => given[name] ?? DEFAULT_RETENTION[name];
  return {
    retentionDays: rule('retentionDays'),
    idleDays: rule('idleDays'),
    executionDays: rule('executionDays'),
    maxCheckpointsPerSession: rule('maxCheckpointsPerSession'),
    maxStoreBytes: rule('maxStoreBytes'),
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long each session is kept. An execution has a rule of its own, which holds for its sub-agents too. */
class Keeping {
  readonly #rules: RetentionRules;
  readonly #now: number;
  readonly #named: string | undefined;
  readonly #executions: ReadonlyMap<string, Execution>;
  readonly #windows: readonly Window[];

  private constructor(
    rules: RetentionRules,
    now: number,
    { sessionId }: PruneRequest,
    executions: readonly Execution[],
    windows: readonly Window[],
  ) {
    this.#rules = rules;
    this.#now = now;
    this.#named = sessionId;
    this.#executions = new Map(executions.map((one) => [one.sessionId, one]));
    this.#windows = windows;
  }

  static async of(
    { timeline }: Store,
    request: PruneRequest,
    rules: RetentionRules,
    now: number,
  ): Promise<Keeping> {
    const executions = (await timeline.executions()).filter(({ status }) => status !== 'removed');
    // The changes of an interrupted run are on record: nothing more is to come.
    const windows = (await timeline.windows()).filter(({ kind }) => kind !== 'interrupted');
    return new Keeping(rules, now, request, executions, windows);
  }

  isExpired(session: Session): boolean {
    const { executionDays, retentionDays } = this.#rules;
    const days = this.isOfExecution(session) ? executionDays : retentionDays;
    return this.#now - this.#archivedAt(session) >= days * DAY_MS;
  }

  isArchived(session: Session): boolean {
    return this.#archivedAt(session) <= this.#now;
  }

  isOfExecution({ rootId }: Session): boolean {
    return this.#executions.has(rootId);
  }

  /** Steps that are done must not happen again, however long the program that runs them was away. */
  isUnfinished({ rootId }: Session): boolean {
    const execution = this.#executions.get(rootId);
    // Somebody who names the session of an execution that nobody will finish wants to be rid of it.
    return execution !== undefined && !isFinished(execution) && rootId !== this.#named;
  }

  /** Whether a command may be running, or has changes that no scan has found yet. Idle ones are dead. */
  isBusy(session: Session): boolean {
    const isOpen = isRunning(session) || this.#windows.some((one) => one.sessionId === session.id);
    return isOpen && this.#now < this.#idleAt(session);
  }

  /** Whether a checkpoint of a busy session is from before a command that may be running. */
  isBefore({ id }: Checkpoint, session: Session): boolean {
    return isRunning(session) || this.#windows.some((one) => one.checkpointId === id);
  }

  /** When it was archived, or counts as archived because it was idle for so long, or its execution finished. */
  #archivedAt(session: Session): number {
    if (this.isUnfinished(session)) return Number.POSITIVE_INFINITY;
    const execution = this.#executions.get(session.rootId);
    if (execution !== undefined && isFinished(execution)) return execution.updatedAt;
    return session.archivedAt ?? this.#idleAt(session);
  }

  #idleAt({ lastActiveAt }: Session): number {
    return lastActiveAt + this.#rules.idleDays * DAY_MS;
  }
}

function isRunning({ run }: Session): boolean {
  return run !== null && run.ended === null;
}

/** One that finished and was opened once more has an owner, who may be about to go on with it. */
function isFinished({ status, owner }: Execution): boolean {
  return status === 'finished' && owner === null;
}

/** Everything that is older or more than the rules keep. */
async function expired(
  store: Store,
  request: PruneRequest,
  keeping: Keeping,
  rules: RetentionRules,
  now: number,
): Promise<Eviction> {
  const sessions = await sessionsOf(store, request);
  const counted = sessions.filter((session) => !keeping.isOfExecution(session));
  const old = await expiredOperations(store, request, rules.retentionDays * DAY_MS, now);
  return {
    sessions: sessions.filter((session) => keeping.isExpired(session)).map(({ id }) => id),
    checkpoints: [
      ...(await surplusCheckpoints(store, counted, rules)),
      ...old.map((operation) => operation.safetyCheckpointId),
    ],
    operations: old.map((operation) => operation.id),
  };
}

async function surplusCheckpoints(
  store: Store,
  sessions: readonly Session[],
  rules: RetentionRules,
): Promise<CheckpointId[]> {
  const surplus: Checkpoint[] = [];
  for (const session of sessions) {
    const newestFirst = await store.timeline.checkpoints({ sessionIds: [session.id] });
    surplus.push(...newestFirst.slice(rules.maxCheckpointsPerSession));
  }
  return surplus.map((checkpoint) => checkpoint.id);
}

/**
 * Operations older than `ageMs`; none where the request is about certain sessions. The newest one always
 * stays: somebody may still want to undo it.
 */
async function expiredOperations(
  store: Store,
  request: PruneRequest,
  ageMs: number,
  now: number,
): Promise<{ id: OperationId; safetyCheckpointId: CheckpointId }[]> {
  if (isLimited(request)) return [];
  const [, ...older] = await store.timeline.operations();
  return older.filter((operation) => now - operation.createdAt >= ageMs);
}

/** What to remove. Without any of these: what the rules of retention no longer keep. */
export interface PruneRequest {
  /** Checkpoints made longer ago than this. */
  readonly olderThanMs?: number | undefined;
  /** All checkpoints except this many, the newest, of each session. */
  readonly keep?: number | undefined;
  /** The oldest checkpoints, while the store takes more than this. */
  readonly maxBytes?: number | undefined;
  /** Only checkpoints of this session. If it is that of an execution and goes, its sub-agents go with it. */
  readonly sessionId?: string | undefined;
  /** Only sessions of this agent, and their checkpoints. */
  readonly agent?: string | undefined;
  /** Labelled checkpoints as well: otherwise they stay, because somebody gave them a name. */
  readonly labelled?: boolean | undefined;
}

/**
 * Chooses what to remove. The newest checkpoint of a session stays until the session is archived, because
 * somebody may be at work there, and so does a run that has not ended. An execution that has not finished
 * stays, unless its session is named.
 */
export async function planEviction(
  store: Store,
  request: PruneRequest,
  rules: RetentionRules,
  now: number,
): Promise<Eviction> {
  const { olderThanMs, keep, maxBytes, sessionId } = request;
  const asked = olderThanMs !== undefined || keep !== undefined || maxBytes !== undefined;
  if (sessionId !== undefined) await requireSession(store, sessionId, asked);
  const keeping = await Keeping.of(store, request, rules, now);
  const first = asked
    ? await chosen(store, request, keeping, now)
    : await expired(store, request, keeping, rules, now);
  const limit = asked ? maxBytes : rules.maxStoreBytes;
  const spare = await sparing(store, request, keeping);
  const least = spare(first);
  if (limit === undefined) return withSessions(store, request, keeping, least);
  const steps = await stepsOf(store, request, keeping, asked);
  const eviction = await fitInto(store, limit, least, steps.map(spare));
  return withSessions(store, request, keeping, eviction);
}

/**
 * Takes the checkpoints out of an eviction that stay, however old they are: labelled ones, and those from
 * before a command that may be running. Their sessions stay for them. An execution stays or goes whole, with
 * its sub-agents: a rollback needs all steps, and a rewind of a sub-agent takes back steps too.
 */
async function sparing(
  store: Store,
  { labelled }: PruneRequest,
  keeping: Keeping,
): Promise<(eviction: Eviction) => Eviction> {
  const sessions = await store.timeline.sessions();
  const all = await store.timeline.checkpoints({});
  const bySession = Map.groupBy(all, ({ sessionId }) => sessionId);
  const inside = (id: string): CheckpointId[] => (bySession.get(id) ?? []).map((one) => one.id);
  const labels = labelled ? [] : all.filter(({ label }) => label !== null);
  const busy = sessions.filter((session) => keeping.isBusy(session));
  const before = busy.flatMap((session) =>
    (bySession.get(session.id) ?? []).filter((one) => keeping.isBefore(one, session)),
  );
  const ofExecutions = sessions.filter((session) => keeping.isOfExecution(session));
  const families = Map.groupBy(ofExecutions, ({ rootId }) => rootId);
  const held = new Set([...labels.map(({ sessionId }) => sessionId), ...busy.map(({ id }) => id)]);
  const whole = [...families.values()].filter((family) => family.some(({ id }) => held.has(id)));
  const wholeIds = whole.flat().map(({ id }) => id);
  const staying = new Set([...wholeIds, ...busy.map(({ id }) => id)]);
  const spared = new Set([
    ...[...labels, ...before].map(({ id }) => id),
    ...wholeIds.flatMap(inside),
  ]);
  return (eviction) => {
    const going = eviction.sessions
      .flatMap((id) => [id, ...(families.get(id) ?? []).map((session) => session.id)])
      .filter((id) => !staying.has(id));
    const checkpoints = [...eviction.checkpoints, ...going.flatMap(inside)];
    return {
      sessions: [...new Set(going)].filter((id) => !inside(id).some((one) => spared.has(one))),
      checkpoints: [...new Set(checkpoints)].filter((id) => !spared.has(id)),
      operations: eviction.operations,
    };
  };
}

/** Leaves the sessions that are needed, and adds the runs of which no checkpoint is left. */
async function withSessions(
  store: Store,
  request: PruneRequest,
  keeping: Keeping,
  eviction: Eviction,
): Promise<Eviction> {
  const runs = (await sessionsOf(store, request)).filter(
    (session) => session.run !== null && !keeping.isBusy(session),
  );
  const ids = new Set([...eviction.sessions, ...runs.map(({ id }) => id)]);
  const candidates = await store.timeline.sessions([...ids]);
  const sessions = await removableSessions(store, candidates, eviction);
  return { ...eviction, sessions: sessions.map(({ id }) => id) };
}

async function chosen(
  store: Store,
  request: PruneRequest,
  keeping: Keeping,
  now: number,
): Promise<Eviction> {
  const { olderThanMs = Number.POSITIVE_INFINITY } = request;
  const most = request.keep ?? Number.POSITIVE_INFINITY;
  const isOld = (createdAt: number): boolean => now - createdAt >= olderThanMs;
  const all = await ofRequest(store, request, keeping);
  const sessions = (await sessionsOf(store, request)).filter(
    (session) => keeping.isArchived(session) && isOld(session.lastActiveAt),
  );
  const operations = await expiredOperations(store, request, olderThanMs, now);
  const runs = runIds(await store.timeline.sessions());
  const checkpoints = linesOf(all, runs).flatMap(([line, list]) =>
    // Checkpoints without a session are independent of each other, so `keep` does not count them.
    line === null
      ? list.filter(({ kind, createdAt }) => kind !== 'safety' && isOld(createdAt))
      : list.slice(1).filter(({ createdAt }, at) => isOld(createdAt) || at + 1 >= most),
  );
  return {
    sessions: sessions.map(({ id }) => id),
    checkpoints: [
      ...checkpoints.map(({ id }) => id),
      ...operations.map(({ safetyCheckpointId }) => safetyCheckpointId),
    ],
    operations: operations.map(({ id }) => id),
  };
}

/** Sessions that are single runs. */
function runIds(sessions: readonly Session[]): ReadonlySet<string> {
  return new Set(sessions.filter(({ run }) => run !== null).map(({ id }) => id));
}

/** Checkpoints by the session that they belong to; all runs together, since they follow each other. */
function linesOf(
  checkpoints: readonly Checkpoint[],
  runs: ReadonlySet<string>,
): (readonly [line: string | null, checkpoints: Checkpoint[]])[] {
  const line = ({ sessionId }: Checkpoint): string | null =>
    sessionId !== null && runs.has(sessionId) ? RUNS : sessionId;
  return [...Map.groupBy(checkpoints, line)];
}

// No id of a session is empty.
const RUNS = '';

/** What to remove next, step by step: archived sessions, the oldest first, then old checkpoints. */
async function stepsOf(
  store: Store,
  request: PruneRequest,
  keeping: Keeping,
  withCheckpoints: boolean,
): Promise<Eviction[]> {
  const archived = (await sessionsOf(store, request)).filter((session) =>
    keeping.isArchived(session),
  );
  const sessions = archived.toReversed().map(({ id }) => sessionStep(id));
  if (!withCheckpoints) return sessions;
  const all = await ofRequest(store, request, keeping);
  const runs = runIds(await store.timeline.sessions());
  const newest = new Set(linesOf(all, runs).map(([, [one]]) => one));
  const old = all.filter((one) => one.kind !== 'safety' && !newest.has(one)).toReversed();
  return [...sessions, ...old.map(({ id }) => checkpointStep(id))];
}

/** Takes as many of the steps as needed to fit the limit, by the store's own estimate. */
async function fitInto(
  store: Store,
  limit: number,
  first: Eviction,
  steps: readonly Eviction[],
): Promise<Eviction> {
  const { storedBytes, packedBytes } = await store.maintain('stats');
  const fits = async (count: number): Promise<boolean> => {
    const { bytes } = await store.maintain(
      'prunable',
      await floorAfter(store, together(first, steps, count)),
    );
    return storedBytes + packedBytes - bytes <= limit;
  };
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (await fits(middle)) high = middle;
    else low = middle + 1;
  }
  return together(first, steps, low);
}

function together(first: Eviction, steps: readonly Eviction[], count: number): Eviction {
  const all = [first, ...steps.slice(0, count)];
  return {
    sessions: [...new Set(all.flatMap(({ sessions }) => sessions))],
    checkpoints: [...new Set(all.flatMap(({ checkpoints }) => checkpoints))],
    operations: first.operations,
  };
}

function sessionStep(id: string): Eviction {
  return { sessions: [id], checkpoints: [], operations: [] };
}

function checkpointStep(id: Checkpoint['id']): Eviction {
  return { sessions: [], checkpoints: [id], operations: [] };
}

/** Newest first. A rollback needs all checkpoints of an execution that has not finished, so they are left out. */
async function ofRequest(
  store: Store,
  request: PruneRequest,
  keeping: Keeping,
): Promise<readonly Checkpoint[]> {
  const sessions = await sessionsOf(store, request);
  const kept = new Set(sessions.filter((one) => keeping.isUnfinished(one)).map(({ id }) => id));
  const query = isLimited(request) ? { sessionIds: sessions.map(({ id }) => id) } : {};
  const all = await store.timeline.checkpoints(query);
  return all.filter(({ sessionId }) => sessionId === null || !kept.has(sessionId));
}

async function sessionsOf(store: Store, request: PruneRequest): Promise<readonly Session[]> {
  const { sessionId = null, agent = null } = request;
  return (await store.timeline.sessions()).filter(
    (session) =>
      (sessionId === null || session.id === sessionId) &&
      (agent === null || session.agent === agent),
  );
}

/** Whether a request is about certain sessions only. */
function isLimited({ sessionId, agent }: PruneRequest): boolean {
  return sessionId !== undefined || agent !== undefined;
}

async function requireSession(store: Store, id: string, asked: boolean): Promise<void> {
  if (!asked) throw new SavepointError('argument-invalid', 'what of the session is to go?');
  if ((await findSession(store, id)) !== null) return;
  throw new SavepointError('session-not-found', 'no session has this id', { details: { id } });
}
