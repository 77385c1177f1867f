import type { Readable } from 'node:stream';

/** Reads a stream in pieces of the reader's choosing. One call at a time. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** Everything before the next `byte`, which is passed over; null when the stream ends first. */
  async until(byte: number): Promise<Buffer | null> {
    for (;;) {
      const at = this.#held.indexOf(byte);
      if (at !== -1) {
        const found = this.#held.subarray(0, at);
        this.#held = this.#held.subarray(at + 1);
        return found;
      }
      if (!(await this.#more(1))) return null;
    }
  }

  /** The next `length` bytes; null when the stream ends first. */
  async take(length: number): Promise<Buffer | null> {
    const lacking = length - this.#held.length;
    if (lacking > 0 && !(await this.#more(lacking))) return null;
    const taken = this.#held.subarray(0, length);
    this.#held = this.#held.subarray(length);
    return taken;
  }

  /** Joined once, not chunk by chunk: that would cost the square of a large object. */
  async #more(lacking: number): Promise<boolean> {
    const parts = [this.#held];
    for (let got = 0; got < lacking; ) {
      const chunk = await this.#next();
      if (chunk === null) return false;
      parts.push(chunk);
      got += chunk.length;
    }
    this.#held = Buffer.concat(parts);
    return true;
  }

  /** A stream that breaks off, because its program was killed or never started, has ended too. */
  async #next(): Promise<Buffer | null> {
    try {
      const { value, done } = await this.#chunks.next();
      return done ? null : value;
    } catch {
      return null;
    }
  }
}
