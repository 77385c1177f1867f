import type { KeptLines } from '../model/plan.ts';
import { diffLines, type Hunk, splitLines } from './line-diff.ts';

export interface DiffLine {
  readonly kind: 'context' | 'add' | 'remove';
  /** Without the newline. Bytes that are not UTF-8 became a replacement character. Not yet safe to show. */
  readonly text: string;
  /** The file ends after this line, without a newline. */
  readonly noNewline?: true;
}

/** One "@@" block, numbered as `diff -u` does. */
export interface DiffHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly DiffLine[];
}

/** How many places are tried for a hunk that fits in several, and how many blank lines are skipped. */
const MAX_SLIDE = 100;
const MAX_BLANKS = 20;

/** A change as people read it, with `context` unchanged lines around each block. */
export function unifiedHunks(before: Uint8Array, after: Uint8Array, context = 3): DiffHunk[] {
  const a = splitLines(before);
  const b = splitLines(after);
  return groupsOf(readableHunks(a, b), context).map((group) => {
    const above = Math.min(context, group[0].aStart);
    const below = Math.min(context, a.length - lastOf(group).aEnd);
    return unified(group, a, b, { above, below });
  });
}

/** A hunk as people read it, and the lines that changed in it, each byte one character. */
export interface SingleHunk extends DiffHunk, Hunk {
  readonly old: Lines;
  readonly new: Lines;
}

export interface SingleHunksOptions {
  readonly context: number;
  /** Lines of `after` (now) that are known to be lines of `before` (after a rewind). */
  readonly kept?: readonly KeptLines[] | undefined;
}

/** As `unifiedHunks`, with each hunk by itself, however near the next one is. None holds a line that is kept. */
export function singleHunks(
  before: Uint8Array,
  after: Uint8Array,
  { context, kept }: SingleHunksOptions,
): SingleHunk[] {
  const a = splitLines(before);
  const b = splitLines(after);
  return readableHunks(a, b, kept).map((hunk, i, all) => {
    const above = Math.min(context, hunk.aStart - (all[i - 1]?.aEnd ?? 0));
    const below = Math.min(context, (all[i + 1]?.aStart ?? a.length) - hunk.aEnd);
    const changed = { old: a.slice(hunk.aStart, hunk.aEnd), new: b.slice(hunk.bStart, hunk.bEnd) };
    return { ...hunk, ...changed, ...unified([hunk], a, b, { above, below }) };
  });
}

/** The changed ranges, each in the place where a reader looks for it. Lines have their line breaks. */
export function readableHunks(a: Lines, b: Lines, kept: readonly KeptLines[] = []): Hunk[] {
  return hunksBetween(a, b, kept).map((hunk, i, all) => slideUp(hunk, all[i - 1], a, b));
}

/** The shortest difference need not pair up lines that are the same: those that are known to be are not compared. */
function hunksBetween(a: Lines, b: Lines, kept: readonly KeptLines[]): Hunk[] {
  const hunks: Hunk[] = [];
  let [aDone, bDone] = [0, 0];
  for (const { now, after, count } of [...kept, { now: b.length, after: a.length, count: 0 }]) {
    const [from, to] = [aDone, bDone];
    for (const hunk of diffLines(a.slice(from, after), b.slice(to, now))) {
      hunks.push({
        aStart: hunk.aStart + from,
        aEnd: hunk.aEnd + from,
        bStart: hunk.bStart + to,
        bEnd: hunk.bEnd + to,
      });
    }
    [aDone, bDone] = [after + count, now + count];
  }
  return hunks;
}

/** How many lines a change added and took away. */
export function countLines(
  before: Uint8Array,
  after: Uint8Array,
): { insertions: number; deletions: number } {
  const hunks = diffLines(splitLines(before), splitLines(after));
  return {
    insertions: hunks.reduce((sum, { bStart, bEnd }) => sum + bEnd - bStart, 0),
    deletions: hunks.reduce((sum, { aStart, aEnd }) => sum + aEnd - aStart, 0),
  };
}

type Lines = readonly string[];

/**
 * `diffLines` puts a hunk that fits in several places into the lowest. A reader prefers one that begins
 * where a function or an entry begins: at the outermost indentation, best after a blank line.
 */
function slideUp(hunk: Hunk, previous: Hunk | undefined, a: Lines, b: Lines): Hunk {
  const { aStart, aEnd, bStart, bEnd } = hunk;
  if (aStart < aEnd && bStart < bEnd) return hunk;
  const lines = aStart === aEnd ? b : a;
  const [start, end] = aStart === aEnd ? [bStart, bEnd] : [aStart, aEnd];
  const room = aStart - (previous?.aEnd ?? 0);
  let best = 0;
  for (let up = 1; up <= Math.min(room, MAX_SLIDE); up++) {
    if (lines[start - up] !== lines[end - up]) break;
    if (oddness(lines, start - up) < oddness(lines, start - best)) best = up;
  }
  return { aStart: aStart - best, aEnd: aEnd - best, bStart: bStart - best, bEnd: bEnd - best };
}

/** How odd a hunk looks that begins here: more for a deeper indentation, and within a paragraph. */
function oddness(lines: Lines, start: number): number {
  const first = lines.slice(start, start + MAX_BLANKS).find((line) => !isBlank(line));
  const afterBlank = isBlank(lines[start - 1] ?? '');
  return 2 * (first?.search(/\S/) ?? 0) + (afterBlank ? 0 : 1);
}

function isBlank(line: string): boolean {
  return line.trim() === '';
}

type Group = [Hunk, ...Hunk[]];

/** Hunks whose context would overlap or touch are shown in one block. */
function groupsOf(hunks: readonly Hunk[], context: number): Group[] {
  const groups: Group[] = [];
  for (const hunk of hunks) {
    const group = groups.at(-1);
    if (group && hunk.aStart - lastOf(group).aEnd <= 2 * context) group.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}

function lastOf(group: Group): Hunk {
  return group.at(-1) ?? group[0];
}

function unified(
  group: Group,
  a: Lines,
  b: Lines,
  { above, below }: { readonly above: number; readonly below: number },
): DiffHunk {
  const [first, last] = [group[0], lastOf(group)];
  const lines = group.flatMap((hunk, i) => [
    ...shown('context', a.slice(group[i - 1]?.aEnd ?? first.aStart - above, hunk.aStart)),
    ...shown('remove', a.slice(hunk.aStart, hunk.aEnd)),
    ...shown('add', b.slice(hunk.bStart, hunk.bEnd)),
  ]);
  const oldLines = last.aEnd + below - first.aStart + above;
  const newLines = last.bEnd + below - first.bStart + above;
  return {
    oldStart: lineNumber(first.aStart - above, oldLines),
    oldLines,
    newStart: lineNumber(first.bStart - above, newLines),
    newLines,
    lines: [...lines, ...shown('context', a.slice(last.aEnd, last.aEnd + below))],
  };
}

/** Lines count from 1; a block without lines has the number of the line before it. */
function lineNumber(index: number, count: number): number {
  return count === 0 ? index : index + 1;
}

function shown(kind: DiffLine['kind'], lines: Lines): DiffLine[] {
  return lines.map((line) => {
    const ended = line.endsWith('\n');
    const text = asUtf8(ended ? line.slice(0, -1) : line);
    return ended ? { kind, text } : { kind, text, noNewline: true };
  });
}

const ONLY_ASCII = /^[\x00-\x7f]*$/;

/** Most lines are ASCII, which is the same in both. */
function asUtf8(latin1: string): string {
  return ONLY_ASCII.test(latin1) ? latin1 : Buffer.from(latin1, 'latin1').toString('utf8');
}
