import type { CheckpointId, Seq } from '../model/ids.ts';
import type { TrackedPath } from '../model/path.ts';
import { commandsIn, type Window } from '../model/window.ts';
import type { Head, Store } from '../store/store.ts';
import { type Author, outsider } from './chain.ts';
import { ownerMayRun } from './process-owner.ts';
import type { ScanIndex } from './scan/scan-index.ts';

/** What is known about the moment at which a change was found. */
export interface Circumstances {
  /** Every window in which the change can have happened. */
  readonly windows: readonly Window[];
  /** Windows that must be over although nobody closed them. */
  readonly lost: ReadonlySet<string>;
  /** An earlier scan gave up, so the change can also have happened before the newest checkpoint. */
  readonly late: boolean;
  readonly now: number;
}

/**
 * The author of a change that a scan found. If all open windows belong to one message: inferred. If they
 * belong to several, or one was closed or lost, or the scan comes late: shared. If there is none: outside.
 */
export function authorOfFinds({ windows, lost, late, now }: Circumstances): Author {
  const newest = windows.at(-1);
  if (newest === undefined) return outsider(now);
  const sure = !late && windows.every((window) => isSure(window, newest.checkpointId, lost));
  return {
    ...outsider(now),
    origin: 'shell',
    attribution: sure ? 'inferred' : 'shared',
    sessionId: newest.sessionId,
    checkpointId: newest.checkpointId,
    toolCallId: windows.length === 1 ? newest.toolCallId : null,
  };
}

/** Commands of one message may overlap: a rewind of that message takes all of them back. */
function isSure(window: Window, checkpointId: CheckpointId, lost: ReadonlySet<string>): boolean {
  return window.closed === null && !lost.has(window.id) && window.checkpointId === checkpointId;
}

/** Windows that must be over: their process has ended, or their session has moved on without closing them. */
export function lostWindows(windows: readonly Window[], movedOn: string | null): Set<string> {
  const lost = windows.filter(
    ({ sessionId, owner }) => sessionId === movedOn || (owner !== null && !ownerMayRun(owner)),
  );
  return new Set(lost.map(({ id }) => id));
}

/** Whether a checkpoint after `seq` has a gap: the worktree could not be scanned there. */
export async function hasGapSince(store: Store, seq: Seq): Promise<boolean> {
  const recent = await store.timeline.checkpoints({ importedAt: null, limit: 20 });
  return recent.some(
    (one) => one.seq > seq && one.coverage !== 'scanned' && one.coverage !== 'named',
  );
}

/** What the last scan saw at a path: an entry, nothing, or it did not look there. */
export type Sight = 'there' | 'nothing' | 'not-covered';

/**
 * Answers a capture that finds an unexpected state, under the project lock. Most captures find none, so
 * the index and the windows are loaded when they are first needed.
 */
export class Finds {
  readonly now: number;
  readonly #store: Store;
  readonly #loadIndex: () => Promise<ScanIndex | null>;
  #index: Promise<ScanIndex | null> | null = null;
  #windows: Promise<readonly Window[]> | null = null;

  constructor(store: Store, loadIndex: () => Promise<ScanIndex | null>, now: number) {
    this.#store = store;
    this.#loadIndex = loadIndex;
    this.now = now;
  }

  /** Null where no scan can tell: there was none, or the record of the path is newer. */
  async sightOf(path: TrackedPath, head: Head | null): Promise<Sight | null> {
    const index = await this.#lastIndex();
    if (index === null) return null;
    if (!index.covers(path)) return 'not-covered';
    const { seq, open } = index.stamp;
    if (head !== null && (head.seq > seq || open.includes(path))) return null;
    return index.find(path) === -1 ? 'nothing' : 'there';
  }

  /**
   * The author of a change that was found at `until`. `since`: for a path that no scan covers, the number
   * of its last record. The change may be older than a command that began after it, so the author is then
   * `outside`. Null where scans look: the scan at the start of the command would have found an older change.
   */
  async authorOf(until: Seq, since: Seq | null): Promise<Author> {
    this.#windows ??= this.#store.timeline.windows();
    const open = commandsIn(await this.#windows).filter(({ opened }) => opened <= until);
    const inTime = open.filter(({ opened }) => since === null || opened <= since);
    if (inTime.length < open.length || open.length === 0) return outsider(this.now);
    const baseline = (await this.#store.state()).baseline;
    const scanned = (await this.#lastIndex())?.stamp.seq ?? baseline?.seq ?? 0;
    const late = await hasGapSince(this.#store, scanned);
    return authorOfFinds({ windows: open, lost: lostWindows(open, null), late, now: this.now });
  }

  #lastIndex(): Promise<ScanIndex | null> {
    this.#index ??= this.#loadIndex();
    return this.#index;
  }
}
