import {
  type CheckpointId,
  type CheckpointQuery,
  displayText,
  type LineCount,
  type ListedCheckpoint,
  RUN_AGENT,
  type Session,
} from '../index.ts';
import type { Paint } from '../terminal/paint.ts';
import { checkpointName, filesText, relativeTime, shortSession } from '../terminal/phrases.ts';
import { clipWidth, textWidth, widestOf } from '../terminal/text-width.ts';

export interface TimelineView {
  readonly checkpoints: readonly ListedCheckpoint[];
  /** From `Savepoint.uniqueLengths`. */
  readonly lengths: ReadonlyMap<CheckpointId, number>;
  readonly now: number;
  readonly columns: number;
  readonly paint: Paint;
  /** A number before each row, for choosing. */
  readonly numbered?: boolean;
  /** How many lines changed, for the checkpoints where somebody counted. */
  readonly lines?: ReadonlyMap<CheckpointId, LineCount>;
  /** The checkpoint at which the files stand, which gets a mark. Without it there is no column for marks. */
  readonly current?: CheckpointId | null;
}

const SHOWN_ID = 8;
const LEAST_WHAT = 24;
const GAP = '  ';
const MARK = '@';

/** The timeline as rows, newest first. */
export function timelineText(view: TimelineView): string[] {
  return [...rowsOf(view).values()].flat();
}

/** The same in groups, each under its heading. */
export function groupedText(groups: readonly Group[], view: TimelineView): string[] {
  const rows = rowsOf(view);
  return groups.flatMap(({ heading, checkpoints }, i) => [
    ...(i === 0 ? [] : ['']),
    view.paint('bold', clipWidth(heading, view.columns)),
    ...checkpoints.flatMap(({ id }) => rows.get(id) ?? []),
  ]);
}

/** One line for each checkpoint; where there is little room, what was said gets a line of its own. */
function rowsOf(view: TimelineView): Map<CheckpointId, string[]> {
  const rows = view.checkpoints.map((checkpoint, i) => {
    return cellsOf(checkpoint, i, isTakenBack(checkpoint) ? { ...view, paint: unpainted } : view);
  });
  const widths = (rows[0] ?? []).map((_, column) =>
    widestOf(rows.map((row) => row[column]?.text ?? '')),
  );
  const filled = fitting(widths, view);
  const taken = takenBy(filled);
  const room = view.columns - taken;
  const narrow = room < LEAST_WHAT;
  return new Map(
    view.checkpoints.map((checkpoint, i) => {
      const cells = filled.map(({ width, column }) => padded(rows[i]?.[column], width));
      const what = checkpointName(checkpoint);
      const shown = clipWidth(what, narrow ? view.columns - 2 * GAP.length : room);
      const row = cells.join(GAP);
      const lines = narrow ? [row, GAP + GAP + shown] : [row + GAP + shown];
      return [checkpoint.id, lines.map((line) => faded(line.trimEnd(), checkpoint, view))];
    }),
  );
}

/** The whole row is dim; its description says so too, for those who see no colours. */
function faded(line: string, checkpoint: ListedCheckpoint, { paint }: TimelineView): string {
  return isTakenBack(checkpoint) ? paint('dim', line) : line;
}

function isTakenBack({ takenBack }: ListedCheckpoint): boolean {
  return takenBack === 'yes';
}

const unpainted: Paint = (_style, text) => text;

interface Column {
  readonly width: number;
  readonly column: number;
}

/** Columns that hold something; at a very narrow terminal the last ones go, down to id and time. */
function fitting(widths: readonly number[], { columns, numbered }: TimelineView): Column[] {
  const filled = widths
    .map((width, column) => ({ width, column }))
    .filter(({ width }) => width > 0);
  while (filled.length > (numbered ? 3 : 2) && takenBy(filled) - GAP.length > columns) filled.pop();
  return filled;
}

function takenBy(columns: readonly Column[]): number {
  return columns.reduce((sum, { width }) => sum + width + GAP.length, 0);
}

/** What a cell says, and the same as it is printed. */
interface Cell {
  readonly text: string;
  readonly painted: string;
}

function cellsOf(checkpoint: ListedCheckpoint, i: number, view: TimelineView): Cell[] {
  const plain = (text: string): Cell => ({ text, painted: text });
  return [
    ...(view.numbered ? [plain(String(i + 1))] : []),
    idCell(checkpoint.id, view),
    plain(relativeTime(checkpoint.createdAt, view.now)),
    plain(filesText(checkpoint)),
    linesCell(view.lines?.get(checkpoint.id), view.paint),
  ];
}

/** Emphasises the part of the id that is enough to type. */
function idCell(id: CheckpointId, { lengths, current, paint }: TimelineView): Cell {
  const enough = lengths.get(id) ?? id.length;
  const shown = id.slice(0, Math.max(SHOWN_ID, enough));
  const isCurrent = id === current;
  const painted =
    paint('bold', paint('cyan', shown.slice(0, enough))) + paint('dim', shown.slice(enough));
  if (current === undefined) return { text: shown, painted };
  const mark = isCurrent ? paint('bold', paint('green', MARK)) : ' ';
  return { text: `${MARK} ${shown}`, painted: `${mark} ${painted}` };
}

function linesCell(lines: LineCount | undefined, paint: Paint): Cell {
  const { insertions = 0, deletions = 0 } = lines ?? {};
  const parts = [
    ...(insertions > 0 ? [['green', `+${insertions}`] as const] : []),
    ...(deletions > 0 ? [['red', `-${deletions}`] as const] : []),
  ];
  return {
    text: parts.map(([, text]) => text).join(' '),
    painted: parts.map(([style, text]) => paint(style, text)).join(' '),
  };
}

function padded(cell: Cell | undefined, width: number): string {
  const { text, painted } = cell ?? { text: '', painted: '' };
  return painted + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** Checkpoints that are shown under one heading. */
interface Group {
  readonly heading: string;
  readonly checkpoints: readonly ListedCheckpoint[];
}

/**
 * By session, the one with the newest checkpoint first. A checkpoint that was made by hand stands where it
 * was made: above the checkpoint before it, whichever session's that is.
 */
export function groupBySession(
  checkpoints: readonly ListedCheckpoint[],
  sessions: readonly Session[],
  now: number,
): Group[] {
  const ids = sessions.map(({ id }) => id);
  const byId = new Map(sessions.map((session) => [session.id, session]));
  const keys = keysOf(checkpoints);
  const groups = Map.groupBy(checkpoints, ({ id }) => keys.get(id) ?? BY_HAND);
  return [...groups].map(([key, members]) => {
    if (typeof key === 'symbol') return { heading: key.description ?? '', checkpoints: members };
    const session = byId.get(key);
    // A session that ended in between is known by its id alone.
    const heading = session === undefined ? shown(key) : title(session, ids, now);
    return { heading, checkpoints: members };
  });
}

// Groups without a session. Symbols cannot be confused with ids, which are texts.
const BY_HAND = Symbol('by hand');
const RUNS = Symbol('savepoint run');

type GroupKey = string | symbol;

/** The group of each checkpoint; of one made by hand, that of the one before it, else of the one after it. */
function keysOf(newestFirst: readonly ListedCheckpoint[]): Map<CheckpointId, GroupKey> {
  const own = newestFirst.map((checkpoint) => ({ id: checkpoint.id, key: keyOf(checkpoint) }));
  const keys = new Map<CheckpointId, GroupKey>();
  let key = own.findLast((one) => one.key !== BY_HAND)?.key ?? BY_HAND;
  for (const one of own.toReversed()) {
    if (one.key !== BY_HAND) key = one.key;
    keys.set(one.id, key);
  }
  return keys;
}

/** Each run of `savepoint run` is a session of its own; a heading for each would say nothing. */
function keyOf({ sessionId, agent }: ListedCheckpoint): GroupKey {
  if (sessionId === null) return BY_HAND;
  return agent === RUN_AGENT ? RUNS : sessionId;
}

const LONGEST_NAME = 30;

function title(session: Session, ids: readonly string[], now: number): string {
  const { agent, id, rootId, lastActiveAt, archivedAt } = session;
  const about = [
    `active ${relativeTime(lastActiveAt, now)}`,
    ...(archivedAt === null ? [] : ['archived']),
    ...(rootId === id ? [] : [`part of ${shown(shortSession(rootId, ids))}`]),
  ];
  return `${shown(agent)}  ${shown(shortSession(id, ids))}  ${about.join(', ')}`;
}

function shown(text: string): string {
  return clipWidth(displayText(text), LONGEST_NAME);
}

/** Checkpoints that somebody made. Those that rewinds made of what was there before are in `savepoint ops`. */
export const MADE: NonNullable<CheckpointQuery['kinds']> = ['message', 'step', 'manual'];
