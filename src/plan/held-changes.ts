import type { BlobId, Seq } from '../model/ids.ts';
import type { PlanLine } from '../model/plan.ts';
import type { State } from '../model/state.ts';
import { type PathInput, type PlanInput, planPath } from './decide.ts';
import { type Hash, lineContents, placesOf } from './hunks.ts';
import { blobsOf } from './merge.ts';

/** With more changes or bytes than this, all changes count: each try plans the path anew. */
const MOST_CHANGES = 64;
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * The changes that hunks of a line come from: a rewind of these alone would show the same hunks at the same places. To
 * take back the hunks is therefore the same as to take them back in such a rewind, and no other change loses a line.
 * All changes of the line where no fewer are found.
 */
export function heldChanges(
  path: PathInput,
  line: PlanLine,
  { ids, hash, contents, damaged }: HeldHunks,
): readonly Seq[] {
  const { takes } = line;
  if (blobsToNarrow(path).length === 0) return takes;
  const places = placesOf(line, lineContents(line, contents), hash);
  const wanted = ids.map((id) => places.get(id));
  const suffices = (changes: readonly Seq[]): boolean => {
    const set = new Set(changes);
    // The link to a state that nobody recorded has no number.
    const isTaken = (seq: Seq): boolean => seq === 0 || set.has(seq);
    const links = path.links.map((one) => ({ ...one, inSet: one.inSet && isTaken(one.seq) }));
    // A decision about a conflict was made about all of the changes.
    const undecided = { contents, damaged, onConflict: null, resolutions: new Map() };
    const alone = planPath({ ...path, links }, undecided);
    const found = new Set(placesOf(alone, lineContents(alone, contents), hash).values());
    return wanted.every((place) => place !== undefined && found.has(place));
  };
  // The newest first: lines that were changed back and forth are those of the last change.
  const first = takes.findLastIndex((_, i) => suffices(takes.slice(i)));
  return first === -1 ? takes : leastOf(takes.slice(first), suffices);
}

export interface HeldHunks extends Pick<PlanInput, 'contents' | 'damaged'> {
  readonly ids: readonly string[];
  readonly hash: Hash;
}

/** The blobs that must be loaded before `heldChanges`; none where it does not try. */
export function blobsToNarrow({ links }: PathInput): BlobId[] {
  const taken = links.filter(({ inSet }) => inSet);
  if (taken.length < 2 || taken.length > MOST_CHANGES) return [];
  const states = taken.flatMap(({ before, after }) => [before, after]);
  const bytes = states.reduce((sum, state) => sum + sizeOf(state), 0);
  return bytes > MOST_BYTES ? [] : blobsOf(states);
}

function sizeOf(state: State): number {
  return state.kind === 'captured' ? state.size : 0;
}

/** Leaves out changes, many at once where that does, until each one that is left is needed. */
function leastOf(
  all: readonly Seq[],
  suffices: (changes: readonly Seq[]) => boolean,
): readonly Seq[] {
  let kept = all;
  const leaveOut = (some: readonly Seq[]): void => {
    const rest = kept.filter((seq) => !some.includes(seq));
    const half = some.length >> 1;
    if (rest.length > 0 && suffices(rest)) kept = rest;
    else if (half > 0) for (const part of [some.slice(0, half), some.slice(half)]) leaveOut(part);
  };
  leaveOut(all);
  return kept;
}
