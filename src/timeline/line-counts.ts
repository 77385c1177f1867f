import type { Change } from '../model/change.ts';
import type { BlobId, CheckpointId } from '../model/ids.ts';
import type { TrackedPath } from '../model/path.ts';
import { joins, type State } from '../model/state.ts';
import { findRenames } from '../plan/renames.ts';
import { countLines } from '../plan/unified-diff.ts';
import { readIntact } from '../store/find.ts';
import type { Store } from '../store/store.ts';

export interface LineCount {
  readonly insertions: number;
  readonly deletions: number;
}

/** Limits how much is read, so that a list need not wait for every file that an agent ever wrote. */
export interface CountBudget {
  /** How many contents may be read. */
  readonly reads: number;
  readonly bytes: number;
}

const UNLIMITED: CountBudget = { reads: Number.POSITIVE_INFINITY, bytes: 2 ** 40 };

/**
 * How many lines were added and removed under each checkpoint, in the order of `ids`. Checkpoints beyond
 * the budget are left out; where none of several in a row fits, all older ones are. Contents that are not text, or not on record, count nothing.
 */
export async function countCheckpointLines(
  store: Store,
  ids: readonly CheckpointId[],
  budget: CountBudget = UNLIMITED,
): Promise<Map<CheckpointId, LineCount>> {
  const contents = new Contents(store, budget);
  const counts = new Map<CheckpointId, LineCount>();
  const together = budget === UNLIMITED ? ids.length : ASKED_TOGETHER;
  for (let at = 0; at < ids.length; at += together) {
    const group = ids.slice(at, at + together);
    const counted = await countGroup(store, group, contents);
    for (const [id, count] of counted) counts.set(id, count);
    // The changes of older checkpoints need not be loaded when the budget is used up.
    if (counted.size === 0) break;
  }
  return counts;
}

const ASKED_TOGETHER = 8;

async function countGroup(
  store: Store,
  ids: readonly CheckpointId[],
  contents: Contents,
): Promise<Map<CheckpointId, LineCount>> {
  const changes = await store.timeline.changes({ checkpointIds: ids });
  const byCheckpoint = Map.groupBy(changes, ({ checkpointId }) => checkpointId);
  const counts = new Map<CheckpointId, LineCount>();
  for (const id of ids) {
    const steps = withoutRenames(stepsOf(byCheckpoint.get(id) ?? []));
    if (!contents.affords(steps)) continue;
    let [insertions, deletions] = [0, 0];
    for (const step of steps) {
      const count = await contents.count(step);
      insertions += count.insertions;
      deletions += count.deletions;
    }
    counts.set(id, { insertions, deletions });
  }
  return counts;
}

/** Counts the lines of changes. Contents that were read for one help with the next. */
export function lineCounter(store: Store): (change: Changed) => Promise<LineCount> {
  const contents = new Contents(store, UNLIMITED);
  // An open change counts nothing yet.
  return ({ before, after }) => contents.count({ before, after: after ?? before });
}

type Changed = Pick<Change, 'before' | 'after'>;

interface Step {
  readonly before: State;
  readonly after: State;
}

interface PathStep extends Step {
  readonly path: TrackedPath;
}

/** Joins consecutive changes of a path, so that a line that came and went is not counted. */
function stepsOf(changes: readonly Change[]): PathStep[] {
  const steps: PathStep[] = [];
  for (const [path, chain] of Map.groupBy(changes, (change) => change.path)) {
    let last: PathStep | null = null;
    for (const { before, after } of chain) {
      if (after === null) continue;
      if (last !== null && joins(last.after, before)) steps.pop();
      const since: State = last !== null && joins(last.after, before) ? last.before : before;
      last = { path, before: since, after };
      steps.push(last);
    }
  }
  return steps;
}

/** A renamed file has no new lines; `diff` shows it in the same way. */
function withoutRenames(steps: readonly PathStep[]): Step[] {
  const byPath = Map.groupBy(steps, ({ path }) => path);
  const renames = findRenames(steps.filter(({ path }) => byPath.get(path)?.length === 1));
  const moved = new Set([...renames.keys(), ...renames.values()]);
  return steps.filter(({ path }) => !moved.has(path));
}

const NOTHING = new Uint8Array();
const MOST_HELD = 64 * 1024 * 1024;

/** Reads each content once: the state after one message is the state before the next. */
class Contents {
  readonly #store: Store;
  readonly #read = new Map<BlobId, Uint8Array>();
  #reads: number;
  #bytes: number;
  #held = 0;

  constructor(store: Store, { reads, bytes }: CountBudget) {
    this.#store = store;
    this.#reads = reads;
    this.#bytes = bytes;
  }

  /** Takes the reads of these steps from the budget; false when there is not enough left. */
  affords(steps: readonly Step[]): boolean {
    const wanted = new Map<BlobId, number>();
    for (const state of steps.filter(isText).flatMap(({ before, after }) => [before, after])) {
      if (state.kind !== 'captured' || state.blob === null) continue;
      if (!this.#read.has(state.blob)) wanted.set(state.blob, state.size);
    }
    const bytes = [...wanted.values()].reduce((sum, size) => sum + size, 0);
    if (wanted.size > this.#reads || bytes > this.#bytes) return false;
    this.#reads -= wanted.size;
    this.#bytes -= bytes;
    return true;
  }

  async count(step: Step): Promise<LineCount> {
    const nothing = { insertions: 0, deletions: 0 };
    if (!isText(step)) return nothing;
    const [before, after] = [await this.#of(step.before), await this.#of(step.after)];
    if (before === after || before.includes(0) || after.includes(0)) return nothing;
    return countLines(before, after);
  }

  async #of(state: State): Promise<Uint8Array> {
    if (state.kind !== 'captured' || state.blob === null) return NOTHING;
    const known = this.#read.get(state.blob);
    if (known !== undefined) return known;
    // A damaged blob counts no lines: a restore reports the damage.
    const bytes = (await readIntact(this.#store, state.blob)) ?? NOTHING;
    this.#held += bytes.length;
    if (this.#held > MOST_HELD) {
      this.#read.clear();
      this.#held = 0;
    }
    this.#read.set(state.blob, bytes);
    return bytes;
  }
}

/** If one side is not on record, the lines cannot be counted. */
function isText({ before, after }: Step): boolean {
  return before.kind !== 'unknown' && after.kind !== 'unknown';
}
