import { isSavepointError } from '../model/errors.ts';
import type { Execution } from '../model/execution.ts';
import { type DraftWork, type ExecutionSite, record } from './execution-site.ts';
import { release, stamp } from './lease.ts';

/** An execution in the hands of this process, which says so again and again for as long as it has it. */
export class HeldExecution {
  readonly #site: ExecutionSite;
  readonly #leaseMs: number;
  readonly #lost = new AbortController();
  readonly #heart: NodeJS.Timeout;
  #execution: Execution;

  constructor(site: ExecutionSite, execution: Execution, leaseMs: number) {
    this.#site = site;
    this.#execution = execution;
    this.#leaseMs = leaseMs;
    this.#heart = setInterval(() => void this.#renew(), leaseMs / 3);
    this.#heart.unref();
  }

  /** As it is on record. */
  get execution(): Execution {
    return this.#execution;
  }

  /** Aborted when another process has it. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** On record with the next thing that is written. */
  turn(status: Execution['status']): void {
    this.#execution = { ...this.#execution, status };
  }

  /** Runs `work`, with what a scan finds, and commits what it drafted: only while this process has it. */
  record<T>(work: DraftWork<T>): Promise<T> {
    return record(this.#site, (draft, now, coverage) => {
      this.#execution = stamp(draft, this.#execution, now, this.#leaseMs);
      return work(draft, now, coverage);
    });
  }

  /** The same without a scan. */
  write<T>(work: DraftWork<T>): Promise<T> {
    return this.#site.write((draft, now, coverage) => {
      this.#execution = stamp(draft, this.#execution, now, this.#leaseMs);
      return work(draft, now, coverage);
    });
  }

  async giveBack(status: Execution['status']): Promise<void> {
    this.keepSilent();
    await release(this.#site, this.#execution, status);
  }

  /** It stays held by this process until its lease is over, or the process. */
  keepSilent(): void {
    clearInterval(this.#heart);
  }

  async #renew(): Promise<void> {
    try {
      await this.write(async () => {});
    } catch (error) {
      // A disk that is full now may have room the next time; who was replaced has to stop.
      if (isSavepointError(error, 'execution-lost')) this.#lost.abort(error);
    }
  }
}
