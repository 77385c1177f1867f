import type { Observation } from '../../fs/observe.ts';
import type { Change } from '../../model/change.ts';
import type { TrackedPath } from '../../model/path.ts';
import { ABSENT, joins, type State, type UnknownReason, unknown } from '../../model/state.ts';
import type { Draft } from '../../store/draft.ts';
import type { Head } from '../../store/store.ts';
import { type CaptureSite, isOffLimits, look, lookAtKnown } from '../capture.ts';
import { type Author, appendChange, appendUnseenEnd, outsider } from '../chain.ts';
import { headOf } from '../known-states.ts';
import type { Moved, ScanDifferences } from './differences.ts';

/** The changes that a scan drafted. */
export interface Recorded {
  readonly changes: readonly Change[];
  /** Paths that exist and could not be recorded; their changes say why. */
  readonly unrecorded: readonly TrackedPath[];
  /** Paths that were left out of scope and are gone, without a change that could be taken back. */
  readonly lost: readonly TrackedPath[];
}

export interface RecordContext {
  readonly author: Author;
  readonly moved: Moved;
  /** Whether the record of a path was made before the previous scan. */
  readonly isOlder: (head: Head) => boolean;
  /** Whether git ignores a path that is kept all the same. */
  readonly isPrivate: (path: TrackedPath) => boolean;
  /** Private paths that the previous scan left out, and that are gone. */
  readonly goneUnseen: readonly TrackedPath[];
  /** Throws when there is no time left. */
  readonly checkTime: () => void;
}

/**
 * Turns the differences that a scan found into changes. Each path is looked at again under the project
 * lock, and compared with what is on record now.
 */
export async function recordDifferences(
  draft: Draft,
  site: CaptureSite,
  differences: ScanDifferences,
  context: RecordContext,
): Promise<Recorded> {
  const { gone, left, touched, appeared, entered } = differences;
  const { goneUnseen } = context;
  const total = [gone, left, touched, appeared, entered, goneUnseen].flat().length;
  const recorder = new Recorder(draft, site, context, total);
  // Deletions first: when a file replaces a folder, the folder's entries are gone before the file comes.
  for (const path of gone.toReversed()) await recorder.record(path);
  for (const path of left) await recorder.recordLeft(path);
  for (const path of touched) await recorder.record(path);
  for (const path of appeared) await recorder.recordAppeared(path);
  for (const path of entered) await recorder.recordEntered(path);
  for (const path of goneUnseen) await recorder.recordGoneUnseen(path);
  const inScope = [...touched, ...appeared, ...entered].filter(context.isPrivate);
  const privates = [...inScope, ...goneUnseen];
  if (privates.length > 0) {
    const known = new Set(await site.store.timeline.privatePaths());
    for (const path of privates) if (!known.has(path)) draft.privatePaths.push(path);
  }
  const { changes, unrecorded } = recorder;
  const changed = new Set(changes.map(({ path }) => path));
  const lost = differences.lost.filter((path) => !changed.has(path));
  return { changes, unrecorded, lost };
}

const OUT_OF_REACH = 'out of reach';
const NOT_COMPARED: readonly UnknownReason[] = ['too-large', 'excluded'];

class Recorder {
  readonly changes: Change[] = [];
  readonly unrecorded: TrackedPath[] = [];
  readonly #draft: Draft;
  readonly #site: CaptureSite;
  readonly #context: RecordContext;
  readonly #total: number;
  #done = 0;

  constructor(draft: Draft, site: CaptureSite, context: RecordContext, total: number) {
    this.#draft = draft;
    this.#site = site;
    this.#context = context;
    this.#total = total;
  }

  async record(path: TrackedPath): Promise<void> {
    const head = await this.#headOf(path);
    if (head === OUT_OF_REACH) return;
    const before = head?.state ?? unknown('not-seen');
    this.#append(path, before, this.#look(path, head), this.#context.author);
  }

  /** The previous scan saw nothing there. A file on record may have been deleted while it was hidden. */
  async recordAppeared(path: TrackedPath): Promise<void> {
    const head = await this.#headOf(path);
    if (head === OUT_OF_REACH) return;
    const isGone = head !== null && head.state.kind !== 'absent' && this.#context.isOlder(head);
    if (isGone) appendUnseenEnd(this.#draft, path, head.state, this.#context.author.createdAt);
    const before = isGone ? ABSENT : (head?.state ?? ABSENT);
    this.#append(path, before, this.#look(path, head), this.#context.author);
  }

  /**
   * Leaving the scope is not a deletion. The path is looked at one last time, because whoever wrote the
   * rule may have written to the path as well, or replaced it by a hidden folder.
   */
  async recordLeft(path: TrackedPath): Promise<void> {
    if (this.#context.moved(path)) await this.record(path);
  }

  /** The path may have been there before, unseen. So nobody is known to have made it. */
  async recordEntered(path: TrackedPath): Promise<void> {
    const head = await this.#headOf(path);
    if (head === OUT_OF_REACH) return;
    const seen = this.#look(path, head);
    // A tool has captured it since the previous scan, so the chain goes on from there.
    if (head !== null && !this.#context.isOlder(head)) {
      this.#append(path, head.state, seen, this.#context.author);
      return;
    }
    this.#appendUnseen(path, head, seen, outsider(this.#context.author.createdAt));
  }

  /** The path was there, and nobody knows what it was like. */
  async recordGoneUnseen(path: TrackedPath): Promise<void> {
    const head = await this.#headOf(path);
    if (head === OUT_OF_REACH) return;
    this.#appendUnseen(path, head, this.#look(path, head), this.#context.author);
  }

  /** Through an unknown: nobody saw the path between its last record and now. */
  #appendUnseen(path: TrackedPath, head: Head | null, seen: Observation, author: Author): void {
    const hidden = unknown('not-seen');
    if (head !== null && joins(head.state, seen.state)) return;
    if (head !== null && !joins(head.state, hidden)) {
      appendChange(this.#draft, path, head.state, hidden, outsider(author.createdAt));
    }
    this.#append(path, hidden, seen, author);
  }

  /** The record of a path. Where a tool is at work, the end of its capture will record the path. */
  async #headOf(path: TrackedPath): Promise<Head | null | typeof OUT_OF_REACH> {
    await this.#tick();
    if (isOffLimits(this.#site, path)) return OUT_OF_REACH;
    const head = await headOf(this.#draft, this.#site.known, path);
    return head?.open ? OUT_OF_REACH : head;
  }

  #look(path: TrackedPath, head: Head | null): Observation {
    if (head === null) return look(this.#site, path);
    // If it was recorded after the last scan, a rewind may have brought it back. Nobody has written to it then,
    // and the next undo has to find its chain unbroken, although it is excluded.
    const isRecent = !this.#context.isOlder(head) && this.#context.moved(path);
    return lookAtKnown(this.#site, path, head.state, isRecent ? NOT_COMPARED : ['too-large']);
  }

  async #tick(): Promise<void> {
    this.#context.checkTime();
    await this.#site.onProgress?.({ step: 'record', done: this.#done, total: this.#total });
    this.#done += 1;
  }

  #append(path: TrackedPath, before: State, seen: Observation, author: Author): void {
    if (joins(before, seen.state) && !this.#isUnseenEdit(path, seen.state)) return;
    if (this.#isPurged(path, before) || this.#isAsRecorded(path, before, seen.state)) return;
    if (seen.blob !== null) this.#draft.addBlob(seen.blob);
    this.changes.push(appendChange(this.#draft, path, before, seen.state, author));
    if (seen.state.kind === 'unknown') this.unrecorded.push(path);
  }

  /** A purged file is recorded again only after somebody has written to it. */
  #isPurged(path: TrackedPath, before: State): boolean {
    return before.kind === 'unknown' && before.reason === 'purged' && !this.#context.moved(path);
  }

  /** An excluded file is not read, so that its stat alone tells: nobody has written to it. */
  #isAsRecorded(path: TrackedPath, before: State, now: State): boolean {
    const isExcluded = now.kind === 'unknown' && now.reason === 'excluded';
    return isExcluded && before.kind === 'captured' && !this.#context.moved(path);
  }

  /** A file whose content is not recorded was written to. A change must say so, though both states are equal. */
  #isUnseenEdit(path: TrackedPath, state: State): boolean {
    const untold = state.kind === 'unknown' && NOT_COMPARED.includes(state.reason);
    return untold && this.#context.moved(path);
  }
}
