/**
 * One changed range: lines [aStart, aEnd) of the old text became [bStart, bEnd) of the new one.
 * At least one of the two is not empty.
 */
export interface Hunk {
  readonly aStart: number;
  readonly aEnd: number;
  readonly bStart: number;
  readonly bEnd: number;
}

/**
 * Lines with their "\n". Each byte becomes one character (latin1), so that every encoding comes back byte
 * for byte. `TextDecoder('latin1')` would not do: it decodes windows-1252.
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

/** The reverse of `splitLines`. */
export function joinLines(lines: readonly string[]): Uint8Array {
  const text = lines.join('');
  const bytes = new Uint8Array(text.length);
  Buffer.from(bytes.buffer).write(text, 'latin1');
  return bytes;
}

/**
 * The changes from `a` to `b`: ascending ranges with at least one common line between any two. Always a
 * correct diff, and the shortest one unless very many lines differ (MAX_EDITS).
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
 * A pure insertion or deletion often fits in several places (which of two closing braces is new?). This
 * joins it with the hunk above if it can reach that, otherwise moves it down as far as it goes. So the same
 * edit has the same place in two diffs, and merging relies on that.
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

/** Moves a hunk by at most `room` lines (upwards if negative), as long as its meaning is the same. */
function slide(hunk: Hunk, a: readonly string[], b: readonly string[], room: number): Hunk {
  const { aStart, aEnd, bStart, bEnd } = hunk;
  if (aStart < aEnd && bStart < bEnd) return hunk;
  const lines = aStart === aEnd ? b : a;
  const [first, after] = aStart === aEnd ? [bStart, bEnd] : [aStart, aEnd];
  const edge = room < 0 ? -1 : 0;
  let by = 0;
  // The line that it loses at one end must equal the line that it gains at the other.
  while (by !== room && lines[first + by + edge] === lines[after + by + edge])
    by += Math.sign(room);
  return { aStart: aStart + by, aEnd: aEnd + by, bStart: bStart + by, bEnd: bEnd + by };
}

/**
 * Up to this many edits, the diff is the shortest one. Beyond that, lines that occur once guide it. This
 * limits the time to about MAX_EDITS / 2 steps for each line, and the memory to 2 MB.
 */
const MAX_EDITS = 1000;
const FIRST_STEPS = 32;

/** One of the two texts, prepared for the search. */
interface Side {
  /** 1 for each line of the whole text that is not known to be on both sides. */
  readonly changed: Uint8Array;
  /** The lines that take part: their positions and their numbers. */
  readonly places: readonly number[];
  readonly ids: Int32Array;
}

/**
 * Prepares both texts. Only lines of the stretch that occur on both sides take part in the search: no diff
 * could match the others, so the result is the same without them, and a rewritten file takes little time.
 */
function sidesOf(
  a: readonly string[],
  b: readonly string[],
  { aStart, aEnd, bStart, bEnd }: Hunk,
): [left: Side, right: Side] {
  const ids = new Map<string, number>();
  // Each line is looked up only once, because lookups take most of the time.
  const inA = new Int32Array(aEnd - aStart);
  for (let i = aStart; i < aEnd; i++) inA[i - aStart] = numberOf(ids, a[i] ?? '');
  const inB = new Int32Array(bEnd - bStart);
  const isShared = new Uint8Array(ids.size);
  for (let i = bStart; i < bEnd; i++) {
    const id = ids.get(b[i] ?? '') ?? NOWHERE;
    inB[i - bStart] = id;
    if (id !== NOWHERE) isShared[id] = 1;
  }
  return [sideOf(a.length, aStart, inA, isShared), sideOf(b.length, bStart, inB, isShared)];
}

const NOWHERE = -1;

function numberOf(ids: Map<string, number>, line: string): number {
  const known = ids.get(line);
  if (known !== undefined) return known;
  ids.set(line, ids.size);
  return ids.size - 1;
}

function sideOf(length: number, start: number, numbers: Int32Array, isShared: Uint8Array): Side {
  const changed = new Uint8Array(length).fill(1, start, start + numbers.length);
  const places: number[] = [];
  const ids = numbers.filter((id, i) => {
    if (id === NOWHERE || isShared[id] === 0) return false;
    places.push(start + i);
    return true;
  });
  return { changed, places, ids };
}

function keep({ changed, places }: Side, start: number, end: number): void {
  for (let i = start; i < end; i++) changed[places[i] ?? 0] = 0;
}

interface Search {
  readonly left: Side;
  readonly right: Side;
  /**
   * A triangle. Row `step` holds how many lines of `a` a way with that many edits can pass, for each
   * diagonal (lines of `a` minus lines of `b`) -step, 2 - step, … step; -1 where no way leads. Grows with the steps:
   * most diffs take few, and to clear 2 MB takes longer than they do.
   */
  rows: Int32Array;
}

/** Marks the lines that stay: those on a shortest way through both texts (Myers 1986). */
function matchLines(left: Side, right: Side): void {
  const whole = wholeOf(left.ids, right.ids);
  const search = { left, right, rows: new Int32Array(rowStart(FIRST_STEPS)) };
  const way = walk(search, whole);
  if (way.arrived) {
    keepAlong(search, whole, way);
    return;
  }
  // Only one level of cuts: to cut the parts again could take more time than MAX_EDITS allows.
  for (const part of cutAtUniqueLines(left.ids, right.ids)) matchPiecewise(search, part);
}

/** Walks until MAX_EDITS, keeps the lines found so far, and starts again from there. */
function matchPiecewise(search: Search, part: Hunk): void {
  let rest = trimEnds(search.left.ids, search.right.ids, part);
  keep(search.left, part.aStart, rest.aStart);
  keep(search.left, rest.aEnd, part.aEnd);
  keep(search.right, part.bStart, rest.bStart);
  keep(search.right, rest.bEnd, part.bEnd);
  while (rest.aStart < rest.aEnd && rest.bStart < rest.bEnd) {
    const way = walk(search, rest);
    keepAlong(search, rest, way);
    rest = { ...rest, aStart: rest.aStart + way.x, bStart: rest.bStart + way.y };
  }
}

/** Where a way ends: in the triangle, and in the stretch. */
interface Way {
  readonly step: number;
  readonly i: number;
  readonly x: number;
  readonly y: number;
  readonly arrived: boolean;
}

function walk(search: Search, stretch: Hunk): Way {
  const { left, right } = search;
  const { aStart, aEnd, bStart, bEnd } = stretch;
  const [a, n] = [left.ids, aEnd - aStart];
  const [b, m] = [right.ids, bEnd - bStart];
  for (let step = 0; ; step++) {
    const row = rowStart(step);
    const rows = roomFor(search, row + step + 1);
    let best = 0;
    let furthest = -1;
    for (let i = 0; i <= step; i++) {
      const k = 2 * i - step;
      let x = entry(rows, step, i, n, m);
      while (x >= 0 && x < n && x - k < m && a[aStart + x] === b[bStart + x - k]) x++;
      rows[row + i] = x;
      if (x >= 0 && 2 * x - k > furthest) {
        furthest = 2 * x - k;
        best = i;
      }
    }
    const arrived = furthest === n + m;
    if (!arrived && step < MAX_EDITS) continue;
    const x = rows[row + best] ?? 0;
    return { step, i: best, x, y: furthest - x, arrived };
  }
}

function roomFor(search: Search, count: number): Int32Array {
  if (count > search.rows.length) {
    const larger = new Int32Array(Math.min(4 * search.rows.length, rowStart(MAX_EDITS + 1)));
    larger.set(search.rows);
    search.rows = larger;
  }
  return search.rows;
}

function rowStart(step: number): number {
  return (step * (step + 1)) / 2;
}

/** Where a way gets onto a diagonal with its last edit, from the neighbour that leads further. */
function entry(rows: Int32Array, step: number, i: number, n: number, m: number): number {
  if (step === 0) return 0;
  const above = rowStart(step - 1);
  const deleting = i > 0 ? (rows[above + i - 1] ?? -1) : -1;
  const inserting = i < step ? (rows[above + i] ?? -1) : -1;
  const deleted = deleting >= 0 && deleting < n ? deleting + 1 : -1;
  // A way that has no line of `b` left cannot insert one.
  return inserting > deleted && inserting - 2 * i + step <= m ? inserting : deleted;
}

/** Follows a way back to its start and keeps the lines that it did not edit. */
function keepAlong({ left, right, rows }: Search, stretch: Hunk, way: Way): void {
  const { aStart, aEnd, bStart, bEnd } = stretch;
  let { i, x } = way;
  for (let step = way.step; step >= 0; step--) {
    const k = 2 * i - step;
    const from = entry(rows, step, i, aEnd - aStart, bEnd - bStart);
    keep(left, aStart + from, aStart + x);
    keep(right, bStart + from - k, bStart + x - k);
    const inserted = i < step && rows[rowStart(step - 1) + i] === from;
    x = inserted ? from : from - 1;
    if (!inserted) i--;
  }
}

/** Cuts before each line that stands once in both texts, leaving out those that changed their order. */
function cutAtUniqueLines(a: Int32Array, b: Int32Array): Hunk[] {
  const inB = uniquePlaces(b);
  const pairs = [...uniquePlaces(a)].flatMap(([id, place]) => {
    const other = inB.get(id);
    return other === undefined ? [] : [{ aStart: place, bStart: other }];
  });
  const cuts = [{ aStart: 0, bStart: 0 }, ...longestRise(pairs)];
  return cuts.map((cut, i) => {
    const next = cuts[i + 1];
    return { ...cut, aEnd: next?.aStart ?? a.length, bEnd: next?.bStart ?? b.length };
  });
}

function uniquePlaces(ids: Int32Array): Map<number, number> {
  const places = new Map<number, number>();
  const repeated = new Set<number>();
  ids.forEach((id, place) => {
    if (places.has(id)) repeated.add(id);
    places.set(id, place);
  });
  for (const id of repeated) places.delete(id);
  return places;
}

/** The longest run of pairs, not necessarily neighbours, that rises on both sides. */
function longestRise<T extends { bStart: number }>(pairs: readonly T[]): T[] {
  interface Link {
    pair: T;
    before: Link | undefined;
  }
  // tops[i]: the lowest end of a run of i + 1 pairs.
  const tops: Link[] = [];
  for (const pair of pairs) {
    let low = 0;
    for (let high = tops.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((tops[middle]?.pair.bStart ?? 0) < pair.bStart) low = middle + 1;
      else high = middle;
    }
    tops[low] = { pair, before: tops[low - 1] };
  }
  const run: T[] = [];
  for (let link = tops.at(-1); link; link = link.before) run.push(link.pair);
  return run.reverse();
}

function wholeOf(a: ArrayLike<unknown>, b: ArrayLike<unknown>): Hunk {
  return { aStart: 0, aEnd: a.length, bStart: 0, bEnd: b.length };
}

/** Leaves out the common lines at the beginning and at the end of two stretches. */
function trimEnds<T>(a: ArrayLike<T>, b: ArrayLike<T>, stretch: Hunk): Hunk {
  let { aStart, aEnd, bStart, bEnd } = stretch;
  for (; aStart < aEnd && bStart < bEnd && a[aStart] === b[bStart]; aStart++) bStart++;
  for (; aStart < aEnd && bStart < bEnd && a[aEnd - 1] === b[bEnd - 1]; aEnd--) bEnd--;
  return { aStart, aEnd, bStart, bEnd };
}
