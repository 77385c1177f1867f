import { diffLines, type Hunk, joinLines, splitLines } from './line-diff.ts';

export interface MergeInput {
  readonly base: Uint8Array;
  readonly ours: Uint8Array;
  readonly theirs: Uint8Array;
}

/**
 * Whether lines mean nothing in these bytes. Git looks at the first 8,000 only, but git asks a person;
 * here the result goes straight to disk, so one NUL anywhere is enough.
 */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.includes(0);
}

/**
 * Three-way merge by lines. Null where both sides changed the same lines, or lines with no common line
 * between them, unless they made the same change; and for binary content, unless only one side changed.
 */
export function mergeText({ base, ours, theirs }: MergeInput): Uint8Array | null {
  if (sameBytes(ours, base) || sameBytes(ours, theirs)) return theirs;
  if (sameBytes(theirs, base)) return ours;
  if (isBinary(base) || isBinary(ours) || isBinary(theirs)) return null;
  return mergeLines(splitLines(base), splitLines(ours), splitLines(theirs));
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}

type Lines = readonly string[];

function mergeLines(base: Lines, ours: Lines, theirs: Lines): Uint8Array | null {
  const pieces: Lines[] = [];
  let done = 0;
  for (const region of regionsOf(diffLines(base, ours), diffLines(base, theirs))) {
    const mine = linesIn(region, region.ours, ours);
    const yours = linesIn(region, region.theirs, theirs);
    if (mine && yours && !sameLines(mine, yours)) return null;
    pieces.push(base.slice(done, region.start), mine ?? yours ?? []);
    done = region.end;
  }
  return joinLines([...pieces, base.slice(done)].flat());
}

/** A range of the base, with the hunks in it of the side, or the sides, that changed it. */
interface Region {
  readonly start: number;
  end: number;
  readonly ours: Hunk[];
  readonly theirs: Hunk[];
}

/** Puts hunks that overlap or touch into one region, however long the chain of them is. */
function regionsOf(ours: readonly Hunk[], theirs: readonly Hunk[]): Region[] {
  const regions: Region[] = [];
  const mine = new Set(ours);
  for (const hunk of [...ours, ...theirs].sort((one, other) => one.aStart - other.aStart)) {
    let region = regions.at(-1);
    if (!region || hunk.aStart > region.end) {
      region = { start: hunk.aStart, end: hunk.aEnd, ours: [], theirs: [] };
      regions.push(region);
    }
    region.end = Math.max(region.end, hunk.aEnd);
    (mine.has(hunk) ? region.ours : region.theirs).push(hunk);
  }
  return regions;
}

/** What a side made of a region; null where it left it as it was. */
function linesIn(region: Region, hunks: readonly Hunk[], lines: Lines): Lines | null {
  const first = hunks[0];
  const last = hunks.at(-1);
  if (!first || !last) return null;
  // The region may reach beyond this side's hunks; there, its lines are the base's, one for one.
  return lines.slice(
    first.bStart - (first.aStart - region.start),
    last.bEnd + (region.end - last.aEnd),
  );
}

function sameLines(a: Lines, b: Lines): boolean {
  return a.length === b.length && a.every((line, i) => line === b[i]);
}
