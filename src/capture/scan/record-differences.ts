import type { Observation } from '../../fs/observe.ts';
import type { Change } from '../../model/change.ts';
import type { TrackedPath } from '../../model/path.ts';
import { ABSENT, joins, type State, type UnknownReason, unknown } from '../../model/state.ts';
import type { Draft } from '../../store/draft.ts';
import type { Head } from '../../store/store.ts';
import { type CaptureSite, isOffLimits, look } from '../capture.ts';
import { type Author, appendChange, outsider } from '../chain.ts';
import { appendUnseenEnd } from '../finds.ts';
import { headOf } from '../known-states.ts';
import type { ScanDifferences } from './differences.ts';
import type { Moved } from './moved.ts';

/** What a scan made of its differences. */
export interface Recorded {
  readonly changes: readonly Change[];
  /** Paths that are there and could not be recorded; their changes say why. */
  readonly unrecorded: readonly TrackedPath[];
}

export interface RecordContext {
  readonly author: Author;
  readonly moved: Moved;
  /** Whether what is on record of a path was so already when the scan before went by. */
  readonly isOlder: (head: Head) => boolean;
  /** Throws when there is no time left. */
  readonly checkTime: () => void;
}

/**
 * Turns the differences that a scan found into changes. Each path is looked at anew: what counts is how
 * it is now, under the project lock, and how it differs from what is on record by now.
 */
export async function recordDifferences(
  draft: Draft,
  site: CaptureSite,
  differences: ScanDifferences,
  context: RecordContext,
): Promise<Recorded> {
  const { gone, left, touched, appeared, entered } = differences;
  const total = [gone, left, touched, appeared, entered].reduce(
    (sum, { length }) => sum + length,
    0,
  );
  const recorder = new Recorder(draft, site, { ...context, total });
  // What goes before what comes: in a swap of file and folder the folder's entries are gone first.
  for (const path of gone.toReversed()) await recorder.record(path);
  for (const path of left) await recorder.recordLeft(path);
  for (const path of touched) await recorder.record(path);
  for (const path of appeared) await recorder.recordAppeared(path);
  for (const path of entered) await recorder.recordEntered(path);
  return { changes: recorder.changes, unrecorded: recorder.unrecorded };
}

const OUT_OF_REACH = 'out of reach';
const NOT_COMPARED: readonly UnknownReason[] = ['too-large', 'excluded'];

class Recorder {
  readonly changes: Change[] = [];
  readonly unrecorded: TrackedPath[] = [];
  readonly #draft: Draft;
  readonly #site: CaptureSite;
  readonly #author: Author;
  readonly #moved: Moved;
  readonly #isOlder: (head: Head) => boolean;
  readonly #checkTime: () => void;
  readonly #total: number;
  #done = 0;

  constructor(draft: Draft, site: CaptureSite, context: RecordContext & { total: number }) {
    this.#draft = draft;
    this.#site = site;
    this.#author = context.author;
    this.#moved = context.moved;
    this.#isOlder = context.isOlder;
    this.#checkTime = context.checkTime;
    this.#total = context.total;
  }

  async record(path: TrackedPath): Promise<void> {
    const head = await this.#headOf(path);
    if (head === OUT_OF_REACH) return;
    const before = head?.state ?? unknown('not-seen');
    this.#append(path, before, this.#look(path, head), this.#author);
  }

  /** The scan before saw that nothing was there. What is on record may have gone while it was hidden. */
  async recordAppeared(path: TrackedPath): Promise<void> {
    const head = await this.#headOf(path);
    if (head === OUT_OF_REACH) return;
    const isGone = head !== null && head.state.kind !== 'absent' && this.#isOlder(head);
    if (isGone) appendUnseenEnd(this.#draft, path, head.state, this.#author.createdAt);
    const before = isGone ? ABSENT : (head?.state ?? ABSENT);
    this.#append(path, before, this.#look(path, head), this.#author);
  }

  /**
   * Leaving the scope is not a deletion, and what is out of it is not looked at again. But this once it
   * is: whoever wrote the rule may have written to the path as well, or put a hidden folder in its place.
   */
  async recordLeft(path: TrackedPath): Promise<void> {
    if (this.#moved(path)) await this.record(path);
  }

  /** The path was there already, unseen; so whatever it is now, nobody is known to have made it. */
  async recordEntered(path: TrackedPath): Promise<void> {
    const head = await this.#headOf(path);
    if (head === OUT_OF_REACH) return;
    const seen = this.#look(path, head);
    // Somebody has seen it since: it went on from there.
    if (head !== null && !this.#isOlder(head)) {
      this.#append(path, head.state, seen, this.#author);
      return;
    }
    const others = outsider(this.#author.createdAt);
    const hidden = unknown('not-seen');
    if (head !== null && joins(head.state, seen.state)) return;
    // Through an unknown: what was there before it came into sight is not what was last on record.
    if (head !== null && !joins(head.state, hidden)) {
      appendChange(this.#draft, path, head.state, hidden, others);
    }
    this.#append(path, hidden, seen, others);
  }

  /** What is on record of a path; a tool that is at work on it will tell itself. */
  async #headOf(path: TrackedPath): Promise<Head | null | typeof OUT_OF_REACH> {
    await this.#tick();
    if (isOffLimits(this.#site, path)) return OUT_OF_REACH;
    const head = await headOf(this.#draft, this.#site.known, path);
    return head?.open ? OUT_OF_REACH : head;
  }

  /**
   * A file past the limit may be on record all the same: git held it, or a rewind kept it. As long as it
   * holds those bytes it stays so.
   */
  #look(path: TrackedPath, head: Head | null): Observation {
    const seen = look(this.#site, path);
    const isTooLarge = seen.state.kind === 'unknown' && seen.state.reason === 'too-large';
    if (!isTooLarge || head?.state.kind !== 'captured') return seen;
    const whole = look({ ...this.#site, maxFileSize: head.state.size }, path);
    const isSame = whole.state.kind === 'captured' && whole.state.blob === head.state.blob;
    return isSame ? { ...whole, blob: null } : seen;
  }

  async #tick(): Promise<void> {
    this.#checkTime();
    await this.#site.onProgress?.({ step: 'record', done: this.#done, total: this.#total });
    this.#done += 1;
  }

  #append(path: TrackedPath, before: State, seen: Observation, author: Author): void {
    if (joins(before, seen.state) && !this.#isUnseenEdit(path, seen.state)) return;
    if (this.#isPurged(path, before)) return;
    if (seen.blob !== null) this.#draft.addBlob(seen.blob);
    this.changes.push(appendChange(this.#draft, path, before, seen.state, author));
    if (seen.state.kind === 'unknown') this.unrecorded.push(path);
  }

  /** What was purged is not recorded anew by looking, but when somebody is seen to have written there. */
  #isPurged(path: TrackedPath, before: State): boolean {
    return before.kind === 'unknown' && before.reason === 'purged' && !this.#moved(path);
  }

  /** A file that is not to be compared was written to: that is all there is to say of it, so say it. */
  #isUnseenEdit(path: TrackedPath, state: State): boolean {
    const untold = state.kind === 'unknown' && NOT_COMPARED.includes(state.reason);
    return untold && this.#moved(path);
  }
}
