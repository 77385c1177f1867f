import { type Hunk, matchLines, sidesOf, trimEnds, wholeOf } from './line-match.ts';

export type { Hunk } from './line-match.ts';

/**
 * Lines with their "\n". Each byte becomes one character (latin1), so that any encoding, or none,
 * comes back byte for byte. Not `TextDecoder('latin1')`: by that name it means windows-1252.
 */
export function splitLines(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const lines: string[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline + 1;
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}

/** The way back from `splitLines`. */
export function joinLines(lines: readonly string[]): Uint8Array {
  const text = lines.join('');
  const bytes = new Uint8Array(text.length);
  Buffer.from(bytes.buffer).write(text, 'latin1');
  return bytes;
}

/**
 * What turns `a` into `b`: ascending ranges with at least one common line between any two. Always a
 * correct diff, and the shortest one unless very much differs (MAX_EDITS).
 */
export function diffLines(a: readonly string[], b: readonly string[]): Hunk[] {
  const [left, right] = sidesOf(a, b, trimEnds(a, b, wholeOf(a, b)));
  matchLines(left, right);
  return settle(changedRanges(left.changed, right.changed), a, b);
}

function changedRanges(a: Uint8Array, b: Uint8Array): Hunk[] {
  const hunks: Hunk[] = [];
  for (let aEnd = 0, bEnd = 0; aEnd < a.length || bEnd < b.length; aEnd++, bEnd++) {
    const aStart = aEnd;
    const bStart = bEnd;
    while (a[aEnd] === 1) aEnd++;
    while (b[bEnd] === 1) bEnd++;
    if (aEnd > aStart || bEnd > bStart) hunks.push({ aStart, aEnd, bStart, bEnd });
  }
  return hunks;
}

/**
 * Many a pure insertion or deletion fits in several places (which of two closing braces is new?). Joins
 * it with the hunk above if it can reach it, else moves it down as far as it goes: the same edit then
 * stands in the same place in two diffs, and merging relies on that.
 */
function settle(hunks: readonly Hunk[], a: readonly string[], b: readonly string[]): Hunk[] {
  const settled: Hunk[] = [];
  const todo = hunks.toReversed();
  for (let hunk = todo.pop(); hunk; hunk = todo.pop()) {
    const above = settled.at(-1);
    const below = todo.at(-1)?.aStart ?? a.length + 1;
    const high = slide(hunk, a, b, (above?.aEnd ?? 0) - hunk.aStart);
    if (above && high.aStart === above.aEnd) {
      settled.pop();
      todo.push({ ...above, aEnd: high.aEnd, bEnd: high.bEnd });
    } else {
      settled.push(slide(hunk, a, b, below - hunk.aEnd - 1));
    }
  }
  return settled;
}

/** Moves a hunk by at most `room` lines (upwards if negative), as long as it says the same. */
function slide(hunk: Hunk, a: readonly string[], b: readonly string[], room: number): Hunk {
  const { aStart, aEnd, bStart, bEnd } = hunk;
  if (aStart < aEnd && bStart < bEnd) return hunk;
  const lines = aStart === aEnd ? b : a;
  const [first, after] = aStart === aEnd ? [bStart, bEnd] : [aStart, aEnd];
  const edge = room < 0 ? -1 : 0;
  let by = 0;
  // The line that it lets go at one end must equal the one that it takes in at the other.
  while (by !== room && lines[first + by + edge] === lines[after + by + edge])
    by += Math.sign(room);
  return { aStart: aStart + by, aEnd: aEnd + by, bStart: bStart + by, bEnd: bEnd + by };
}
