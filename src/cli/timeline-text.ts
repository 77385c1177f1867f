import { type CheckpointId, displayText, type ListedCheckpoint } from '../index.ts';
import type { Paint } from './paint.ts';
import { plural } from './plural.ts';
import { relativeTime } from './relative-time.ts';
import { clipWidth, padWidth, textWidth } from './text-width.ts';

export interface TimelineView {
  readonly checkpoints: readonly ListedCheckpoint[];
  /** From `uniqueLengths`. */
  readonly lengths: ReadonlyMap<CheckpointId, number>;
  readonly now: number;
  readonly columns: number;
  readonly paint: Paint;
  /** A number before each row, for choosing. */
  readonly numbered?: boolean;
}

const SHOWN_ID = 8;
const LEAST_WHAT = 20;
const NARROW = 60;
const GAP = '  ';

/** The timeline as rows, newest first, under a heading. */
export function timelineText(view: TimelineView): string[] {
  const narrow = view.columns < NARROW;
  const heading = headingOf(view, narrow);
  const rows = view.checkpoints.map((checkpoint, i) => cellsOf(checkpoint, i, view, narrow));
  const widths = heading.map((title, column) =>
    Math.max(...[title, ...rows.map((row) => row[column] ?? '')].map(textWidth)),
  );
  const taken = widths.reduce((sum, width) => sum + width + GAP.length, 0);
  const room = narrow ? view.columns - GAP.length : Math.max(LEAST_WHAT, view.columns - taken);
  const lines = view.checkpoints.flatMap((checkpoint, i) => {
    const row = rows[i] ?? [];
    const line = painted(joined(row, widths), row, checkpoint, view);
    const what = GAP + descriptionOf(checkpoint, room);
    return narrow ? [line, faded(what, checkpoint, view)] : [line + faded(what, checkpoint, view)];
  });
  const title = joined(heading, widths) + (narrow ? '' : `${GAP}WHAT`);
  return [view.paint('dim', title.trimEnd()), ...lines.map((line) => line.trimEnd())];
}

/** Where there is little room, what was said gets a line of its own, and the kind is left out. */
function headingOf({ numbered }: TimelineView, narrow: boolean): string[] {
  const titles = narrow ? ['ID', 'WHEN', 'PATHS'] : ['ID', 'WHEN', 'KIND', 'PATHS'];
  return numbered ? ['#', ...titles] : titles;
}

/** The beginning of an id that is shown; what has to be typed is painted. */
export function shownId(id: CheckpointId, length: number): string {
  return id.slice(0, Math.max(SHOWN_ID, length));
}

function cellsOf(
  checkpoint: ListedCheckpoint,
  i: number,
  view: TimelineView,
  narrow: boolean,
): string[] {
  const { id, createdAt, kind, files } = checkpoint;
  return [
    ...(view.numbered ? [String(i + 1)] : []),
    shownId(id, view.lengths.get(id) ?? id.length),
    relativeTime(createdAt, view.now),
    ...(narrow ? [] : [kind]),
    files === 0 ? '-' : plural(files, 'path'),
  ];
}

function descriptionOf({ description, label }: ListedCheckpoint, columns: number): string {
  const what = label === null || label === description ? description : `[${label}] ${description}`;
  return clipWidth(displayText(what), columns);
}

function joined(cells: readonly string[], widths: readonly number[]): string {
  return cells.map((cell, i) => padWidth(cell, widths[i] ?? 0)).join(GAP);
}

/** Emphasises the part of the id that is enough to type. */
function painted(
  line: string,
  row: readonly string[],
  checkpoint: ListedCheckpoint,
  view: TimelineView,
): string {
  const { lengths, paint, numbered } = view;
  const shown = row[numbered ? 1 : 0] ?? '';
  const at = line.indexOf(shown);
  const enough = lengths.get(checkpoint.id) ?? shown.length;
  const id =
    paint('bold', paint('cyan', shown.slice(0, enough))) + paint('dim', shown.slice(enough));
  return line.slice(0, at) + id + faded(line.slice(at + shown.length), checkpoint, view);
}

/** What a rewind kept first is there to be found, not to be looked at. */
function faded(text: string, { kind }: ListedCheckpoint, { paint }: TimelineView): string {
  return kind === 'safety' ? paint('dim', text) : text;
}
