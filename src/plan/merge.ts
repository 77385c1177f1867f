import type { BlobId } from '../model/ids.ts';
import type { ConflictReason, KeptLines, SkipReason } from '../model/plan.ts';
import { type Captured, permissions, type State, sameState, setIdOf } from '../model/state.ts';
import { diffLines, type Hunk, joinLines, splitLines } from './line-diff.ts';

/** A state on the way to the target; `bytes` are set when they came from a text merge. */
export interface Working {
  readonly state: State;
  readonly bytes?: Uint8Array;
  /** The lines of the present file that stand in it; left out where nobody has compared them. */
  readonly kept?: readonly KeptLines[];
}

export type MergeOutcome =
  | { readonly result: Working }
  | { readonly conflict: ConflictReason }
  | { readonly skip: SkipReason };

/** Gives the bytes of a state; undefined where they could not be loaded. */
export type Contents = (state: Captured) => Uint8Array | undefined;

/**
 * Takes one stretch of changes out of the current state.
 *
 * @param base the state after the stretch
 * @param theirs the state before it: the goal
 * @param ours the current state, with everybody else's changes
 */
export function mergeState(
  base: State,
  theirs: State,
  ours: Working,
  contents: Contents,
): MergeOutcome {
  if (theirs.kind === 'unknown') return { skip: `before-unknown-${theirs.reason}` };
  if (sameState(theirs, base)) return { result: withoutGained(base, theirs, ours) };
  if (isAt(ours, base, contents)) return { result: replacing(ours, theirs, contents) };
  if (isAt(ours, theirs, contents)) return { result: withoutGained(base, theirs, ours) };
  if (ours.state.kind === 'unknown') return { conflict: 'current-unknown' };
  if (base.kind === 'unknown') {
    return { conflict: base.reason === 'damaged' ? 'after-damaged' : 'after-unknown' };
  }
  if (base.kind === 'absent' || theirs.kind === 'absent' || ours.state.kind === 'absent') {
    return { conflict: 'modify-delete' };
  }
  return mergeCaptured(base, theirs, { ...ours, state: ours.state }, contents);
}

/** Theirs, with the lines of ours that stand in it. */
function replacing(ours: Working, theirs: State, contents: Contents): Working {
  const [from, to] = [ours, { state: theirs }].map((one) => textOf(one, contents));
  if (!from || !to) return { state: theirs };
  const kept = compose(ours.kept ?? null, keptIn(splitLines(from), splitLines(to)));
  return { state: theirs, kept };
}

function textOf({ state, bytes }: Working, contents: Contents): Uint8Array | undefined {
  if (state.kind !== 'captured' || state.type !== 'file') return undefined;
  const content = bytes ?? contents(state);
  return content === undefined || isBinary(content) ? undefined : content;
}

/** Without the set-id bits that the file got in the stretch. */
function withoutGained(base: State, theirs: State, ours: Working): Working {
  const gained = setIdOf(base) & ~setIdOf(theirs) & setIdOf(ours.state);
  if (gained === 0 || ours.state.kind !== 'captured') return ours;
  return { ...ours, state: { ...ours.state, mode: ours.state.mode & ~gained } };
}

/** Merged bytes have no blob yet, so the bytes themselves are compared. */
function isAt({ state, bytes }: Working, other: State, contents: Contents): boolean {
  if (bytes === undefined || state.kind !== 'captured') return sameState(state, other);
  if (other.kind !== 'captured' || other.type !== state.type) return false;
  if (permissions(other) !== permissions(state)) return false;
  const content = contents(other);
  return content !== undefined && sameBytes(content, bytes);
}

/** Merges content and mode separately. Where somebody changed the type, nothing can be merged. */
function mergeCaptured(
  base: Captured,
  theirs: Captured,
  ours: Working & { readonly state: Captured },
  contents: Contents,
): MergeOutcome {
  if (base.type !== theirs.type || base.type !== ours.state.type)
    return { conflict: 'type-changed' };
  const mode = mergeMode(permissions(base), permissions(theirs), permissions(ours.state));
  if (mode === null) return { conflict: 'mode-changed' };
  const merged = mergeContent(base, theirs, ours, contents);
  if (!('result' in merged)) return merged;
  const state = { ...(merged.result.state as Captured), mode };
  return { result: { ...merged.result, state } };
}

function mergeContent(
  base: Captured,
  theirs: Captured,
  ours: Working & { readonly state: Captured },
  contents: Contents,
): MergeOutcome {
  if (ours.bytes === undefined && ours.state.blob === base.blob)
    return { result: replacing(ours, theirs, contents) };
  if (theirs.blob === base.blob) return { result: ours };
  // Both sides have the same content; their modes may differ.
  if (ours.bytes === undefined && ours.state.blob === theirs.blob) return { result: ours };
  if (base.type !== 'file') return { conflict: 'overlapping-edits' };
  const baseBytes = contents(base);
  const theirBytes = contents(theirs);
  const ourBytes = ours.bytes ?? contents(ours.state);
  if (!baseBytes || !theirBytes || !ourBytes) return { skip: 'blob-corrupt' };
  const merged = mergeTexts({ base: baseBytes, ours: ourBytes, theirs: theirBytes });
  if (merged === null) {
    const binary = [baseBytes, theirBytes, ourBytes].some(isBinary);
    return { conflict: binary ? 'binary-changed' : 'overlapping-edits' };
  }
  const { bytes, kept } = merged;
  const state = { ...ours.state, size: bytes.length };
  const all = kept === null ? {} : { kept: compose(ours.kept ?? null, kept) };
  return { result: { state, bytes, ...all } };
}

function mergeMode(base: number, theirs: number, ours: number): number | null {
  if (ours === base || ours === theirs) return theirs;
  return theirs === base ? ours : null;
}

/** The mode of a file after a stretch is taken out; where both sides changed it, it stays. */
export function mergedMode(
  mode: number,
  { before, after }: { readonly before: State; readonly after: State },
): number {
  if (before.kind !== 'captured' || after.kind !== 'captured') return mode;
  return mergeMode(permissions(after), permissions(before), mode) ?? mode;
}

/** The blobs whose bytes a merge of these states can ask for. */
export function blobsOf(states: readonly State[]): BlobId[] {
  return states.flatMap((state) =>
    state.kind === 'captured' && state.type === 'file' && state.blob !== null ? [state.blob] : [],
  );
}

export interface MergeInput {
  readonly base: Uint8Array;
  readonly ours: Uint8Array;
  readonly theirs: Uint8Array;
}

/**
 * Whether these bytes are not text. Git looks at the first 8,000 bytes only, but there a person checks the
 * merge; here the result goes straight to disk, so one NUL anywhere is enough.
 */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.includes(0);
}

/**
 * Three-way merge by lines. Null where both sides changed the same lines, or lines with no common line
 * between them, unless they made the same change; and for binary content, unless only one side changed.
 */
export function mergeText(input: MergeInput): Uint8Array | null {
  return mergeTexts(input)?.bytes ?? null;
}

interface MergedText {
  readonly bytes: Uint8Array;
  /** The lines of ours that stand in it; null where they were not compared. */
  readonly kept: readonly KeptLines[] | null;
}

function mergeTexts({ base, ours, theirs }: MergeInput): MergedText | null {
  const isText = ![base, ours, theirs].some(isBinary);
  if (sameBytes(ours, base) || sameBytes(ours, theirs)) {
    const kept = isText ? keptIn(splitLines(ours), splitLines(theirs)) : null;
    return { bytes: theirs, kept };
  }
  if (sameBytes(theirs, base)) {
    const lines = isText ? splitLines(ours) : null;
    return { bytes: ours, kept: lines && keptIn(lines, lines) };
  }
  if (!isText) return null;
  const pieces = mergePieces(splitLines(base), splitLines(ours), splitLines(theirs));
  const settled = pieces.flatMap((piece) => ('both' in piece ? [piece] : []));
  if (settled.length < pieces.length) return null;
  const kept: KeptLines[] = [];
  let after = 0;
  for (const { both, at } of settled) {
    if (at !== null && both.length > 0) kept.push({ now: at, after, count: both.length });
    after += both.length;
  }
  return { bytes: joinLines(settled.flatMap(({ both }) => both)), kept };
}

/** The lines that both texts have, in the same order. */
function keptIn(now: Lines, after: Lines): KeptLines[] {
  const kept: KeptLines[] = [];
  let [place, done] = [0, 0];
  const end = { aStart: after.length, aEnd: after.length, bEnd: now.length };
  for (const { aStart, aEnd, bEnd } of [...diffLines(after, now), end]) {
    if (aStart > place) kept.push({ now: done, after: place, count: aStart - place });
    [place, done] = [aEnd, bEnd];
  }
  return kept;
}

/** From the first text to the third, by way of the second. Null as the first: both are one text. */
function compose(
  first: readonly KeptLines[] | null,
  second: readonly KeptLines[],
): readonly KeptLines[] {
  if (first === null) return second;
  const kept: KeptLines[] = [];
  let [i, j] = [0, 0];
  for (;;) {
    const [one, other] = [first[i], second[j]];
    if (one === undefined || other === undefined) return kept;
    const start = Math.max(one.after, other.now);
    const end = Math.min(one.after + one.count, other.now + other.count);
    if (start < end) {
      const now = one.now + start - one.after;
      kept.push({ now, after: other.after + start - other.now, count: end - start });
    }
    if (one.after + one.count <= end) i++;
    else j++;
  }
}

/** A part of a merged text: lines that are settled, or the lines of both sides where they are not. */
export type MergePiece =
  | { readonly both: Lines }
  | { readonly ours: Lines; readonly theirs: Lines };

/**
 * Both texts in pieces, with the lines that a person has to decide about. Null as the base: every difference
 * is one of those. Null as the answer: binary content.
 */
export function conflictPieces({
  base,
  ours,
  theirs,
}: Omit<MergeInput, 'base'> & { readonly base: Uint8Array | null }): MergePiece[] | null {
  if ([ours, theirs, ...(base === null ? [] : [base])].some(isBinary)) return null;
  const [mine, yours] = [splitLines(ours), splitLines(theirs)];
  if (base === null) return differences(mine, yours);
  return mergePieces(splitLines(base), mine, yours).map((piece) =>
    'both' in piece ? { both: piece.both } : piece,
  );
}

function differences(ours: Lines, theirs: Lines): MergePiece[] {
  const pieces: MergePiece[] = [];
  let done = 0;
  for (const { aStart, aEnd, bStart, bEnd } of diffLines(ours, theirs)) {
    pieces.push({ both: ours.slice(done, aStart) });
    pieces.push({ ours: ours.slice(aStart, aEnd), theirs: theirs.slice(bStart, bEnd) });
    done = aEnd;
  }
  return [...pieces, { both: ours.slice(done) }];
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}

type Lines = readonly string[];

/** `at`: where settled lines stand in ours; null where they come from theirs alone. */
type PlacedPiece =
  | { readonly both: Lines; readonly at: number | null }
  | Exclude<MergePiece, { readonly both: Lines }>;

function mergePieces(base: Lines, ours: Lines, theirs: Lines): PlacedPiece[] {
  const pieces: PlacedPiece[] = [];
  let [done, place] = [0, 0];
  for (const region of regionsOf(diffLines(base, ours), diffLines(base, theirs))) {
    const mine = linesIn(region, region.ours, ours);
    const yours = linesIn(region, region.theirs, theirs);
    const isOpen = mine && yours && !sameLines(mine, yours);
    pieces.push({ both: base.slice(done, region.start), at: place });
    place += region.start - done;
    const at = mine === null ? null : place;
    pieces.push(isOpen ? { ours: mine, theirs: yours } : { both: mine ?? yours ?? [], at });
    place += mine?.length ?? region.end - region.start;
    done = region.end;
  }
  return [...pieces, { both: base.slice(done), at: place }];
}

/** A range of the base that one side or both changed, with their hunks. */
interface Region {
  readonly start: number;
  end: number;
  readonly ours: Hunk[];
  readonly theirs: Hunk[];
}

/** Puts hunks that overlap or touch into one region, even a long chain of them. */
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

/** A side's lines for a region; null where the side did not change it. */
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
