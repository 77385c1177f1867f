import type { BlobId, Seq } from '../model/ids.ts';
import type { PlanLine } from '../model/plan.ts';
import type { State } from '../model/state.ts';
import { type ChainLink, type PathInput, type PlanInput, planPath } from './decide.ts';
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
export function heldChanges(path: PathInput, line: PlanLine, input: HeldHunks): readonly Seq[] {
  const { takes } = line;
  if (blobsToNarrow(path).length === 0) return takes;
  const places = placesOf(line, lineContents(line, input.contents), input.hash);
  const wanted = input.ids.flatMap((id) => places.get(id) ?? []);
  const tries = new Tries(path, input);
  // The newest first: a line that was changed back and forth is one of the last change.
  const single = new Map<string, Seq>();
  for (const seq of takes.toReversed()) {
    if (wanted.every((place) => single.has(place))) break;
    const found = tries.placesIn([seq]);
    for (const place of wanted) if (found.has(place) && !single.has(place)) single.set(place, seq);
  }
  const left = wanted.filter((place) => !single.has(place));
  const together = left.length === 0 ? [] : fewest(takes, (some) => tries.suffice(some, left));
  const held = new Set([...single.values(), ...together]);
  const found = takes.filter((seq) => held.has(seq));
  const isSame = found.length < takes.length && tries.suffice(found, wanted, true);
  return isSame ? found : takes;
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

/** Plans for some of the changes of a path. */
class Tries {
  readonly #path: PathInput;
  readonly #input: HeldHunks;
  /** Bytes that may still be compared: each change by itself, and as much again for several together. */
  #left = 2 * MOST_BYTES;

  constructor(path: PathInput, input: HeldHunks) {
    this.#path = path;
    this.#input = input;
  }

  /** The places of the hunks in a rewind of these changes alone. None once too much was tried, unless this is a `must`. */
  placesIn(changes: readonly Seq[], must = false): ReadonlySet<string> {
    const set = new Set(changes);
    // The link to a state that nobody recorded has no number.
    const isTaken = (seq: Seq): boolean => seq === 0 || set.has(seq);
    const links = this.#path.links.map((one) => ({ ...one, inSet: one.inSet && isTaken(one.seq) }));
    this.#left -= sizeOf(this.#path.current) * (1 + countStretches(links));
    if (this.#left < 0 && !must) return new Set();
    const { contents, damaged, hash } = this.#input;
    // A decision about a conflict was made about all of the changes.
    const undecided = { contents, damaged, onConflict: null, resolutions: new Map() };
    const line = planPath({ ...this.#path, links }, undecided);
    return new Set(placesOf(line, lineContents(line, contents), hash).values());
  }

  suffice(changes: readonly Seq[], wanted: readonly string[], must = false): boolean {
    const found = this.placesIn(changes, must);
    return wanted.every((place) => found.has(place));
  }
}

/** At most so many merges make a plan. */
function countStretches(links: readonly ChainLink[]): number {
  return links.filter(({ inSet }, i) => inSet && !links[i - 1]?.inSet).length;
}

/**
 * The newest changes that suffice, without those among them that are not needed: many are left out at once where that
 * does. All where nothing less suffices.
 */
function fewest(
  all: readonly Seq[],
  suffice: (changes: readonly Seq[]) => boolean,
): readonly Seq[] {
  const first = all.findLastIndex((_, i) => suffice(all.slice(i)));
  let kept = all.slice(Math.max(0, first));
  const leaveOut = (some: readonly Seq[]): void => {
    const rest = kept.filter((seq) => !some.includes(seq));
    const half = some.length >> 1;
    if (rest.length > 0 && suffice(rest)) kept = rest;
    else if (half > 0) for (const part of [some.slice(0, half), some.slice(half)]) leaveOut(part);
  };
  leaveOut(kept);
  return kept;
}
