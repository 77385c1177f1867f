import { Worker } from 'node:worker_threads';
import type { GlobalRules } from '../ignore/ignore-scope.ts';
import type { EntryNews } from './check-known.ts';
import type { PartFolder, WalkedPart } from './first-walk.ts';
import type { PrivateEntries } from './ignored-entries.ts';
import type { ColumnSizes, IndexColumns } from './index-columns.ts';
import { type GiveUpReason, ScanStopped } from './scan-control.ts';

interface WorkerTask {
  readonly root: string;
  /** The shared memory of the scan's control; see scan-control.ts. */
  readonly control: Int32Array<SharedArrayBuffer>;
  readonly maxEntries: number;
}

/** Look at the entries of an index; threads with the same control share the work. */
export interface CheckTask extends WorkerTask {
  readonly kind: 'check';
  /** The same number means the same columns, whose names a thread need not decode again. */
  readonly number: number;
  readonly buffer: ArrayBufferLike;
  readonly sizes: ColumnSizes;
}

/** Walk folders that no index knows. */
export interface WalkTask extends WorkerTask {
  readonly kind: 'walk';
  readonly global: GlobalRules;
  readonly privates: PrivateEntries;
  readonly beganMs: number;
  readonly folders: readonly PartFolder[];
}

export type Task = CheckTask | WalkTask;

/** A part as it is sent: the receiver makes its views of the buffer again. */
export interface SentPart extends Pick<WalkedPart, 'ends' | 'unreadable'> {
  readonly buffer: ArrayBufferLike;
  readonly sizes: ColumnSizes;
  readonly rules: WalkedPart['source']['rules'];
}

export type Answer =
  | { readonly kind: 'checked'; readonly news: readonly EntryNews[] }
  | { readonly kind: 'walked'; readonly part: SentPart }
  | { readonly kind: 'stopped'; readonly reason: GiveUpReason }
  | { readonly kind: 'failed'; readonly error: unknown };

let numbered = 0;
const numbers = new WeakMap<IndexColumns, number>();

/** The number by which a thread recognizes columns: it gets a new view of them with each task. */
export function numberOf(columns: IndexColumns): number {
  const known = numbers.get(columns);
  if (known !== undefined) return known;
  numbered += 1;
  numbers.set(columns, numbered);
  return numbered;
}

interface Job {
  readonly task: Task;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

interface Member {
  readonly worker: Worker;
  job: Job | null;
}

// In a checkout the sources run as they are; the published package holds the compiled files.
const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

// Almost everything that a walk allocates is short-lived, so a larger young generation only costs memory.
const YOUNG_GENERATION_MB = 4;

/**
 * Worker threads. They start with the first work, stay for later work, and keep the process alive only
 * while they work.
 */
export class WorkerPool {
  readonly #size: number;
  readonly #members: Member[] = [];
  readonly #waiting: Job[] = [];
  #closed = false;

  constructor(size: number) {
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  run(task: Task): Promise<Answer> {
    if (this.#closed) return Promise.reject(new ScanStopped('aborted'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, resolve, reject });
      this.#assign();
    });
  }

  /** Waits until every thread has finished its current task and ended. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new ScanStopped('aborted'));
    await Promise.all(this.#members.map(({ worker }) => endOf(worker)));
  }

  #assign(): void {
    const job = this.#waiting[0];
    if (job === undefined) return;
    const member = this.#members.find((one) => one.job === null) ?? this.#hire();
    if (member === null) return;
    this.#waiting.shift();
    member.job = job;
    member.worker.ref();
    member.worker.postMessage(job.task);
  }

  #hire(): Member | null {
    if (this.#members.length >= this.#size) return null;
    const file = new URL(`./scan-worker${EXTENSION}`, import.meta.url);
    // The walk needs no environment and no flags of the process, so it gets none.
    const worker = new Worker(file, {
      env: {},
      execArgv: [],
      argv: [],
      stdin: false,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    const member: Member = { worker, job: null };
    worker.on('message', (answer: Answer) => this.#settle(member, (job) => job.resolve(answer)));
    worker.on('error', (error) => this.#dismiss(member, error));
    worker.on('exit', () => this.#dismiss(member, new Error('a scan thread ended')));
    worker.unref();
    this.#members.push(member);
    return member;
  }

  #settle(member: Member, how: (job: Job) => void): void {
    const { job } = member;
    member.job = null;
    if (!this.#closed) member.worker.unref();
    if (job !== null) how(job);
    this.#assign();
  }

  /** The job of a thread that died fails; the next job gets a new thread. */
  #dismiss(member: Member, error: unknown): void {
    const at = this.#members.indexOf(member);
    if (at !== -1) this.#members.splice(at, 1);
    this.#settle(member, (job) => job.reject(this.#closed ? new ScanStopped('aborted') : error));
  }
}

/** Lets the thread end by itself: to terminate it could interrupt V8 in the middle of its work. */
function endOf(worker: Worker): Promise<unknown> {
  // An idle thread does not keep the process alive, and a process that ends would terminate it.
  worker.ref();
  worker.postMessage(null);
  return new Promise((resolve) => worker.once('exit', resolve));
}
