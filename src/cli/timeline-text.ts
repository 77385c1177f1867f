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
const LEAST_DESCRIPTION = 20;
const GAP = '  ';

/** The timeline as rows, newest first, under a heading. */
export function timelineText(view: TimelineView): string[] {
  const rows = view.checkpoints.map((checkpoint, i) => cellsOf(checkpoint, i, view));
  const heading = view.numbered ? ['#', ...HEADING] : HEADING;
  const widths = heading.map((title, column) =>
    Math.max(...[title, ...rows.map((row) => row[column] ?? '')].map(textWidth)),
  );
  return [
    view.paint('dim', joined(heading, widths)),
    ...rows.map((row, i) => painted(joined(row, widths), row, view.checkpoints[i], view)),
  ].map((line) => line.trimEnd());
}

const HEADING = ['ID', 'WHEN', 'KIND', 'FILES', 'WHAT'];

/** The beginning of an id that is shown; what has to be typed is painted. */
export function shownId(id: CheckpointId, length: number): string {
  return id.slice(0, Math.max(SHOWN_ID, length));
}

function cellsOf(checkpoint: ListedCheckpoint, i: number, view: TimelineView): string[] {
  const { id, createdAt, kind, files, description, label } = checkpoint;
  const what = label === null || label === description ? description : `[${label}] ${description}`;
  const cells = [
    shownId(id, view.lengths.get(id) ?? id.length),
    relativeTime(createdAt, view.now),
    kind,
    files === 0 ? '-' : plural(files, 'file'),
    displayText(what),
  ];
  const all = view.numbered ? [String(i + 1), ...cells] : cells;
  const taken = all.slice(0, -1).reduce((sum, cell) => sum + textWidth(cell) + GAP.length, 0);
  const room = Math.max(LEAST_DESCRIPTION, view.columns - taken);
  return [...all.slice(0, -1), clipWidth(all.at(-1) ?? '', room)];
}

function joined(cells: readonly string[], widths: readonly number[]): string {
  return cells.map((cell, i) => padWidth(cell, widths[i] ?? 0)).join(GAP);
}

/** Emphasises the part of the id that is enough to type. */
function painted(
  line: string,
  row: readonly string[],
  checkpoint: ListedCheckpoint | undefined,
  { lengths, paint, numbered }: TimelineView,
): string {
  if (checkpoint === undefined) return line;
  const shown = row[numbered ? 1 : 0] ?? '';
  const at = line.indexOf(shown);
  const enough = lengths.get(checkpoint.id) ?? shown.length;
  const id =
    paint('bold', paint('cyan', shown.slice(0, enough))) + paint('dim', shown.slice(enough));
  const rest = line.slice(at + shown.length);
  const faded = checkpoint.kind === 'safety' ? paint('dim', rest) : rest;
  return line.slice(0, at) + id + faded;
}
