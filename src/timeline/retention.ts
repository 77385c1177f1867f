import type { Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { Execution } from '../model/execution.ts';
import type { CheckpointId } from '../model/ids.ts';
import type { Operation } from '../model/operation.ts';
import type { Session } from '../model/session.ts';
import type { Window } from '../model/window.ts';
import { findSession } from '../store/find.ts';
import type { Store } from '../store/store.ts';
import { type Eviction, floorAfter, NOTHING, removableSessions } from './eviction.ts';

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
  const names = Object.keys(DEFAULT_RETENTION) as (keyof RetentionRules)[];
  const rules = names.map((name) => [name, given[name] ?? DEFAULT_RETENTION[name]]);
  return Object.fromEntries(rules) as RetentionRules;
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
  const record = await readRecord(store, request, rules, now);
  const spare = sparing(record);
  const least = spare(asked ? chosen(record) : expired(record));
  const limit = asked ? maxBytes : rules.maxStoreBytes;
  if (limit === undefined) return withSessions(store, record, least);
  const steps = stepsOf(record, asked).map(spare);
  return withSessions(store, record, await fitInto(store, limit, least, steps));
}

async function requireSession(store: Store, id: string, asked: boolean): Promise<void> {
  if (!asked) throw new SavepointError('argument-invalid', 'what of the session is to go?');
  if ((await findSession(store, id)) !== null) return;
  throw new SavepointError('session-not-found', 'no session has this id', { details: { id } });
}

/** What is on record, and what the choice depends on besides. */
interface RecordToPrune {
  readonly request: PruneRequest;
  readonly rules: RetentionRules;
  readonly now: number;
  /** Most recently active first. */
  readonly sessions: readonly Session[];
  /** Those that the request is about. */
  readonly wanted: readonly Session[];
  /** Newest first. */
  readonly checkpoints: readonly Checkpoint[];
  /** Newest first. */
  readonly operations: readonly Operation[];
  /** By their sessions, without those that were removed. */
  readonly executions: ReadonlyMap<string, Execution>;
  readonly windows: readonly Window[];
}

async function readRecord(
  { timeline }: Store,
  request: PruneRequest,
  rules: RetentionRules,
  now: number,
): Promise<RecordToPrune> {
  const { sessionId = null, agent = null } = request;
  const sessions = await timeline.sessions();
  const executions = (await timeline.executions()).filter(({ status }) => status !== 'removed');
  return {
    request,
    rules,
    now,
    sessions,
    wanted: sessions.filter(
      (session) =>
        (sessionId === null || session.id === sessionId) &&
        (agent === null || session.agent === agent),
    ),
    checkpoints: await timeline.checkpoints({}),
    operations: await timeline.operations(),
    executions: new Map(executions.map((one) => [one.sessionId, one])),
    // The changes of an interrupted run are on record: nothing more is to come.
    windows: (await timeline.windows()).filter(({ kind }) => kind !== 'interrupted'),
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** An execution has a rule of its own, which holds for its sub-agents too. */
function isExpired(record: RecordToPrune, session: Session): boolean {
  const { executionDays, retentionDays } = record.rules;
  const days = record.executions.has(session.rootId) ? executionDays : retentionDays;
  return record.now - archivedAt(record, session) >= days * DAY_MS;
}

function isArchived(record: RecordToPrune, session: Session): boolean {
  return archivedAt(record, session) <= record.now;
}

/** When it was archived, or counts as archived because it was idle for so long, or its execution finished. */
function archivedAt(record: RecordToPrune, session: Session): number {
  if (isUnfinished(record, session)) return Number.POSITIVE_INFINITY;
  const execution = record.executions.get(session.rootId);
  if (execution !== undefined && isFinished(execution)) return execution.updatedAt;
  return session.archivedAt ?? idleAt(record, session);
}

function idleAt({ rules }: RecordToPrune, { lastActiveAt }: Session): number {
  return lastActiveAt + rules.idleDays * DAY_MS;
}

/** Steps that are done must not happen again, however long the program that runs them was away. */
function isUnfinished({ executions, request }: RecordToPrune, { rootId }: Session): boolean {
  const execution = executions.get(rootId);
  // Somebody who names the session of an execution that nobody will finish wants to be rid of it.
  return execution !== undefined && !isFinished(execution) && rootId !== request.sessionId;
}

/** One that finished and was opened once more has an owner, who may be about to go on with it. */
function isFinished({ status, owner }: Execution): boolean {
  return status === 'finished' && owner === null;
}

function isRunning({ run }: Session): boolean {
  return run !== null && run.ended === null;
}

/** Whether a command may be running, or has changes that no scan has found yet. Idle ones are dead. */
function isBusy(record: RecordToPrune, session: Session): boolean {
  const isOpen = isRunning(session) || record.windows.some((one) => one.sessionId === session.id);
  return isOpen && record.now < idleAt(record, session);
}

/** Everything that is older or more than the rules keep. */
function expired(record: RecordToPrune): Eviction {
  const { wanted, rules, checkpoints, executions } = record;
  const bySession = Map.groupBy(checkpoints, ({ sessionId }) => sessionId);
  const surplus = wanted
    .filter(({ rootId }) => !executions.has(rootId))
    .flatMap(({ id }) => (bySession.get(id) ?? []).slice(rules.maxCheckpointsPerSession));
  const sessions = wanted.filter((session) => isExpired(record, session));
  return evictionOf(sessions, surplus, expiredOperations(record, rules.retentionDays * DAY_MS));
}

/** What a request asks for. */
function chosen(record: RecordToPrune): Eviction {
  const { olderThanMs = Number.POSITIVE_INFINITY, keep = Number.POSITIVE_INFINITY } =
    record.request;
  const isOld = (createdAt: number): boolean => record.now - createdAt >= olderThanMs;
  const sessions = record.wanted.filter(
    (session) => isArchived(record, session) && isOld(session.lastActiveAt),
  );
  const checkpoints = linesOf(record).flatMap(([line, list]) =>
    // Checkpoints without a session are independent of each other, so `keep` does not count them.
    line === null
      ? list.filter(({ kind, createdAt }) => kind !== 'safety' && isOld(createdAt))
      : list.slice(1).filter(({ createdAt }, at) => isOld(createdAt) || at + 1 >= keep),
  );
  return evictionOf(sessions, checkpoints, expiredOperations(record, olderThanMs));
}

/** Operations go with the checkpoints that were made before them. */
function evictionOf(
  sessions: readonly Session[],
  checkpoints: readonly Checkpoint[],
  operations: readonly Operation[],
): Eviction {
  const safety = operations.map(({ safetyCheckpointId }) => safetyCheckpointId);
  return {
    sessions: sessions.map(({ id }) => id),
    checkpoints: [...checkpoints.map(({ id }) => id), ...safety],
    operations: operations.map(({ id }) => id),
  };
}

/**
 * Operations older than `ageMs`; none where the request is about certain sessions. The newest one always
 * stays: somebody may still want to undo it.
 */
function expiredOperations(
  { operations, request, now }: RecordToPrune,
  ageMs: number,
): readonly Operation[] {
  if (isLimited(request)) return [];
  return operations.slice(1).filter(({ createdAt }) => now - createdAt >= ageMs);
}

/** Whether a request is about certain sessions only. */
function isLimited({ sessionId, agent }: PruneRequest): boolean {
  return sessionId !== undefined || agent !== undefined;
}

/**
 * Takes the checkpoints out of an eviction that stay, however old they are: labelled ones, and those from
 * before a command that may be running. Their sessions stay for them. An execution stays or goes whole, with
 * its sub-agents: a rollback needs all steps, and a rewind of a sub-agent takes back steps too.
 */
function sparing(record: RecordToPrune): (eviction: Eviction) => Eviction {
  const { sessions, checkpoints: all, executions, windows } = record;
  const bySession = Map.groupBy(all, ({ sessionId }) => sessionId);
  const inside = (id: string): CheckpointId[] => (bySession.get(id) ?? []).map((one) => one.id);
  const labels = record.request.labelled ? [] : all.filter(({ label }) => label !== null);
  const busy = sessions.filter((session) => isBusy(record, session));
  const commands = new Set(windows.map(({ checkpointId }) => checkpointId));
  const before = busy.flatMap((session) =>
    (bySession.get(session.id) ?? []).filter(({ id }) => isRunning(session) || commands.has(id)),
  );
  const ofExecutions = sessions.filter(({ rootId }) => executions.has(rootId));
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
  record: RecordToPrune,
  eviction: Eviction,
): Promise<Eviction> {
  const runs = record.wanted.filter((session) => session.run !== null && !isBusy(record, session));
  const ids = new Set([...eviction.sessions, ...runs.map(({ id }) => id)]);
  const candidates = record.sessions.filter(({ id }) => ids.has(id));
  const sessions = await removableSessions(store, candidates, eviction);
  return { ...eviction, sessions: sessions.map(({ id }) => id) };
}

// No id of a session is empty.
const RUNS = '';

/**
 * Checkpoints of the request by the session that they belong to, newest first; all runs together, since they
 * follow each other. A rollback needs all checkpoints of an execution that has not finished, so they are left out.
 */
function linesOf(
  record: RecordToPrune,
): (readonly [line: string | null, checkpoints: Checkpoint[]])[] {
  const { checkpoints, sessions, wanted, request } = record;
  const ids = new Set(wanted.map(({ id }) => id));
  const kept = new Set(wanted.filter((one) => isUnfinished(record, one)).map(({ id }) => id));
  const runs = new Set(sessions.filter(({ run }) => run !== null).map(({ id }) => id));
  const all = checkpoints.filter(({ sessionId }) =>
    sessionId === null || !ids.has(sessionId) ? !isLimited(request) : !kept.has(sessionId),
  );
  const line = ({ sessionId }: Checkpoint): string | null =>
    sessionId !== null && runs.has(sessionId) ? RUNS : sessionId;
  return [...Map.groupBy(all, line)];
}

/** What to remove next, step by step: archived sessions, the oldest first, then old checkpoints. */
function stepsOf(record: RecordToPrune, withCheckpoints: boolean): Eviction[] {
  const archived = record.wanted.filter((session) => isArchived(record, session));
  const sessions = archived.toReversed().map(({ id }) => ({ ...NOTHING, sessions: [id] }));
  if (!withCheckpoints) return sessions;
  const old = linesOf(record)
    .flatMap(([, list]) => list.slice(1))
    .filter(({ kind }) => kind !== 'safety')
    .sort((a, b) => a.seq - b.seq);
  return [...sessions, ...old.map(({ id }) => ({ ...NOTHING, checkpoints: [id] }))];
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
    const floor = await floorAfter(store, together(first, steps, count));
    const { bytes } = await store.maintain('prunable', floor);
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
