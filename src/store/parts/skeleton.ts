import type { PartId } from '../../model/ids.ts';

/**
 * The text of a tree, in which `{"$part":0}` stands for what lies in a part of its own. In a list, the number
 * says how many more follow.
 */
export interface Skeleton {
  readonly text: string;
  readonly children: readonly PartId[];
  readonly isTagged: boolean;
  /** What it weighs where it is written: its text, and a name for each part. */
  readonly cost: number;
  /** What stands for it where it is a part of its own, once it was made one. */
  place: Skeleton | null;
}

const PART_TEXT = '{"$part":0}';
/** A name in a row, and in the row of the index that leads to it. */
const CHILD_COST = 48;

export function skeleton(
  text: string,
  children: readonly PartId[] = [],
  isTagged = false,
): Skeleton {
  const cost = text.length + CHILD_COST * children.length;
  return { text, children, isTagged, cost, place: null };
}

/** What stands for a part that lies elsewhere. */
export function standIn(id: PartId): Skeleton {
  return skeleton(PART_TEXT, [id]);
}

export function joined(
  open: string,
  entries: readonly Skeleton[],
  close: string,
  isTagged = false,
): Skeleton {
  const texts: string[] = [];
  let hasTags = isTagged;
  let places = 0;
  const children: PartId[] = [];
  for (const entry of entries) {
    for (const child of entry.children) children.push(child);
    hasTags ||= entry.isTagged;
    if (entry.text === PART_TEXT) {
      places += 1;
      continue;
    }
    if (places > 0) texts.push(partText(places));
    places = 0;
    texts.push(entry.text);
  }
  if (places > 0) texts.push(partText(places));
  return skeleton(open + texts.join(',') + close, children, hasTags);
}

function partText(count: number): string {
  return count === 1 ? PART_TEXT : `{"$part":${count - 1}}`;
}

/** A number that only depends on what an entry says. */
function markOf({ text, children }: Skeleton): number {
  let mark = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    mark = Math.imul(mark ^ text.charCodeAt(at), 0x01000193);
  }
  for (const child of children) mark ^= Number.parseInt(child.slice(0, 8), 16);
  mark = Math.imul(mark ^ (mark >>> 15), 0x85ebca6b);
  return (mark ^ (mark >>> 13)) & 0xffff;
}

const SMALLEST = 1_024;
const USUAL = 2_048;
const LARGEST = 4_096;
const MARKS = 0x10000;

/**
 * Cuts the entries of a list or object into runs. An entry ends a run by what it says itself, so that one
 * that comes in, or goes, leaves all runs but its own as they are.
 */
export function runsOf(entries: readonly Skeleton[]): Skeleton[][] {
  const runs: Skeleton[][] = [];
  let run: Skeleton[] = [];
  let cost = 0;
  for (const entry of entries) {
    if (run.length > 0 && cost + entry.cost > LARGEST) {
      runs.push(run);
      [run, cost] = [[], 0];
    }
    run.push(entry);
    cost += entry.cost;
    if (cost >= SMALLEST && endsRun(entry)) {
      runs.push(run);
      [run, cost] = [[], 0];
    }
  }
  return run.length > 0 ? [...runs, run] : runs;
}

/** A heavy entry ends a run more likely than a light one, so that runs have a usual weight. */
function endsRun(entry: Skeleton): boolean {
  return markOf(entry) < (MARKS * entry.cost) / USUAL;
}
