import type { Entry } from '../../fs/tree.ts';
import type { BlobId, Seq } from '../../model/ids.ts';
import type { Baseline } from '../../model/manifest.ts';
import { childOf, type TrackedPath } from '../../model/path.ts';
import { commandsIn } from '../../model/window.ts';
import type { Draft } from '../../store/draft.ts';
import { oldestCheckpointSeq } from '../../store/find.ts';
import type { Head } from '../../store/store.ts';
import type { CaptureSite } from '../capture.ts';
import { type Author, outsider } from '../chain.ts';
import { type GitBaseline, type PendingBaseline, startGitBaseline } from '../git/baseline.ts';
import type { RefusedByGit } from '../git/refusal.ts';
import { loadGlobalRules } from '../ignore/global-rules.ts';
import { isInScope, isNestedGit, isRuleFile, isScopeFile } from '../ignore/ignore-scope.ts';
import {
  compareWithRecord,
  goneUnseen,
  type Moved,
  movedSince,
  noDifferences,
  recordedPaths,
  type ScanDifferences,
  type SinceWalk,
  withLeftOut,
  withRecordedSince,
} from './differences.ts';
import type { EntryStat } from './entry-stat.ts';
import { diskFileSystem } from './file-system.ts';
import { KeptIndex } from './kept-index.ts';
import { type Recorded, recordDifferences } from './record-differences.ts';
import type { GiveUpReason } from './scan-control.ts';
import type { RecordedChange, ScanIndex } from './scan-index.ts';
import { Scanner, type ScanOutcome, type ScanRequest } from './scanner.ts';
import { type BaselineReport, type TooLarge, takeBaseline } from './take-baseline.ts';

export interface WorktreeOptions {
  /** Where the stat index is kept between processes; null keeps it in memory. */
  readonly indexFile: string | null;
  readonly maxScanEntries: number;
  /** How many bytes a first look may copy. */
  readonly maxCopyBytes: number;
  readonly workers: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether small files that git ignores are in scope. */
  readonly keepIgnored: boolean;
}

/** The result of a walk over the worktree. It is not on record yet. */
export type Walk =
  | { readonly kind: 'gave-up'; readonly reason: GiveUpReason }
  | {
      readonly kind: 'first';
      readonly index: ScanIndex;
      readonly git: GitBaseline | RefusedByGit;
      readonly seq: Seq;
      readonly open: readonly TrackedPath[];
    }
  | (SinceWalk & {
      readonly kind: 'next';
      readonly index: ScanIndex;
      readonly previous: ScanIndex | null;
      /** Null where there was no index to compare with. */
      readonly differences: ScanDifferences | null;
      readonly moved: Moved;
      readonly seq: Seq;
    });

/** Ignore rules, or the setting `exclude`. */
export type HiddenBy = 'rules' | 'exclude';

export type CompleteWalk = Exclude<Walk, { kind: 'gave-up' }>;

export interface RecordOptions {
  readonly author: Author;
  /** Throws when there is no time left. */
  readonly checkTime: () => void;
  /** Whether to look at paths on record, too, that rules leave out. */
  readonly looksAtLeftOut: boolean;
}

export type Recording = ({ readonly kind: 'changes' } & Recorded) | BaselineReport | TooLarge;

/** Scans the worktree of one project. Keeps the index and the threads between scans. */
export class Worktree {
  readonly #site: CaptureSite;
  readonly #options: WorktreeOptions;
  readonly #scanner: Scanner;
  readonly #kept: KeptIndex;

  constructor(site: CaptureSite, options: WorktreeOptions) {
    this.#site = site;
    this.#options = options;
    this.#scanner = new Scanner({ workers: options.workers });
    this.#kept = new KeptIndex(options.indexFile);
  }

  /** Walks over the worktree; needs no lock. `deadline` is a moment of `monotonicMs`. */
  async walk(deadline: number | null): Promise<Walk> {
    const { root, store } = this.#site;
    // Read before the walk: the next walk looks again at paths that are recorded during this one.
    const { seq, baseline } = await store.state();
    const open = (await store.timeline.changes({ open: true })).map(({ path }) => path);
    const previous = await this.#previous(baseline, seq);
    const { environment } = this.#options;
    const asksGit = baseline === null && store.git !== null;
    const pending = asksGit ? startGitBaseline(root, environment) : null;
    const holdsKnown = previous !== null && (await this.#agentMayWriteRules(previous));
    const privates = { onRecord: new Set(await store.timeline.privatePaths()), takesNew: true };
    const outcome = await this.#scan({ previous, holdsKnown, privates, deadline }, pending);
    if (outcome.kind === 'gave-up') return outcome;
    const { index, differences } = outcome;
    if (baseline === null) {
      return { kind: 'first', index, git: await askGit(pending, index), seq, open };
    }
    const since = previous?.stamp.seq ?? baseline.seq;
    const unsettled = new Set(previous?.stamp.open);
    const moved = previous === null ? () => false : movedSince(root, previous, index);
    const found = { index, previous, differences: previous && differences, moved };
    return { kind: 'next', ...found, since, unsettled, seq, open };
  }

  /** Drafts the changes that a walk found. The caller holds the project lock and commits the draft. */
  async record(
    draft: Draft,
    walk: CompleteWalk,
    { author, checkTime, looksAtLeftOut }: RecordOptions,
  ): Promise<Recording> {
    if (walk.kind === 'first') return this.#recordFirst(draft, walk, author, checkTime);
    const { store } = this.#site;
    const found = walk.differences ?? (await compareWithRecord(this.#site, walk.index));
    const recent = await withRecordedSince(store, found, walk);
    const differences = looksAtLeftOut ? await withLeftOut(store, recent, walk) : recent;
    const { moved, since, unsettled } = walk;
    const isOlder = ({ path, seq }: Head) => seq <= since && !unsettled.has(path);
    const isPrivate = privateIn(walk.index);
    const { previous, index } = walk;
    const unseen = previous === null ? [] : await goneUnseen(this.#site, previous, index);
    const context = { author, moved, isOlder, isPrivate, goneUnseen: unseen, checkTime };
    const recorded = await recordDifferences(draft, this.#site, differences, context);
    return { kind: 'changes', ...recorded };
  }

  /** Makes the walk's index the one that the next walk compares with. Call it after the commit. */
  async keep(walk: CompleteWalk, manifest: BlobId): Promise<void> {
    const { seq, open } = walk;
    const { previous, since } = walk.kind === 'next' ? walk : { previous: null, since: 0 };
    const newest = (await this.#newestSince(since)) ?? previous?.stamp.newest ?? null;
    this.#kept.keep(walk.index.stamped({ storeId: manifest, seq, open, newest }));
  }

  /** The index of the last scan; null where none is left. */
  async lastIndex(): Promise<ScanIndex | null> {
    const { baseline, seq } = await this.#site.store.state();
    return this.#previous(baseline, seq);
  }

  /**
   * What hides every name in the project's own folder, so that nothing new is recorded; null for nothing. The
   * files that say so are not counted: no rule hides them.
   */
  hiddenBy({ index }: Pick<CompleteWalk, 'index'>): HiddenBy | null {
    const { root, excluded } = this.#site;
    const scope = index.scopeOf(0);
    const names = namesIn(root, null).filter(
      ({ name, isDirectory }) => scope.judge(name, isDirectory) !== 'never' && !isScopeFile(name),
    );
    if (names.length === 0) return null;
    if (names.every(({ name, isDirectory }) => scope.ignores(name, isDirectory))) return 'rules';
    const isExcluded = ({ name, isDirectory }: Entry): boolean =>
      excluded(childOf(null, name), isDirectory);
    return names.every(isExcluded) ? 'exclude' : null;
  }

  /** The names that are left out of scope, in folders that are in it. Without the project's own `.git`. */
  ignoredBy({ index }: CompleteWalk): TrackedPath[] {
    const { folderEntry, sizes } = index.columns;
    const found: TrackedPath[] = [];
    for (let folder = 0; folder < sizes.folders; folder += 1) {
      const path = folder === 0 ? null : index.path(folderEntry[folder] as number);
      const scope = index.scopeOf(folder);
      for (const { name, isDirectory } of namesIn(this.#site.root, path)) {
        const verdict = scope.judge(name, isDirectory);
        if (isInScope(verdict)) continue;
        if (verdict === 'never' && !isNestedGit(path ?? '', name)) continue;
        // Small files that git ignores are kept, and so is what was in scope before an agent hid it.
        const child = childOf(path, name);
        if (index.find(child) === -1) found.push(child);
      }
    }
    return found;
  }

  close(): Promise<void> {
    return this.#scanner.close();
  }

  /** An index that belongs to this baseline, and to changes that are all on record. */
  async #previous(baseline: Baseline | null, seq: Seq): Promise<ScanIndex | null> {
    if (baseline === null) return null;
    const index = this.#kept.find(
      ({ stamp }) => stamp.storeId === baseline.manifest && stamp.seq <= seq,
    );
    return index !== null && (await this.#isOnRecord(index.stamp.newest)) ? index : null;
  }

  async #newestSince(since: Seq): Promise<RecordedChange | null> {
    const change = (await this.#site.store.timeline.changes({ after: since })).at(-1);
    return change === undefined
      ? null
      : { seq: change.seq, path: change.path, createdAt: change.createdAt };
  }

  /** If a change is not on record, later ones are not either: a damaged log loses commits from its end. */
  async #isOnRecord(change: RecordedChange | null): Promise<boolean> {
    if (change === null) return true;
    const { store } = this.#site;
    const { seq, path, createdAt } = change;
    const [found] = await store.timeline.changes({ after: seq - 1, paths: [path] });
    if (found?.seq === seq) return found.createdAt === createdAt;
    // Retention drops changes below the oldest checkpoint.
    return ((await oldestCheckpointSeq(store)) ?? 0) > seq;
  }

  async #recordFirst(
    draft: Draft,
    walk: Extract<Walk, { kind: 'first' }>,
    { createdAt }: Author,
    checkTime: () => void,
  ): Promise<BaselineReport | TooLarge> {
    const { maxCopyBytes } = this.#options;
    const taken = await takeBaseline(draft, this.#site, { ...walk, maxCopyBytes, checkTime });
    if (taken.kind !== 'baseline') return taken;
    // Tools may have recorded paths before the first scan, and people may have edited those files since.
    const touched = [...(await recordedPaths(this.#site))];
    const no = () => false;
    const isPrivate = privateIn(walk.index);
    const others = { author: outsider(createdAt), moved: no, isOlder: no };
    const context = { ...others, isPrivate, goneUnseen: [], checkTime };
    await recordDifferences(draft, this.#site, { ...noDifferences(), touched }, context);
    return taken;
  }

  /**
   * Whether an agent may have written the rules that this walk finds. Such rules must not hide what the agent
   * does next, so they count for new names only. Rules that people write count for all.
   */
  async #agentMayWriteRules({ stamp }: ScanIndex): Promise<boolean> {
    const { timeline } = this.#site.store;
    if (commandsIn(await timeline.windows()).length > 0) return true;
    const since = await timeline.changes({ after: stamp.seq });
    const byTools = since.filter(({ origin }) => origin === 'tool').map(({ path }) => path);
    return [...byTools, ...stamp.open].some(isRuleFile);
  }

  async #scan(
    request: Pick<ScanRequest, 'previous' | 'holdsKnown' | 'privates' | 'deadline'>,
    pending: PendingBaseline | null,
  ): Promise<ScanOutcome> {
    const { root } = this.#site;
    const { environment, maxScanEntries: maxEntries, keepIgnored } = this.#options;
    const global = { ...loadGlobalRules(root, environment), keepIgnored };
    try {
      const outcome = await this.#scanner.scan({ ...request, root, global, maxEntries });
      if (outcome.kind === 'gave-up') await pending?.cancel();
      return outcome;
    } catch (error) {
      await pending?.cancel();
      throw error;
    }
  }
}

function privateIn(index: ScanIndex): (path: TrackedPath) => boolean {
  return (path) => {
    const entry = index.find(path);
    return entry !== -1 && index.isPrivate(entry);
  };
}

/** Empty for a folder that was deleted since the walk, or cannot be read. */
function namesIn(root: string, folder: TrackedPath | null): Entry[] {
  try {
    return diskFileSystem.list(folder === null ? root : `${root}/${folder}`);
  } catch {
    return [];
  }
}

async function askGit(
  pending: PendingBaseline | null,
  index: ScanIndex,
): Promise<GitBaseline | RefusedByGit> {
  if (pending === null) return { refused: 'no-repository' };
  return pending.finish(statsOf(index));
}

/** Git asks in the order of the index, so each answer is next to the last one. */
function statsOf(index: ScanIndex): (path: TrackedPath) => EntryStat | null {
  let next = 0;
  return (path) => {
    const isNext = next < index.count && index.path(next) === path;
    const entry = isNext ? next : index.find(path);
    if (entry === -1) return null;
    next = entry + 1;
    // Folders stand between files, and git does not name them.
    while (next < index.count && index.isDirectory(next)) next += 1;
    return index.stampOf(entry).stat;
  };
}
