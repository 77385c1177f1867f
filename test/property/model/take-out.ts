import { contentOf, type Entry, type FileEntry, isFile, type Place, same } from './entry.ts';
import type { Event } from './event.ts';

export const CONFLICT = 'conflict';
/** Nobody knows what to go back to. */
export const UNKNOWN = 'unknown';
export type Outcome = Place | typeof CONFLICT | typeof UNKNOWN;

/**
 * The design's one rule for a path: each unbroken run of the set is taken out of what is there, newest
 * first. `chain` is all that happened to the path, oldest first.
 */
export function takeOut(chain: readonly Event[], set: ReadonlySet<Event>, now: Place): Outcome {
  let left = now;
  for (const { before, after, unseen } of runsNewestFirst(chain, set)) {
    const next = unseen ? UNKNOWN : takeRun(before, after, left);
    if (next === CONFLICT || next === UNKNOWN) return next;
    left = next;
  }
  return left;
}

/**
 * Whether putting the set back would bring what is there now. It would not where somebody else had
 * already made, by chance or by another rewind, some of what taking it out makes.
 */
export function isReversible(
  chain: readonly Event[],
  set: ReadonlySet<Event>,
  now: Place,
): boolean {
  let place = takeOut(chain, set, now);
  for (const { before, after } of runsNewestFirst(chain, set).reverse()) {
    if (place !== CONFLICT && place !== UNKNOWN) place = takeRun(after, before, place);
  }
  return place !== CONFLICT && place !== UNKNOWN && same(place, now);
}

interface Run {
  readonly before: Place;
  readonly after: Place;
  readonly unseen: boolean;
}

/** What came to nothing in between does not end a run. */
function runsNewestFirst(chain: readonly Event[], set: ReadonlySet<Event>): Run[] {
  const runs: Run[] = [];
  for (const event of chain.filter((one) => set.has(one))) {
    const run = runs[0];
    if (run && same(run.after, event.before)) {
      // Nothing shows that what came into sight was made since.
      const isUnproven = event.unseen && run.before === null && event.after !== null;
      runs[0] = { ...run, after: event.after, unseen: run.unseen || isUnproven };
    } else {
      const { before, after, unseen } = event;
      runs.unshift({ before, after, unseen });
    }
  }
  return runs;
}

/** Content and mode of a file go back each on its own; anything else as a whole. */
function takeRun(before: Place, after: Place, now: Place): Outcome {
  if (isFile(before) && isFile(after) && isFile(now)) {
    return withMode(takeContent(before, after, now), takeMode(before, after, now));
  }
  if (before?.kind === 'folder' && after?.kind === 'folder' && now?.kind === 'folder') {
    return withMode(now, takeMode(before, after, now));
  }
  return takePart(before, after, now, same);
}

function takeContent(
  before: FileEntry,
  after: FileEntry,
  now: FileEntry,
): FileEntry | typeof CONFLICT {
  if (before.kind !== 'text' || after.kind !== 'text' || now.kind !== 'text') {
    return takePart(before, after, now, sameContent);
  }
  // Texts with different padding have no line in common.
  if (before.text !== after.text || now.text !== after.text) {
    return takePart<FileEntry>(before, after, now, sameContent);
  }
  const slots = now.slots.map((slot, at) =>
    takePart(before.slots[at] ?? '', after.slots[at] ?? '', slot, Object.is),
  );
  return slots.includes(CONFLICT) ? CONFLICT : { ...now, slots };
}

interface WithMode {
  readonly mode: number;
}

function takeMode(before: WithMode, after: WithMode, now: WithMode): number | typeof CONFLICT {
  return takePart(before.mode, after.mode, now.mode, Object.is);
}

/** What a part becomes when before → after is taken back: a conflict if somebody changed it since. */
function takePart<Part>(
  before: Part,
  after: Part,
  now: Part,
  equal: (a: Part, b: Part) => boolean,
): Part | typeof CONFLICT {
  if (equal(before, after) || equal(now, before)) return now;
  return equal(now, after) ? before : CONFLICT;
}

function withMode(
  entry: Exclude<Entry, { kind: 'link' }> | typeof CONFLICT,
  mode: number | typeof CONFLICT,
): Outcome {
  return entry === CONFLICT || mode === CONFLICT ? CONFLICT : { ...entry, mode };
}

function sameContent(a: FileEntry, b: FileEntry): boolean {
  return contentOf(a) === contentOf(b);
}
