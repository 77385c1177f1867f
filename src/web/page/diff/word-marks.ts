import { diffLines, type Hunk } from '../../../plan/line-diff.ts';
import type { Sides } from './text-diff.ts';

/** Characters [start, end) of a line. */
export type Range = readonly [start: number, end: number];

export type WordMarks = Sides<ReadonlyMap<number, readonly Range[]>>;

type Lines = readonly string[];

/** Lines that have less than this in common were not edited but replaced: marks would be noise. */
const LEAST_COMMON = 0.4;
const LONGEST_LINE = 1_000;

/** The words that differ between a removed line and the added one that stands in its place. */
export function wordMarks(before: Lines, after: Lines, hunks: readonly Hunk[]): WordMarks {
  const marks = { before: new Map<number, Range[]>(), after: new Map<number, Range[]>() };
  for (const { aStart, aEnd, bStart, bEnd } of hunks) {
    const pairs = Math.min(aEnd - aStart, bEnd - bStart);
    for (let i = 0; i < pairs; i++) {
      const found = marksOf(before[aStart + i] ?? '', after[bStart + i] ?? '');
      if (found === null) continue;
      marks.before.set(aStart + i, found.before);
      marks.after.set(bStart + i, found.after);
    }
  }
  return marks;
}

function marksOf(before: string, after: string): Sides<Range[]> | null {
  if (Math.max(before.length, after.length) > LONGEST_LINE) return null;
  const [a, b] = [wordsOf(before), wordsOf(after)];
  const hunks = diffLines(a, b);
  const removed = hunks.map(({ aStart, aEnd }): Range => [aStart, aEnd]);
  const added = hunks.map(({ bStart, bEnd }): Range => [bStart, bEnd]);
  const marks = { before: rangesOf(a, removed), after: rangesOf(b, added) };
  const differing = lengthOf(marks.before) + lengthOf(marks.after);
  const common = 1 - differing / Math.max(1, before.trim().length + after.trim().length);
  return common < LEAST_COMMON ? null : marks;
}

function wordsOf(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

function rangesOf(words: Lines, hunks: readonly Range[]): Range[] {
  const starts = [0];
  for (const word of words) starts.push((starts.at(-1) ?? 0) + word.length);
  return hunks.flatMap(([start, end]): Range[] => {
    return start === end ? [] : [[starts[start] ?? 0, starts[end] ?? 0]];
  });
}

function lengthOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, [start, end]) => sum + end - start, 0);
}
