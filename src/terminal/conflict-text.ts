import { type Conflict, displayLines, displayText, type MergePiece } from '../index.ts';
import { diffText } from './diff-text.ts';
import { fileDiff } from './file-diff.ts';
import type { Paint } from './paint.ts';

type OpenPiece = Extract<MergePiece, { readonly ours: readonly string[] }>;

/** The lines of both sides of a conflict, safe to show. */
export function conflictText({ diff, pieces }: Conflict, paint: Paint): string[] {
  if (pieces === null) return [paint('bold', NOT_BY_LINES), ...diffText(fileDiff(diff), paint)];
  const rows: string[] = [];
  let line = 1;
  for (const piece of pieces) {
    if (isOpen(piece)) {
      rows.push(paint('bold', `${displayText(diff.path)}, line ${line}`));
      rows.push(...sideText('yours', '+', piece.ours).map((row) => paint('green', row)));
      rows.push(...sideText("the rewind's", '-', piece.theirs).map((row) => paint('red', row)));
    }
    line += isOpen(piece) ? piece.ours.length : piece.both.length;
  }
  return rows.length > 0 ? rows : diffText(fileDiff(diff), paint);
}

const NOT_BY_LINES = 'From how the rewind would have it to how you have it:';

function sideText(name: string, sign: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [`  ${name}: nothing`];
  const shown = lines.map((line) => displayLines(textOf([line]).replace(/\r?\n$/, '')));
  return [`  ${name}:`, ...shown.map((line) => `  ${sign}${line}`)];
}

function isOpen(piece: MergePiece): piece is OpenPiece {
  return 'ours' in piece;
}

/** Lines come as bytes, one for each character. */
function textOf(lines: readonly string[]): string {
  return Buffer.from(lines.join(''), 'latin1').toString('utf8');
}

const MARKERS = ['<<<<<<< yours', '=======', ">>>>>>> the rewind's"] as const;

/** Both texts in one, with markers around the lines to decide about; null where an editor could not hold them. */
export function markedText({ pieces }: Conflict): string | null {
  if (pieces === null || !pieces.some(isOpen)) return null;
  const lines = pieces.flatMap((piece) => (isOpen(piece) ? marked(piece) : piece.both));
  const text = textOf(lines);
  return text.includes('\ufffd') ? null : text;
}

/** What the last line of the merged text ends with: an editor ends each file with a line break. */
export function lineEndOf({ pieces }: Conflict): string {
  const lines = (pieces ?? []).map((piece) => {
    if (!isOpen(piece)) return piece.both;
    return piece.ours.length > 0 ? piece.ours : piece.theirs;
  });
  const last = lines.findLast(({ length }) => length > 0)?.at(-1) ?? '';
  return /\r?\n$/.exec(last)?.[0] ?? '';
}

function marked({ ours, theirs }: OpenPiece): string[] {
  const [begin, middle, end] = MARKERS.map((marker) => `${marker}\n`);
  return [begin ?? '', ...ours.map(ended), middle ?? '', ...theirs.map(ended), end ?? ''];
}

/** A marker begins a line of its own. */
function ended(line: string): string {
  return line.endsWith('\n') ? line : `${line}\n`;
}

/** Whether a marker was left in a text that a person made of `markedText`. */
export function hasMarkers(text: string, { diff }: Conflict): boolean {
  // A line of "=" may be the file's own.
  const own = [diff.beforeBytes, diff.afterBytes].map((bytes) =>
    Buffer.from(bytes ?? []).toString(),
  );
  return MARKERS.some((marker) => {
    const most = Math.max(...own.map((side) => timesIn(side, marker)));
    return timesIn(text, marker) > most;
  });
}

function timesIn(text: string, marker: string): number {
  return text.split(/\r?\n/).filter((line) => line.trimEnd() === marker).length;
}
