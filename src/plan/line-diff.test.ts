import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../test/property/runs.ts';
import { diffLines, type Hunk, joinLines, splitLines } from './line-diff.ts';

describe('splitLines', () => {
  it('keeps each newline with its line, and a last line without one', () => {
    expect(splitLines(Buffer.from('a\n\r\n\nb'))).toEqual(['a\n', '\r\n', '\n', 'b']);
    expect(splitLines(new Uint8Array())).toEqual([]);
  });

  it('gives back every byte, whatever the encoding', () => {
    fc.assert(
      fc.property(bytesWithNewlines, (bytes) => {
        expect(joinLines(splitLines(bytes))).toEqual(bytes);
      }),
    );
  });

  it('sees only its own part of a shared buffer', () => {
    const shared = new TextEncoder().encode('xxa\nbxx');
    expect(splitLines(shared.subarray(2, 5))).toEqual(['a\n', 'b']);
  });
});

describe('diffLines', () => {
  it.each<[string, string, Hunk[]]>([
    ['', '', []],
    ['abc', 'abc', []],
    ['', 'ab', [hunk(0, 0, 0, 2)]],
    ['ab', '', [hunk(0, 2, 0, 0)]],
    ['abc', 'axc', [hunk(1, 2, 1, 2)]],
    ['abcdef', 'bcxdef!', [hunk(0, 1, 0, 0), hunk(3, 3, 2, 3), hunk(6, 6, 6, 7)]],
  ])('%j to %j', (a, b, expected) => {
    expect(diffLines([...a], [...b])).toEqual(expected);
  });

  it('gives a correct diff: ascending hunks with a common line between, which make a into b', () => {
    fc.assert(
      fc.property(twoTexts, ([a, b]) => {
        const hunks = diffLines(a, b);
        expect(applyHunks(hunks, a, b)).toEqual(b);
        expectApart(hunks);
      }),
      propertyRuns(2.5),
    );
  });

  it('gives the shortest diff', () => {
    fc.assert(
      fc.property(twoTexts, ([a, b]) => {
        expect(size(diffLines(a, b))).toBe(a.length + b.length - 2 * lcsLength(a, b));
      }),
      propertyRuns(2.5),
    );
  });

  it('gives the shortest diff of longer texts too', () => {
    for (const kinds of [2, 5, 20, 200]) {
      const [a, b] = [randomLines(400, kinds, 1), randomLines(450, kinds, 2)];
      expect(size(diffLines(a, b))).toBe(a.length + b.length - 2 * lcsLength(a, b));
    }
  });

  it('puts an insertion that fits in several places in the lowest', () => {
    expect(diffLines([...'axxxb'], [...'axxxxb'])).toEqual([hunk(4, 4, 4, 5)]);
    expect(diffLines([...'axyxyb'], [...'axyb'])).toEqual([hunk(3, 5, 3, 3)]);
  });

  it('leaves no insertion or deletion where it could still move down', () => {
    fc.assert(
      fc.property(twoTexts, ([a, b]) => {
        const hunks = diffLines(a, b);
        for (const [i, { aStart, aEnd, bStart, bEnd }] of hunks.entries()) {
          const below = hunks[i + 1]?.aStart ?? a.length + 1;
          if (below - aEnd < 2) continue;
          if (aStart === aEnd) expect(b[bStart]).not.toBe(b[bEnd]);
          if (bStart === bEnd) expect(a[aStart]).not.toBe(a[aEnd]);
        }
      }),
      propertyRuns(2.5),
    );
  });

  it('joins a hunk with the one above when it fits there', () => {
    // The first 3 became a 1. Not: it went, and a 1 came below the next line.
    expect(diffLines([...'31330'], [...'11321'])).toEqual([hunk(0, 1, 0, 1), hunk(3, 5, 3, 5)]);
  });

  it('is correct where it gives up on the shortest, and not much longer', () => {
    for (const kinds of [2, 30, 1000, 100_000]) {
      const [a, b] = [randomLines(3000, kinds, 3), randomLines(3000, kinds, 4)];
      const hunks = diffLines(a, b);
      expect(applyHunks(hunks, a, b)).toEqual(b);
      expectApart(hunks);
      expect(size(hunks)).toBeLessThanOrEqual(1.05 * (6000 - 2 * lcsLength(a, b)));
    }
  });

  it('recognizes what stayed when a large part of a large file moved', () => {
    const lines = randomLines(10_000, 3000, 5);
    const moved = [...lines.slice(6000), ...lines.slice(0, 6000)];
    expect(size(diffLines(lines, moved))).toBe(2 * 4000);
  });

  // Ten times the lines took 6 to 26 times as long; a square would be 100 times.
  it.each([2, 100, 10_000, 10_000_000])(
    'compares unrelated texts (%i kinds of line) in much less than the square of their length',
    (kinds) => {
      const texts = (lines: number) => [randomLines(lines, kinds, 6), randomLines(lines, kinds, 7)];
      const [a = [], b = []] = texts(50_000);
      const [shorterA = [], shorterB = []] = texts(5000);
      const long = cost(() => diffLines(a, b));
      expect(long).toBeLessThan(60 * cost(() => diffLines(shorterA, shorterB)));
      expect(applyHunks(diffLines(a, b), a, b)).toEqual(b);
    },
  );

  it('compares 5,000 lines with a few edits sooner than 5,000 that are unrelated', () => {
    const [a, unrelated] = [randomLines(5000, 4000, 8), randomLines(5000, 4000, 9)];
    const b = a.toSpliced(4800, 3).toSpliced(2500, 0, 'new\n', '}\n').toSpliced(100, 2, 'other\n');
    expect(cost(() => diffLines(a, b))).toBeLessThan(cost(() => diffLines(a, unrelated)));
  });
});

/** The processor's time for it, at best: what else the machine does hardly counts. */
function cost(work: () => void): number {
  const times = [1, 2, 3].map(() => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return user + system;
  });
  return Math.min(...times);
}

/** Newlines and high bytes more often than chance would have them. */
const bytesWithNewlines: fc.Arbitrary<Uint8Array> = fc
  .array(fc.oneof(fc.constantFrom(10, 13, 0, 0x80, 0x9f, 0xff), fc.nat(255)))
  .map((bytes) => Uint8Array.from(bytes));

/** Few kinds of line, so that there are many ways to match them. */
const twoTexts: fc.Arbitrary<[string[], string[]]> = fc
  .integer({ min: 1, max: 8 })
  .chain((kinds) => {
    const text = fc.array(fc.nat(kinds).map(String), { maxLength: 30 });
    return fc.tuple(text, text);
  });

function hunk(aStart: number, aEnd: number, bStart: number, bEnd: number): Hunk {
  return { aStart, aEnd, bStart, bEnd };
}

function applyHunks(hunks: readonly Hunk[], a: readonly string[], b: readonly string[]): string[] {
  const pieces = hunks.flatMap(({ aStart, bStart, bEnd }, i) => [
    a.slice(hunks[i - 1]?.aEnd ?? 0, aStart),
    b.slice(bStart, bEnd),
  ]);
  return [...pieces, a.slice(hunks.at(-1)?.aEnd ?? 0)].flat();
}

function expectApart(hunks: readonly Hunk[]): void {
  for (const [i, { aStart, aEnd, bStart, bEnd }] of hunks.entries()) {
    const before = hunks[i - 1] ?? hunk(-1, -1, -1, -1);
    expect(aStart).toBeGreaterThan(before.aEnd);
    expect(aStart - before.aEnd).toBe(bStart - before.bEnd);
    expect(aEnd - aStart + (bEnd - bStart)).toBeGreaterThan(0);
  }
}

function size(hunks: readonly Hunk[]): number {
  return hunks.reduce((sum, h) => sum + h.aEnd - h.aStart + h.bEnd - h.bStart, 0);
}

/** The textbook table, one row at a time. */
function lcsLength(a: readonly string[], b: readonly string[]): number {
  let above = new Array<number>(b.length + 1).fill(0);
  for (const line of a) {
    const row = [0];
    for (const [j, other] of b.entries()) {
      const longer = Math.max(above[j + 1] ?? 0, row[j] ?? 0);
      row.push(line === other ? (above[j] ?? 0) + 1 : longer);
    }
    above = row;
  }
  return above[b.length] ?? 0;
}

/** The same lines for the same seed (mulberry32). */
function randomLines(count: number, kinds: number, seed: number): string[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return `line ${((mixed ^ (mixed >>> 14)) >>> 0) % kinds}\n`;
  });
}
