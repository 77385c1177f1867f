/** Why a scan ended without a result. */
export type GiveUpReason = 'deadline' | 'too-many-entries' | 'aborted';

const REASONS: readonly (GiveUpReason | null)[] = [null, 'deadline', 'too-many-entries', 'aborted'];

/** Thrown through a scan to end it. */
export class ScanStopped extends Error {
  readonly reason: GiveUpReason;

  constructor(reason: GiveUpReason) {
    super(`the scan gave up: ${reason}`);
    this.reason = reason;
  }
}

export interface Limits {
  readonly maxEntries: number;
  /** A moment of `now`, or null. */
  readonly deadline: number | null;
  readonly now: () => number;
}

const STOP = 0;
const ENTRIES = 1;
const NEXT_CHUNK = 2;
const SLOTS = 3;
/** To ask the clock costs a tenth of an lstat. */
const LOOKS_PER_CLOCK = 32;

/**
 * The threads of one scan share this: whether to stop and why, how many entries they have found, and
 * which chunk of work is next. Worker threads have no deadline of their own; the main one sets the flag.
 */
export class ScanControl {
  readonly shared: Int32Array<SharedArrayBuffer>;
  readonly #limits: Limits;
  #looks = 0;

  constructor(limits: Limits, shared?: Int32Array<SharedArrayBuffer>) {
    this.shared = shared ?? new Int32Array(new SharedArrayBuffer(SLOTS * 4));
    this.#limits = limits;
  }

  stop(reason: GiveUpReason): void {
    Atomics.compareExchange(this.shared, STOP, 0, REASONS.indexOf(reason));
  }

  /** Call it for each look at the file system; it throws `ScanStopped` when the scan is over. */
  check(): void {
    this.#looks += 1;
    if (this.#looks % LOOKS_PER_CLOCK === 0) this.checkNow();
  }

  checkNow(): void {
    const { deadline, now } = this.#limits;
    if (deadline !== null && now() > deadline) this.stop('deadline');
    const reason = REASONS[Atomics.load(this.shared, STOP)] ?? null;
    if (reason !== null) throw new ScanStopped(reason);
  }

  countEntries(found: number): void {
    this.limitEntries(Atomics.add(this.shared, ENTRIES, found) + found);
  }

  limitEntries(count: number): void {
    if (count <= this.#limits.maxEntries) return;
    this.stop('too-many-entries');
    this.checkNow();
  }

  /** Hands out the numbers 0, 1, 2 and so on, each to one thread. */
  takeChunk(): number {
    return Atomics.add(this.shared, NEXT_CHUNK, 1);
  }

  restartChunks(): void {
    Atomics.store(this.shared, NEXT_CHUNK, 0);
  }
}
