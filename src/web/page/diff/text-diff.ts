import { displayLines } from '../../../model/display.ts';
import type { Hunk } from '../../../plan/line-diff.ts';
import { readableHunks } from '../../../plan/unified-diff.ts';
import type { DiffStyle } from './diff-style.tsx';

export interface Sides<T> {
  readonly before: T;
  readonly after: T;
}

/** Two texts, line by line, safe to show, and where they differ. */
export interface TextDiff extends Sides<readonly string[]> {
  readonly hunks: readonly Hunk[];
  /** Said once for the file instead of in each line. */
  readonly lineEnds: 'crlf' | 'lf';
  /** Sides whose last line has no line break. */
  readonly openEnds: Sides<boolean>;
}

export function textDiff(before: string, after: string): TextDiff {
  const [a, b] = [linesOf(before), linesOf(after)];
  const all = [...a, ...b];
  const isCrlf = all.length > 0 && all.every((line) => line.endsWith('\r\n'));
  return {
    before: a.map((line) => shown(line, isCrlf)),
    after: b.map((line) => shown(line, isCrlf)),
    hunks: readableHunks(a, b),
    lineEnds: isCrlf ? 'crlf' : 'lf',
    openEnds: { before: isOpen(before), after: isOpen(after) },
  };
}

/** Lines with their line breaks, so that one without differs from one with it. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function shown(line: string, isCrlf: boolean): string {
  return displayLines(line.replace(isCrlf ? /\r\n$/ : /\n$/, ''));
}

function isOpen(text: string): boolean {
  return text !== '' && !text.endsWith('\n');
}

/** A row of the table. In a unified diff one of the sides of a changed row is null. */
export interface DiffRow extends Sides<number | null> {
  readonly kind: 'same' | 'removed' | 'added' | 'changed';
}

/** Unchanged lines that are folded away; both sides have them. */
export interface Gap extends Sides<number> {
  readonly count: number;
}

export type Piece =
  | { readonly kind: 'rows'; readonly rows: readonly DiffRow[] }
  | { readonly kind: 'gap'; readonly gap: Gap };

export interface Layout {
  readonly style: DiffStyle;
  /** Unchanged lines around a change. */
  readonly context: number;
  /** Gaps that a person opened, by the line of the new side at which they begin. */
  readonly opened: ReadonlySet<number>;
  /** Lines of the new side (from 0) that are shown although nothing changes there. */
  readonly alsoShown?: (after: number) => boolean;
}

/** The rows to draw, in order. */
export function piecesOf(diff: TextDiff, layout: Layout): Piece[] {
  const pieces: Piece[] = [];
  let rows: DiffRow[] = [];
  const add = (more: readonly DiffRow[]) => {
    if (rows.length === 0 && more.length > 0) {
      rows = [];
      pieces.push({ kind: 'rows', rows });
    }
    for (const row of more) rows.push(row);
  };
  let [a, b] = [0, 0];
  for (const [i, hunk] of [...diff.hunks, null].entries()) {
    const end = hunk?.bStart ?? diff.after.length;
    const edges = { isFirst: i === 0, isLast: hunk === null };
    for (const part of unchanged(a, b, end - b, edges, layout)) {
      if (part.kind === 'rows') add(part.rows);
      else {
        pieces.push(part);
        rows = [];
      }
    }
    if (hunk === null) break;
    add(layout.style === 'split' ? sideBySide(hunk) : oneBelowTheOther(hunk));
    [a, b] = [hunk.aEnd, hunk.bEnd];
  }
  return pieces;
}

/** A gap is worth its row from here on. */
const LEAST_GAP = 4;

function unchanged(
  a: number,
  b: number,
  count: number,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
  { context, opened, alsoShown }: Layout,
): Piece[] {
  const isNear = (i: number) => (!isFirst && i < context) || (!isLast && i >= count - context);
  const isWanted = (i: number) => {
    if (isNear(i) || context === Number.POSITIVE_INFINITY) return true;
    if (alsoShown === undefined) return false;
    for (let near = -context; near <= context; near++) if (alsoShown(b + i + near)) return true;
    return false;
  };
  const pieces: Piece[] = [];
  for (let i = 0; i < count; ) {
    const start = i;
    const wanted = isWanted(i);
    while (i < count && isWanted(i) === wanted) i++;
    const rows = Array.from({ length: i - start }, (_, n): DiffRow => {
      return { before: a + start + n, after: b + start + n, kind: 'same' };
    });
    const isGap = !wanted && rows.length >= LEAST_GAP && !opened.has(b + start);
    const gap = { before: a + start, after: b + start, count: rows.length };
    pieces.push(isGap ? { kind: 'gap', gap } : { kind: 'rows', rows });
  }
  return pieces;
}

function oneBelowTheOther({ aStart, aEnd, bStart, bEnd }: Hunk): DiffRow[] {
  return [
    ...numbers(aStart, aEnd).map((before): DiffRow => ({ before, after: null, kind: 'removed' })),
    ...numbers(bStart, bEnd).map((after): DiffRow => ({ before: null, after, kind: 'added' })),
  ];
}

function sideBySide({ aStart, aEnd, bStart, bEnd }: Hunk): DiffRow[] {
  const height = Math.max(aEnd - aStart, bEnd - bStart);
  return numbers(0, height).map((i): DiffRow => {
    const before = aStart + i < aEnd ? aStart + i : null;
    const after = bStart + i < bEnd ? bStart + i : null;
    const kind = before === null ? 'added' : after === null ? 'removed' : 'changed';
    return { before, after, kind };
  });
}

function numbers(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, i) => start + i);
}
