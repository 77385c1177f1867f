import { describe, expect, test } from 'vitest';
import { type Layout, linesOf, piecesOf, textDiff } from './text-diff.ts';

const UNIFIED: Layout = { style: 'unified', context: 3, opened: new Set() };
const SPLIT: Layout = { ...UNIFIED, style: 'split' };

function numbered(count: number): string {
  return Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('');
}

/** Each row in a few signs: what is on both sides, and folded lines as "...N". */
function drawn(before: string, after: string, layout: Layout): string[] {
  const diff = textDiff(before, after);
  return piecesOf(diff, layout).flatMap((piece) => {
    if (piece.kind === 'gap') return [`...${piece.gap.count}`];
    return piece.rows.map((row) => {
      const left = row.before === null ? '' : diff.before[row.before];
      const right = row.after === null ? '' : diff.after[row.after];
      return row.kind === 'same' ? `  ${left}` : `${row.kind}: ${left} | ${right}`;
    });
  });
}

describe('rows of a diff', () => {
  test('stand one below the other', () => {
    expect(drawn('a\nb\nc\n', 'a\nB\nC\nc\n', UNIFIED)).toEqual([
      '  a',
      'removed: b | ',
      'added:  | B',
      'added:  | C',
      '  c',
    ]);
  });

  test('stand side by side', () => {
    expect(drawn('a\nb\nc\n', 'a\nB\nC\nc\n', SPLIT)).toEqual([
      '  a',
      'changed: b | B',
      'added:  | C',
      '  c',
    ]);
  });

  test('fold lines that are far from every change', () => {
    const before = numbered(40);
    const after = before.replace('line 20\n', 'line twenty\n');
    const rows = drawn(before, after, SPLIT);
    expect(rows[0]).toBe('...16');
    expect(rows).toContain('changed: line 20 | line twenty');
    expect(rows.at(-1)).toBe('...17');
  });

  test('show a gap that was opened, and leave the others folded', () => {
    const before = numbered(40);
    const after = before.replace('line 20\n', 'line twenty\n');
    const rows = drawn(before, after, { ...SPLIT, opened: new Set([0]) });
    expect(rows[0]).toBe('  line 1');
    expect(rows.at(-1)).toBe('...17');
  });

  test('show lines that a reader asked for, with their context', () => {
    const text = numbered(40);
    const rows = drawn(text, text, { ...UNIFIED, alsoShown: (at) => at === 9 });
    expect(rows).toEqual([
      '...6',
      ...numbered(13)
        .split('\n')
        .slice(6, 13)
        .map((l) => `  ${l}`),
      '...27',
    ]);
  });

  test('lose and double no line, whatever is folded', () => {
    const before = numbered(200);
    const after = linesOf(before)
      .filter((_, i) => i % 17 !== 0)
      .map((line, i) => (i % 23 === 0 ? `new\n${line}` : line))
      .join('');
    const diff = textDiff(before, after);
    for (const style of ['unified', 'split'] as const) {
      const seen = { before: [] as number[], after: [] as number[] };
      for (const piece of piecesOf(diff, { style, context: 2, opened: new Set() })) {
        if (piece.kind === 'gap') {
          for (let i = 0; i < piece.gap.count; i++) {
            seen.before.push(piece.gap.before + i);
            seen.after.push(piece.gap.after + i);
          }
        } else {
          for (const row of piece.rows) {
            if (row.before !== null) seen.before.push(row.before);
            if (row.after !== null) seen.after.push(row.after);
          }
        }
      }
      expect(seen.before).toEqual(diff.before.map((_, i) => i));
      expect(seen.after).toEqual(diff.after.map((_, i) => i));
    }
  });
});

describe('lines of a diff', () => {
  test('show characters that could deceive a reader', () => {
    const { after } = textDiff('', 'let a = "\u202etxt";\n\u2028\n');
    expect(after).toEqual(['let a = "\\u{202e}txt";', '\\u{2028}']);
  });

  test('say once that all lines end with CRLF', () => {
    const diff = textDiff('a\r\nb\r\n', 'a\r\nc\r\n');
    expect(diff.lineEnds).toBe('crlf');
    expect(diff.after).toEqual(['a', 'c']);
  });

  test('show a line end that only some lines have', () => {
    expect(textDiff('a\r\nb\n', 'a\nb\n').before).toEqual(['a\\r', 'b']);
  });

  test('differ where only the last line break is missing', () => {
    const diff = textDiff('a\nb\n', 'a\nb');
    expect(diff.hunks).toHaveLength(1);
    expect(diff.openEnds).toEqual({ before: false, after: true });
  });
});
