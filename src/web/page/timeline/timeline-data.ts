import type { Lane, TimelineAnswer, TimelineOperation, TimelinePoint } from '../../api.ts';

/** A line of the list: a checkpoint, or an operation that took some back. */
export type Entry = CheckpointEntry | OperationEntry;

export interface CheckpointEntry extends Omit<TimelinePoint, 'lane'> {
  readonly type: 'checkpoint';
  readonly session: Lane | null;
}

export interface OperationEntry extends TimelineOperation {
  readonly type: 'operation';
}

/** Of an answer, or of several that follow each other; `next`: older ones are not in it. */
export interface Timeline
  extends Pick<TimelineAnswer, 'seq' | 'operations' | 'running' | 'current' | 'next'> {
  /** Newest first. Safety checkpoints are in their operations. */
  readonly entries: readonly Entry[];
  readonly sessions: readonly Lane[];
}

/** `isPart`: somebody filters, and operations are shown that took back something of what is shown. */
export function timelineOf(answer: TimelineAnswer, isPart: boolean): Timeline {
  return assemble(answer, answer.points.map(withSession(answer)), answer.lanes, isPart);
}

/** With the newest points of another answer, which may know of some better. */
export function withNewest(timeline: Timeline, newest: TimelineAnswer, isPart: boolean): Timeline {
  const sessions = new Map(timeline.sessions.map((lane) => [lane.id, lane]));
  for (const lane of newest.lanes) sessions.set(lane.id, lane);
  const points = new Map<string, CheckpointEntry>();
  for (const entry of timeline.entries) {
    if (entry.type === 'checkpoint') points.set(entry.id, entry);
  }
  for (const entry of newest.points.map(withSession(newest))) points.set(entry.id, entry);
  // The newest ones know only of operations of their own time.
  const known = new Map(timeline.operations.map((operation) => [operation.id, operation]));
  for (const operation of newest.operations) known.set(operation.id, operation);
  const operations = [...known.values()].sort((a, b) => b.seq - a.seq);
  const answer = { ...newest, operations, next: timeline.next };
  return assemble(answer, [...points.values()], [...sessions.values()], isPart);
}

function withSession(answer: TimelineAnswer): (point: TimelinePoint) => CheckpointEntry {
  return ({ lane, ...point }) => ({
    ...point,
    type: 'checkpoint',
    session: lane === undefined ? null : (answer.lanes[lane] ?? null),
  });
}

function assemble(
  answer: TimelineAnswer,
  points: readonly CheckpointEntry[],
  sessions: readonly Lane[],
  isPart: boolean,
): Timeline {
  const { seq, running, current, next } = answer;
  const shown = new Set<string>(points.map(({ id }) => id));
  const operations = answer.operations.filter(
    ({ tookBack }) => !isPart || tookBack.some((id) => shown.has(id)),
  );
  const entries: Entry[] = [
    ...points.filter(({ kind }) => kind !== 'safety'),
    ...operations.map((operation) => ({ ...operation, type: 'operation' as const })),
  ];
  entries.sort((a, b) => b.seq - a.seq);
  return { seq, entries, operations, sessions, running, current, next };
}

export function agentOf(entry: Entry): string | null {
  return entry.type === 'checkpoint' ? (entry.session?.agent ?? null) : null;
}

export function linesOf({ insertions = 0, deletions = 0 }: CheckpointEntry): number {
  return insertions + deletions;
}

/** A row of the chart: sessions of one agent that did not go on at the same time. */
export interface Track {
  /** Null for what people saved. */
  readonly agent: string | null;
  readonly isExecution: boolean;
  readonly families: readonly Family[];
}

/** A session with its sub-agents and continuations. */
export interface Family {
  readonly rootId: string;
  readonly first: number;
  readonly last: number;
  readonly running: boolean;
  /** Oldest first. */
  readonly points: readonly CheckpointEntry[];
}

const MOST_TRACKS_OF_AGENT = 6;
/** Two sessions that follow each other within it look like one. */
const APART = 60_000;

export function tracksOf(entries: readonly Entry[]): Track[] {
  const groups = new Map<string, Map<string, CheckpointEntry[]>>();
  // Newest first, so that the agent that was active last is at the top.
  for (const entry of entries) {
    if (entry.type !== 'checkpoint') continue;
    const { session } = entry;
    const group = session === null ? '' : session.executionId === null ? session.agent : '\0steps';
    const families = groups.get(group) ?? new Map<string, CheckpointEntry[]>();
    groups.set(group, families);
    const rootId = session === null ? '' : session.rootId;
    const family = families.get(rootId);
    if (family === undefined) families.set(rootId, [entry]);
    else family.push(entry);
  }
  return [...groups].flatMap(([group, families]) =>
    packed([...families].map(([rootId, points]) => familyOf(rootId, points))).map((track) => ({
      agent: group === '' ? null : (track[0]?.points[0]?.session?.agent ?? null),
      isExecution: group === '\0steps',
      families: track,
    })),
  );
}

function familyOf(rootId: string, newestFirst: CheckpointEntry[]): Family {
  const points = newestFirst.reverse();
  const times = points.map(({ at }) => at);
  return {
    rootId,
    first: times.reduce((a, b) => Math.min(a, b)),
    last: times.reduce((a, b) => Math.max(a, b)),
    running: points.some(({ session }) => session?.running === true),
    points,
  };
}

function packed(families: Family[]): Family[][] {
  const tracks: Family[][] = [];
  for (const family of families.sort((a, b) => a.first - b.first)) {
    const free = tracks.find((track) => (track.at(-1)?.last ?? 0) + APART < family.first);
    if (free !== undefined) free.push(family);
    else if (tracks.length < MOST_TRACKS_OF_AGENT) tracks.push([family]);
    else tracks.at(-1)?.push(family);
  }
  return tracks;
}

/** Points that would lie on each other, as one. */
export interface Mark {
  readonly x: number;
  readonly points: readonly CheckpointEntry[];
  readonly lines: number;
  readonly takenBack: 'no' | 'partly' | 'yes';
}

const MARKS_APART = 9;

/** `points`: oldest first. `xOf` in pixels. */
export function marksOf(
  points: readonly CheckpointEntry[],
  xOf: (time: number) => number,
  [from, to]: readonly [number, number],
): Mark[] {
  const groups: { from: number; points: CheckpointEntry[] }[] = [];
  for (const point of points) {
    const x = xOf(point.at);
    if (x < from || x > to) continue;
    const last = groups.at(-1);
    if (last !== undefined && Math.abs(x - last.from) < MARKS_APART) last.points.push(point);
    else groups.push({ from: x, points: [point] });
  }
  return groups.map(({ from: x, points: together }) => ({
    x: (x + xOf((together.at(-1) as CheckpointEntry).at)) / 2,
    points: together,
    lines: together.reduce((sum, point) => sum + linesOf(point), 0),
    takenBack: together.every((point) => point.takenBack === 'yes')
      ? 'yes'
      : together.some((point) => point.takenBack !== undefined)
        ? 'partly'
        : 'no',
  }));
}
