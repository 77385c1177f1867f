import { expect, test } from 'vitest';
import { textDiff } from './text-diff.ts';
import { wordMarks } from './word-marks.ts';

function marked(before: string, after: string): { before: string[]; after: string[] } {
  const diff = textDiff(before, after);
  const marks = wordMarks(diff.before, diff.after, diff.hunks);
  const words = (side: 'before' | 'after') =>
    [...marks[side]].flatMap(([line, ranges]) =>
      ranges.map(([start, end]) => diff[side][line]?.slice(start, end) ?? ''),
    );
  return { before: words('before'), after: words('after') };
}

test('marks the words that differ, and no part of a word', () => {
  expect(marked('return count + 1;\n', 'return counter + 2;\n')).toEqual({
    before: ['count', '1'],
    after: ['counter', '2'],
  });
});

test('marks only what was added', () => {
  expect(marked('call(a);\n', 'call(a, b);\n')).toEqual({ before: [], after: [', b'] });
});

test('marks nothing in a line that was replaced by another', () => {
  expect(marked('import fs from "node:fs";\n', 'export class Bicycle {}\n')).toEqual({
    before: [],
    after: [],
  });
});

test('marks letters of every script as words', () => {
  expect(marked('Größe = Länge * 2\n', 'Größe = Breite * 2\n')).toEqual({
    before: ['Länge'],
    after: ['Breite'],
  });
});
