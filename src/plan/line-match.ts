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
 * Up to this many changed lines that occur on both sides, the diff is the shortest one. Beyond, unique
 * lines guide it. Bounds the time to about MAX_EDITS / 2 steps a line, and the memory to 2 MB.
 */
const MAX_EDITS = 1000;

/** One of the two texts as the search sees it. */
export interface Side {
  /** 1 for each line of the whole text that is not known to stand on both sides. */
  readonly changed: Uint8Array;
  /** The lines that take part: where they stand, and their numbers. */
  readonly places: readonly number[];
  readonly ids: Int32Array;
}

/**
 * Both texts, with the lines of a stretch that both have in it. The others take no part in the search: no
 * diff could match them, so it is as short without them, and a rewritten file costs little.
 */
export function sidesOf(
  a: readonly string[],
  b: readonly string[],
  { aStart, aEnd, bStart, bEnd }: Hunk,
): [left: Side, right: Side] {
  const ids = new Map<string, number>();
  // Each line is looked up once: a person waits for this, and looking up is most of it.
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
   * A triangle. Row `step` says how many lines of `a` a way of that many edits can get through, for
   * each diagonal (lines of `a` minus lines of `b`) -step, 2 - step, … step; -1 where none leads.
   */
  readonly rows: Int32Array;
}

/** Marks the lines that stay: those on a shortest way through both texts (Myers 1986). */
export function matchLines(left: Side, right: Side): void {
  const whole = wholeOf(left.ids, right.ids);
  const steps = Math.min(MAX_EDITS, whole.aEnd + whole.bEnd);
  const search = { left, right, rows: new Int32Array(rowStart(steps + 1)) };
  const way = walk(search, whole);
  if (way.arrived) {
    keepAlong(search, whole, way);
    return;
  }
  // Once only: cutting the parts again could cost more than MAX_EDITS is there to allow.
  for (const part of cutAtUniqueLines(left.ids, right.ids)) matchPiecewise(search, part);
}

/** Goes as far as MAX_EDITS allow, keeps what that gave, and starts again from there. */
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

function walk({ left, right, rows }: Search, stretch: Hunk): Way {
  const { aStart, aEnd, bStart, bEnd } = stretch;
  const [a, n] = [left.ids, aEnd - aStart];
  const [b, m] = [right.ids, bEnd - bStart];
  for (let step = 0; ; step++) {
    const row = rowStart(step);
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

export function wholeOf(a: ArrayLike<unknown>, b: ArrayLike<unknown>): Hunk {
  return { aStart: 0, aEnd: a.length, bStart: 0, bEnd: b.length };
}

/** Leaves out what two stretches have in common at their beginning and at their end. */
export function trimEnds<T>(a: ArrayLike<T>, b: ArrayLike<T>, stretch: Hunk): Hunk {
  let { aStart, aEnd, bStart, bEnd } = stretch;
  for (; aStart < aEnd && bStart < bEnd && a[aStart] === b[bStart]; aStart++) bStart++;
  for (; aStart < aEnd && bStart < bEnd && a[aEnd - 1] === b[bEnd - 1]; aEnd--) bEnd--;
  return { aStart, aEnd, bStart, bEnd };
}
