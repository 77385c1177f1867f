import { checkKnown, checkRestamped } from './check-known.ts';
import { numberOf, viewColumns } from './columns.ts';
import { ScanControl, ScanStopped } from './control.ts';
import { noDifferences } from './differences.ts';
import { RacyRule } from './entry-stat.ts';
import { diskFileSystem } from './file-system.ts';
import { FirstWalk } from './first-walk.ts';
import type { BuiltIndex } from './index-builder.ts';
import { KnownNews, type NewsColumns } from './known-news.ts';
import { KnownWalk } from './known-walk.ts';
import type { WalkContext } from './list-folder.ts';
import { PreviousScan } from './previous-scan.ts';
import { ScanIndex, UNSTAMPED } from './scan-index.ts';
import type { ScanClock, ScanOutcome, ScanRequest } from './scan-request.ts';
import { type PartFolder, type WalkedPart, walkPart } from './walk-part.ts';
import type { Answer, Task } from './worker-messages.ts';

const SYSTEM_CLOCK: ScanClock = { now: () => performance.now(), wallMs: () => Date.now() };
/** So many parts for each thread, because some folders hold more than others. */
const PARTS_PER_WORKER = 8;
/** Fewer folders than this may all hang below one of them: go on until there are more. */
const MIN_FOLDERS = 64;

/** Threads that do tasks: see worker-pool.ts. */
export interface TaskRunner {
  readonly size: number;
  run(task: Task): Promise<Answer>;
}

/** One scan from its beginning to its end. */
export class RunningScan {
  readonly #request: ScanRequest;
  readonly #pool: TaskRunner;
  readonly #largeTree: number;
  readonly #control: ScanControl;
  readonly #context: WalkContext;
  readonly #beganMs: number;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #onAbort = (): void => this.#control.stop('aborted');

  constructor(request: ScanRequest, pool: TaskRunner, largeTree: number) {
    const { root, deadline, maxEntries, clock = SYSTEM_CLOCK } = request;
    const { fileSystem = diskFileSystem, signal } = request;
    this.#request = request;
    this.#pool = pool;
    this.#largeTree = largeTree;
    this.#control = new ScanControl({ maxEntries, deadline, now: () => clock.now() });
    // Before the first look at anything: whatever is stamped later may still be changing.
    this.#beganMs = clock.wallMs();
    const racyRule = new RacyRule(this.#beganMs);
    this.#context = { root, fileSystem, racyRule, control: this.#control };
    this.#timer = deadline === null ? undefined : this.#watch(deadline - clock.now());
    signal?.addEventListener('abort', this.#onAbort);
    if (signal?.aborted === true) this.#onAbort();
  }

  async run(): Promise<ScanOutcome> {
    this.#control.checkNow();
    const { previous } = this.#request;
    const outcome = await (previous === null ? this.#first() : this.#next(previous));
    this.#control.checkNow();
    return outcome;
  }

  /** To be called in any case: stops what still runs and lets go of timer and signal. */
  end(): void {
    this.#control.stop('aborted');
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
  }

  async #first(): Promise<ScanOutcome> {
    const walk = new FirstWalk(this.#context, this.#request.global);
    const minFolders = Math.max(1, Math.min(this.#largeTree, MIN_FOLDERS));
    const folders = walk.readUpper({ minEntries: this.#largeTree, minFolders });
    if (this.#mayShare) await this.#shareOut(walk, folders);
    else walk.takePart(0, walkPart(this.#context, this.#request.global, folders));
    const index = this.#indexOf(walk.finish(), walk.partialRoot);
    const differences = { ...noDifferences(), unreadable: walk.unreadable };
    return { kind: 'complete', index, differences };
  }

  async #next(index: ScanIndex): Promise<ScanOutcome> {
    const { global, root } = this.#request;
    const isLarge = this.#mayShare && index.count > this.#largeTree;
    const parts = isLarge ? await this.#checkElsewhere(index) : [this.#check(index)];
    const news = new KnownNews(index.count, [...parts, checkRestamped(index, this.#context)]);
    const previous = new PreviousScan(index, news, global);
    previous.checkRules(this.#context, root);
    const walk = new KnownWalk(this.#context, previous);
    walk.run(global);
    const built = walk.finish();
    const { differences, partialRoot } = walk;
    const found = built === null ? index : this.#indexOf(built, partialRoot);
    return { kind: 'complete', index: found, differences };
  }

  #check(index: ScanIndex): NewsColumns {
    const { columns, paths } = index;
    return checkKnown({ ...this.#context, columns, paths });
  }

  async #checkElsewhere(index: ScanIndex): Promise<NewsColumns[]> {
    const { sizes, bytes } = index.columns;
    const columns = { number: numberOf(index.columns), buffer: bytes.buffer, sizes };
    const task = { kind: 'check', ...columns, ...this.#shared() } as const;
    const answers = await Promise.allSettled(
      Array.from({ length: this.#pool.size }, () => this.#pool.run(task)),
    );
    if (answers.every(hasAnswer)) return answers.map(({ value }) => newsIn(value));
    const stopped = answers.find((one) => !hasAnswer(one) && one.reason instanceof ScanStopped);
    if (stopped !== undefined) throw new ScanStopped('aborted');
    // A thread could not be started or died. The chunk that it had is unknown, so all is done again.
    this.#control.restartChunks();
    return [this.#check(index)];
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
    const beganMs = this.#beganMs;
    const task = { kind: 'walk', global, beganMs, folders, ...this.#shared() } as const;
    const answer = await this.#pool.run(task).catch((error: unknown) => {
      if (error instanceof ScanStopped) throw error;
      return null;
    });
    // No threads to be had: slower, but the same.
    return answer === null ? walkPart(this.#context, global, folders) : partIn(answer);
  }

  get #mayShare(): boolean {
    return this.#pool.size > 0 && this.#request.fileSystem === undefined;
  }

  #shared() {
    const { root, maxEntries } = this.#request;
    return { root, maxEntries, control: this.#control.shared };
  }

  #indexOf({ columns, rules, restamped }: BuiltIndex, partialRoot: boolean): ScanIndex {
    const { global } = this.#request;
    return new ScanIndex(columns, { stamp: UNSTAMPED, global, rules, partialRoot }, restamped);
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

function hasAnswer(
  settled: PromiseSettledResult<Answer>,
): settled is PromiseFulfilledResult<Answer> {
  return settled.status === 'fulfilled';
}

function newsIn(answer: Answer): NewsColumns {
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
