import { Worker } from 'node:worker_threads';
import { ScanStopped } from './control.ts';
import type { Answer, Task } from './worker-messages.ts';

interface Job {
  readonly task: Task;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

interface Member {
  readonly worker: Worker;
  job: Job | null;
}

// The sources run as they are, and the published package holds what they were compiled to.
const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

// What a walk makes is gone at once; more room for it would only be memory that lies about.
const YOUNG_GENERATION_MB = 4;

/**
 * Worker threads that are started when there is work for the first time and stay. They keep the process
 * alive only while they work.
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

  /** Waits until every thread has ended: each finishes the task that it has, and no other. */
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
    // Nothing is inherited that the walk does not need.
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

  /** A thread that died takes its job with it; the next job gets a new one. */
  #dismiss(member: Member, error: unknown): void {
    const at = this.#members.indexOf(member);
    if (at !== -1) this.#members.splice(at, 1);
    this.#settle(member, (job) => job.reject(this.#closed ? new ScanStopped('aborted') : error));
  }
}

/** Lets the thread end by itself, so that V8 is not cut off in the middle of something. */
function endOf(worker: Worker): Promise<unknown> {
  // The process must not end first: that would terminate an idle thread, which does not keep it alive.
  worker.ref();
  worker.postMessage(null);
  return new Promise((resolve) => worker.once('exit', resolve));
}
