import type { Change, CoAuthor } from '../model/change.ts';
import { isGap } from '../model/checkpoint.ts';
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
  /** The root of each session's family, from `rootsOf`. */
  readonly roots: Roots;
  /** Windows that must be over although nobody closed them. */
  readonly lost: ReadonlySet<string>;
  /** An earlier scan gave up, so the change can also have happened before the newest checkpoint. */
  readonly late: boolean;
  readonly now: number;
}

type Roots = ReadonlyMap<string, string>;

/** The roots of the families that windows belong to. Empty where all of them are of one session. */
export async function rootsOf(store: Store, windows: readonly Window[]): Promise<Roots> {
  const ids = [...new Set(windows.map(({ sessionId }) => sessionId))];
  const sessions = ids.length < 2 ? [] : await store.timeline.sessions(ids);
  return new Map(sessions.map(({ id, rootId }) => [id, rootId]));
}

/**
 * The author of a change that a scan found. If all open windows belong to one family: inferred, and it belongs to
 * each of their messages. If they belong to several, or one was closed or lost, or the scan comes late: shared. If
 * there is none: outside.
 */
export function authorOfFinds({ windows, roots, lost, late, now }: Circumstances): Author {
  const newest = windows.at(-1);
  if (newest === undefined) return outsider(now);
  const rootOf = ({ sessionId }: Window): string => roots.get(sessionId) ?? sessionId;
  const isSure = (window: Window): boolean =>
    window.closed === null && !lost.has(window.id) && rootOf(window) === rootOf(newest);
  const sure = !late && windows.every(isSure);
  return {
    ...outsider(now),
    origin: 'shell',
    attribution: sure ? 'inferred' : 'shared',
    sessionId: newest.sessionId,
    checkpointId: newest.checkpointId,
    coAuthors: coAuthorsOf(newest, windows),
    toolCallId: windows.length === 1 ? newest.toolCallId : null,
    subagentId: windows.length === 1 ? newest.subagentId : null,
  };
}

/** The other messages that calls belong to, each once; null for none. */
export function coAuthorsOf(own: Call, calls: readonly Call[]): CoAuthor[] | null {
  const others = new Map<CheckpointId, CoAuthor>();
  for (const { sessionId, checkpointId } of calls) {
    if (sessionId === null || checkpointId === null || checkpointId === own.checkpointId) continue;
    others.set(checkpointId, { sessionId, checkpointId });
  }
  return others.size === 0 ? null : [...others.values()];
}

/** The work of a session that must be over. Fields that are left out mean all of it. */
export interface Ended {
  readonly sessionId: string;
  /** What this sub-agent began; null: what the agent itself began, since sub-agents may go on. */
  readonly subagentId?: string | null | undefined;
  /** What calls of this name began. */
  readonly toolCallId?: string | undefined;
  /** What was begun for this message; null for a message that is not on record. */
  readonly of?: CheckpointId | null | undefined;
  /** What was not begun for this message, which goes on. */
  readonly notOf?: CheckpointId | undefined;
}

/** A tool call or a command. */
type Call = Pick<Window | Change, 'sessionId' | 'checkpointId' | 'toolCallId' | 'subagentId'>;

/** Whether a call belongs to work that must be over. */
export function isEnded(call: Call, ended: Ended | null): boolean {
  return (
    ended !== null &&
    call.sessionId === ended.sessionId &&
    (ended.subagentId === undefined || call.subagentId === ended.subagentId) &&
    (ended.toolCallId === undefined || call.toolCallId === ended.toolCallId) &&
    (ended.of === undefined || call.checkpointId === ended.of) &&
    (ended.notOf === undefined || call.checkpointId !== ended.notOf)
  );
}

/** Windows that must be over: their owner has ended, or their session has moved on without closing them. */
export function lostWindows(
  windows: readonly Window[],
  ended: Ended | null,
  now: number,
): Set<string> {
  const lost = windows.filter((window) => isEnded(window, ended) || isOwnerGone(window, now));
  return new Set(lost.map(({ id }) => id));
}

function isOwnerGone({ owner, createdAt: since }: Window, now: number): boolean {
  return owner !== null && !ownerMayRun(owner, { since, now });
}

/**
 * What scans have put down to commands whose ends never came, and who knows when they ended: a person can have made
 * it. Certain is what was found while another command ran whose end was told. A command that is no tool call runs as
 * long as its owner, so what was found before the owner's end was found while the command ran.
 */
export async function doubtedFinds(
  store: Store,
  lost: readonly Window[],
  ended: Ended | null,
): Promise<Seq[]> {
  const doubted: Seq[] = [];
  for (const window of commandsIn(lost)) {
    if (window.toolCallId === null && !isEnded(window, ended)) continue;
    const query = { after: window.opened, checkpointIds: [window.checkpointId] };
    for (const { seq, origin, attribution } of await store.timeline.changes(query)) {
      const isCertain = window.certain?.some(({ from, to }) => from < seq && seq <= to);
      if (origin === 'shell' && attribution === 'inferred' && !isCertain) doubted.push(seq);
    }
  }
  return doubted;
}

/** Whether the worktree could not be scanned after `seq`, at a checkpoint or before a command. */
export async function hasGapSince(
  store: Store,
  windows: readonly Window[],
  seq: Seq,
): Promise<boolean> {
  if (windows.some(({ opened, coverage }) => opened > seq && isGap(coverage))) return true;
  const recent = await store.timeline.checkpoints({ importedAt: null, limit: 20 });
  return recent.some((one) => one.seq > seq && isGap(one.coverage));
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
    const windows = await this.#windows;
    const open = commandsIn(windows).filter(({ opened }) => opened <= until);
    const inTime = open.filter(({ opened }) => since === null || opened <= since);
    if (inTime.length < open.length || open.length === 0) return outsider(this.now);
    const baseline = (await this.#store.state()).baseline;
    const scanned = (await this.#lastIndex())?.stamp.seq ?? baseline?.seq ?? 0;
    const late = await hasGapSince(this.#store, windows, scanned);
    const lost = lostWindows(open, null, this.now);
    const roots = await rootsOf(this.#store, open);
    return authorOfFinds({ windows: open, roots, lost, late, now: this.now });
  }

  #lastIndex(): Promise<ScanIndex | null> {
    this.#index ??= this.#loadIndex();
    return this.#index;
  }
}
