import { operationJson, sessionJson, timeJson } from '../../cli/json-shapes.ts';
import {
  type Checkpoint,
  type CheckpointId,
  type CheckpointKind,
  type CheckpointQuery,
  type LineCount,
  type ListedCheckpoint,
  type NamedPath,
  type Operation,
  type RunningWork,
  type Savepoint,
  type Session,
  selectedPath,
} from '../../index.ts';
import type {
  Lane,
  RunningWork as RunningJson,
  TimelineAnswer,
  TimelineOperation,
  TimelinePoint,
  Undoable,
} from '../api.ts';

export interface TimelineRequest {
  readonly limit: number;
  /** How many checkpoints are looked at for a filter. */
  readonly lookAt: number;
  readonly before?: number | undefined;
  readonly text?: string | undefined;
  readonly path?: NamedPath | undefined;
  readonly agents?: readonly string[] | undefined;
  readonly sessions?: readonly string[] | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly kinds?: readonly CheckpointKind[] | undefined;
}

export const DEFAULT_LIMIT = 10_000;
export const MOST_POINTS = 50_000;
const MADE: readonly CheckpointKind[] = ['message', 'step', 'manual'];
const MOST_OPERATIONS = 500;

/** Lines that were counted before, by checkpoint. */
export type KnownLines = ReadonlyMap<CheckpointId, LineCount>;

/** The checkpoints that are asked for, short, in the lanes of their sessions, and what operations took back of them. */
export async function timelineAnswer(
  savepoint: Savepoint,
  request: TimelineRequest,
  lines: KnownLines,
): Promise<TimelineAnswer> {
  const seq = await savepoint.head();
  const sessions = await savepoint.sessions();
  const { listed, next } = await find(savepoint, request, sessions);
  const running = await savepoint.running();
  const lanes = await lanesOf(savepoint, sessions, listed, running);
  const laneOf = new Map(lanes.map(({ id }, at) => [id, at]));
  return {
    seq,
    lanes,
    points: listed.map((one) => point(one, laneOf.get(one.sessionId ?? ''), lines.get(one.id))),
    operations: await operationsAmong(savepoint, listed, next !== null, request.before),
    running: running.map(runningJson),
    current: await savepoint.currentPlace(),
    undo: undoableJson(await savepoint.undoable()),
    next,
  };
}

async function find(
  savepoint: Savepoint,
  request: TimelineRequest,
  sessions: readonly Session[],
): Promise<{ listed: readonly ListedCheckpoint[]; next: number | null }> {
  const { limit, lookAt, before, text, path, agents, until, since, kinds } = request;
  const ids = sessionsAsked(request, sessions);
  if (ids !== null && ids.length === 0) return { listed: [], next: null };
  const needle = text?.toLowerCase();
  const isFilter = needle !== undefined || until !== undefined || agents !== undefined;
  const query: CheckpointQuery = {
    kinds: kinds ?? MADE,
    // One more than is shown tells whether there are others.
    limit: isFilter ? lookAt : limit + 1,
    ...(before === undefined ? {} : { before }),
    ...(since === undefined ? {} : { since }),
    ...(path === undefined ? {} : { path: selectedPath(savepoint.root, path) }),
    ...(ids === null ? {} : { sessionIds: ids }),
  };
  const all = await savepoint.list(query);
  const fitting = all.filter(({ description, label, createdAt }) => {
    const isAsked =
      needle === undefined ||
      description.toLowerCase().includes(needle) ||
      (label ?? '').toLowerCase().includes(needle);
    return isAsked && (until === undefined || createdAt <= until);
  });
  const listed = fitting.slice(0, limit);
  const isCut = listed.length < fitting.length;
  // Older ones that nobody has looked at may fit as well.
  const hasOlder = isFilter && all.length >= lookAt;
  const next = (isCut ? listed.at(-1) : hasOlder ? all.at(-1) : undefined)?.seq ?? null;
  return { listed, next };
}

/** Null: those of all sessions, and of none. */
function sessionsAsked(
  { agents, sessions: asked }: TimelineRequest,
  sessions: readonly Session[],
): string[] | null {
  if (agents === undefined && asked === undefined) return null;
  return sessions
    .filter(({ id, agent }) => (agents?.includes(agent) ?? true) && (asked?.includes(id) ?? true))
    .map(({ id }) => id);
}

const LONGEST_TITLE = 160;

/** The first line with words in it, cut. */
export function titleOf(description: string): string {
  const [line = ''] = description.trimStart().split(/[\r\n]/, 1);
  if (line.length <= LONGEST_TITLE) return line.trimEnd();
  // Not in the middle of a character.
  return `${line.slice(0, LONGEST_TITLE - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

function point(
  { id, seq, kind, createdAt, description, label, files, takenBack, importedAt }: ListedCheckpoint,
  lane: number | undefined,
  lines: LineCount | undefined,
): TimelinePoint {
  return {
    id,
    seq,
    kind,
    at: createdAt,
    title: titleOf(description),
    ...(lane === undefined ? {} : { lane }),
    ...(label === null ? {} : { label }),
    ...(files === 0 ? {} : { files }),
    ...(takenBack === 'no' ? {} : { takenBack }),
    ...(importedAt === null ? {} : { imported: true }),
    ...lines,
  };
}

async function lanesOf(
  savepoint: Savepoint,
  sessions: readonly Session[],
  listed: readonly ListedCheckpoint[],
  running: readonly RunningWork[],
): Promise<Lane[]> {
  const used = new Map<string, boolean>();
  let hasSteps = false;
  for (const { sessionId, importedAt, kind } of listed) {
    if (sessionId !== null)
      used.set(sessionId, (used.get(sessionId) ?? true) && importedAt !== null);
    hasSteps ||= kind === 'step';
  }
  // Only these can have come with an import as a whole; to ask about all would read every checkpoint again.
  const maybe = [...used].filter(([, isImported]) => isImported).map(([id]) => id);
  const imported = await savepoint.importedSessions(maybe);
  const executions = hasSteps ? await executionsBySession(savepoint) : new Map<string, string>();
  const atWork = new Set(running.map(({ sessionId }) => sessionId));
  const lanes: Lane[] = [];
  for (const session of sessions.filter(({ id }) => used.has(id))) {
    const isAlive = session.owner !== null && (await savepoint.isRunning(session.id));
    lanes.push({
      ...sessionJson(session, imported),
      isRun: session.run !== null,
      executionId: executions.get(session.id) ?? null,
      running: atWork.has(session.id) || isAlive,
    });
  }
  return lanes;
}

async function executionsBySession(savepoint: Savepoint): Promise<Map<string, string>> {
  const executions = await (await savepoint.executions()).list();
  return new Map(executions.map(({ sessionId, id }) => [sessionId, id]));
}

/** Those of the time that the points are of: older ones belong to a later page. */
async function operationsAmong(
  savepoint: Savepoint,
  listed: readonly ListedCheckpoint[],
  isCut: boolean,
  before: number | undefined,
): Promise<TimelineOperation[]> {
  const log = await savepoint.operations();
  const oldest = isCut ? (listed.at(-1)?.seq ?? 0) : 0;
  const shown = log
    .filter(({ seq }) => seq >= oldest && (before === undefined || seq < before))
    .slice(0, MOST_OPERATIONS);
  const took = await savepoint.tookBack(shown);
  return shown.map((one) => ({
    ...operationJson(one, log),
    at: one.createdAt,
    tookBack: took.get(one.id) ?? [],
  }));
}

export function runningJson({ createdAt, ...work }: RunningWork): RunningJson {
  return { ...work, since: timeJson(createdAt) };
}

export function undoableJson(found: Checkpoint | Operation | null): Undoable | null {
  if (found === null) return null;
  const { id, description, createdAt } = found;
  const kind = 'safetyCheckpointId' in found ? 'operation' : 'run';
  return { kind, id, description: titleOf(description), createdAt: timeJson(createdAt) };
}
