import { type Key, KeyDecoder } from '../../terminal/keys.ts';

/** A key, and when its bytes came: a lone Escape is known as one only a while after. */
export type OnKey = (key: Key, arrivedAt: number) => void;

/** Reads the keys of a terminal. */
export class KeyReader {
  readonly #input: NodeJS.ReadStream;
  readonly #now: () => number;
  readonly #onKey: OnKey;
  readonly #onEnd: () => void;
  readonly #decoder = new KeyDecoder({ lineBreaks: true });
  #timer: NodeJS.Timeout | undefined;
  #arrivedAt = 0;

  constructor(
    input: NodeJS.ReadStream,
    now: () => number,
    events: { readonly onKey: OnKey; readonly onEnd: () => void },
  ) {
    this.#input = input;
    this.#now = now;
    this.#onKey = events.onKey;
    this.#onEnd = events.onEnd;
  }

  start(): void {
    this.#input.on('data', this.#take).on('end', this.#onEnd).on('error', this.#onEnd).resume();
  }

  /** Idempotent. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#input.off('data', this.#take).off('end', this.#onEnd).off('error', this.#onEnd).pause();
  }

  readonly #take = (bytes: Buffer): void => {
    this.#arrivedAt = this.#now();
    clearTimeout(this.#timer);
    this.#tell(this.#decoder.push(bytes));
    const patience = this.#decoder.patienceMs;
    if (patience === null) return;
    this.#timer = setTimeout(() => this.#tell(this.#decoder.flush()), patience);
  };

  #tell(keys: readonly Key[]): void {
    for (const key of keys) this.#onKey(key, this.#arrivedAt);
  }
}
