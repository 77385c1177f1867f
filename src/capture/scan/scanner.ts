import { monotonicMs } from '../../model/clock.ts';
import type { TrackedPath } from '../../model/path.ts';
import type { GlobalRules } from '../ignore/ignore-scope.ts';
import { checkKnown, type EntryNews, newsAbout } from './check-known.ts';
import { noDifferences, type ScanDifferences } from './differences.ts';
import { RacyRule } from './entry-stat.ts';
import { diskFileSystem, type ScanFileSystem } from './file-system.ts';
import { FirstWalk, type PartFolder, type WalkedPart, walkPart } from './first-walk.ts';
import { NO_PRIVATE_ENTRIES, type PrivateEntries } from './ignored-entries.ts';
import type { BuiltIndex } from './index-builder.ts';
import { viewColumns } from './index-columns.ts';
import type { WalkContext } from './list-folder.ts';
import { NextWalk } from './next-walk.ts';
import { PreviousScan } from './previous-scan.ts';
import { type GiveUpReason, ScanControl, ScanStopped } from './scan-control.ts';
import { ScanIndex, UNSTAMPED } from './scan-index.ts';
import { type Answer, numberOf, type Task, WorkerPool } from './worker-pool.ts';

export interface ScanClock {
  /** Milliseconds from any start; never goes back. `deadline` is a moment of this clock. */
  now(): number;
  /** Milliseconds since 1970, as the file system stamps its files. */
  wallMs(): number;
}

const SYSTEM_CLOCK: ScanClock = { now: monotonicMs, wallMs: () => Date.now() };

export interface ScanRequest {
  readonly root: string;
  readonly previous: ScanIndex | null;
  readonly global: GlobalRules;
  /** Whether entries of the previous index stay in scope although new rules hide them. */
  readonly holdsKnown?: boolean | undefined;
  /** Left out, no file that git ignores was kept before. */
  readonly privates?: PrivateEntries | undefined;
  /** A moment of the clock (`monotonicMs`) past which the scan gives up. */
  readonly deadline: number | null;
  /** How many entries may be in scope. */
  readonly maxEntries: number;
  readonly clock?: ScanClock | undefined;
  /** Replaces the disk; the scan then stays in this thread. */
  readonly fileSystem?: ScanFileSystem | undefined;
}

export type ScanOutcome =
  | {
      readonly kind: 'complete';
      /** Not stamped yet. If nothing differs, it is the previous index itself. */
      readonly index: ScanIndex;
      /** Without a previous index all lists except `unreadable` are empty. */
      readonly differences: ScanDifferences;
    }
  | { readonly kind: 'gave-up'; readonly reason: GiveUpReason };

export interface ScannerOptions {
  /** How many threads share the work on a large tree; 0 keeps all work in the calling thread. */
  readonly workers: number;
  /** A tree with more entries than this is large. */
  readonly largeTree?: number;
}

/** Below this, starting two threads takes longer than they save. */
const LARGE_TREE = 50_000;

/** Scans worktrees. Its threads stay from one scan to the next. */
export class Scanner {
  readonly #pool: WorkerPool;
  readonly #largeTree: number;
  readonly #running = new Set<RunningScan>();

  constructor({ workers, largeTree = LARGE_TREE }: ScannerOptions) {
    this.#pool = new WorkerPool(workers);
    this.#largeTree = largeTree;
  }

  /**
   * Compares the worktree with the previous index. Throws `project-missing` or `capture-failed` when the
   * root itself cannot be read. A scan that gives up has no result at all.
   */
  async scan(request: ScanRequest): Promise<ScanOutcome> {
    const outcome = await this.#scanOnce(request);
    const isTooMany = outcome.kind === 'gave-up' && outcome.reason === 'too-many-entries';
    return isTooMany && request.global.keepIgnored ? this.#scanCrowded(request) : outcome;
  }

  /**
   * Files that git ignores must not be the reason for which nothing is recorded. So those that were never kept are
   * left out, and those that were do not count.
   */
  async #scanCrowded(request: ScanRequest): Promise<ScanOutcome> {
    const { maxEntries, previous, privates: { onRecord } = NO_PRIVATE_ENTRIES } = request;
    const mostKept = onRecord.size + (previous?.count ?? 0);
    const outcome = await this.#scanOnce({
      ...request,
      privates: { onRecord, takesNew: false },
      maxEntries: maxEntries + mostKept,
    });
    if (outcome.kind === 'gave-up') return outcome;
    const isTooMany = outcome.index.countTaken() > maxEntries;
    return isTooMany ? { kind: 'gave-up', reason: 'too-many-entries' } : outcome;
  }

  async #scanOnce(request: ScanRequest): Promise<ScanOutcome> {
    const scan = new RunningScan(request, this.#pool, this.#largeTree);
    this.#running.add(scan);
    try {
      return await scan.run();
    } catch (error) {
      if (error instanceof ScanStopped) return { kind: 'gave-up', reason: error.reason };
      throw error;
    } finally {
      scan.end();
      this.#running.delete(scan);
    }
  }

  /** Stops the running scans, and waits until the threads have ended. */
  close(): Promise<void> {
    for (const scan of this.#running) scan.end();
    return this.#pool.close();
  }
}

/** So many parts for each thread, because some folders hold more than others. */
const PARTS_PER_WORKER = 8;
/** A few folders may be nested in each other: the walk goes on until there are this many to share. */
const MIN_FOLDERS = 64;

/** One scan from its beginning to its end. */
export class RunningScan {
  readonly #request: ScanRequest;
  readonly #pool: Pick<WorkerPool, 'size' | 'run'>;
  readonly #largeTree: number;
  readonly #control: ScanControl;
  readonly #context: WalkContext;
  readonly #beganMs: number;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(request: ScanRequest, pool: Pick<WorkerPool, 'size' | 'run'>, largeTree: number) {
    const { root, deadline, maxEntries, clock = SYSTEM_CLOCK } = request;
    this.#request = request;
    this.#pool = pool;
    this.#largeTree = largeTree;
    this.#control = new ScanControl({ maxEntries, deadline, now: () => clock.now() });
    // Taken before the first look: an entry with a later stamp may still be changing.
    this.#beganMs = clock.wallMs();
    const { fileSystem = diskFileSystem, privates = NO_PRIVATE_ENTRIES } = request;
    const racyRule = new RacyRule(this.#beganMs);
    this.#context = { root, fileSystem, racyRule, control: this.#control, privates };
    this.#timer = deadline === null ? undefined : this.#watch(deadline - clock.now());
  }

  async run(): Promise<ScanOutcome> {
    this.#control.checkNow();
    const { previous } = this.#request;
    const outcome = await (previous === null ? this.#first() : this.#next(previous));
    this.#control.checkNow();
    return outcome;
  }

  /** Must be called in any case: stops what still runs, and the timer. */
  end(): void {
    this.#control.stop('aborted');
    clearTimeout(this.#timer);
  }

  async #first(): Promise<ScanOutcome> {
    const walk = new FirstWalk(this.#context, this.#request.global);
    const minFolders = Math.max(1, Math.min(this.#largeTree, MIN_FOLDERS));
    const folders = walk.readUpper({ minEntries: this.#largeTree, minFolders });
    if (this.#mayShare) await this.#shareOut(walk, folders);
    else walk.takePart(0, walkPart(this.#context, this.#request.global, folders));
    const index = this.#indexOf(walk.finish(), walk.failedInRoot);
    const differences = { ...noDifferences(), unreadable: walk.unreadable };
    return { kind: 'complete', index, differences };
  }

  async #next(index: ScanIndex): Promise<ScanOutcome> {
    const { global, root, holdsKnown = false } = this.#request;
    const isLarge = this.#mayShare && index.count > this.#largeTree;
    const parts = isLarge ? await this.#checkElsewhere(index) : [this.#check(index)];
    const news = newsAbout(index, parts, this.#context);
    const previous = new PreviousScan(index, news, global);
    previous.checkRules(this.#context, root);
    const walk = new NextWalk(this.#context, previous, holdsKnown);
    walk.run(global);
    const built = walk.finish();
    const { differences, failedInRoot } = walk;
    const found = built === null ? index : this.#indexOf(built, failedInRoot);
    return { kind: 'complete', index: found, differences };
  }

  #check({ columns, paths }: ScanIndex): EntryNews[] {
    return checkKnown({ ...this.#context, columns, paths });
  }

  async #checkElsewhere(index: ScanIndex): Promise<(readonly EntryNews[])[]> {
    const { sizes, bytes } = index.columns;
    const columns = { number: numberOf(index.columns), buffer: bytes.buffer, sizes };
    const task = { kind: 'check', ...columns, ...this.#shared() } as const;
    const answers = await Promise.allSettled(
      Array.from({ length: this.#pool.size }, () => this.#pool.run(task)),
    );
    const failures = answers.filter((one) => one.status === 'rejected').map((one) => one.reason);
    if (failures.some((error) => error instanceof ScanStopped)) throw new ScanStopped('aborted');
    if (failures.length > 0) {
      // A thread could not be started or died. Nobody knows which chunk it had, so all is done again.
      this.#control.restartChunks();
      return [this.#check(index)];
    }
    return answers.flatMap((one) => (one.status === 'fulfilled' ? [newsIn(one.value)] : []));
  }

  async #shareOut(walk: FirstWalk, folders: readonly PartFolder[]): Promise<void> {
    const share = Math.ceil(folders.length / (this.#pool.size * PARTS_PER_WORKER));
    const parts: Promise<void>[] = [];
    for (let at = 0; at < folders.length; at += share) {
      const part = this.#walkElsewhere(folders.slice(at, at + share));
      parts.push(part.then((walked) => walk.takePart(at, walked)));
    }
    await Promise.all(parts);
  }

  async #walkElsewhere(folders: readonly PartFolder[]): Promise<WalkedPart> {
    const { global } = this.#request;
    const { privates } = this.#context;
    const own = { kind: 'walk', global, privates, beganMs: this.#beganMs, folders } as const;
    const task = { ...own, ...this.#shared() };
    const answer = await this.#pool.run(task).catch((error: unknown) => {
      if (error instanceof ScanStopped) throw error;
      return null;
    });
    // Without a thread the same work is done here, more slowly.
    return answer === null ? walkPart(this.#context, global, folders) : partIn(answer);
  }

  get #mayShare(): boolean {
    return this.#pool.size > 0 && this.#request.fileSystem === undefined;
  }

  #shared(): Pick<Task, 'root' | 'maxEntries' | 'control'> {
    const { root, maxEntries } = this.#request;
    return { root, maxEntries, control: this.#control.shared };
  }

  #indexOf(
    { columns, rules, restamped }: BuiltIndex,
    failedInRoot: readonly TrackedPath[],
  ): ScanIndex {
    const { global } = this.#request;
    return new ScanIndex(columns, { stamp: UNSTAMPED, global, rules, failedInRoot }, restamped);
  }

  // For the worker threads, which have no clock of their own.
  #watch(milliseconds: number): NodeJS.Timeout {
    const longest = 2 ** 31 - 1;
    return setTimeout(
      () => this.#control.stop('deadline'),
      Math.max(0, Math.min(milliseconds, longest)),
    );
  }
}

function newsIn(answer: Answer): readonly EntryNews[] {
  if (answer.kind === 'checked') return answer.news;
  throw failure(answer);
}

function partIn(answer: Answer): WalkedPart {
  if (answer.kind !== 'walked') throw failure(answer);
  const { buffer, sizes, rules, ends, unreadable } = answer.part;
  return { source: { columns: viewColumns(buffer, sizes), rules }, ends, unreadable };
}

function failure(answer: Answer): unknown {
  if (answer.kind === 'stopped') return new ScanStopped(answer.reason);
  return answer.kind === 'failed' ? answer.error : new Error('a scan thread gave a wrong answer');
}
