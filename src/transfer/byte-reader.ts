import { createHash } from 'node:crypto';
import { SavepointError } from '../model/errors.ts';

/** Takes a stream apart into pieces of wanted lengths, and hashes what was taken. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #hash = createHash('sha256');
  #waiting: Buffer[] = [];
  #length = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** So many bytes; null when the stream ends before. Claims of a header cost no memory: bytes do. */
  async take(length: number): Promise<Buffer | null> {
    while (this.#length < length) if (!(await this.#more())) return null;
    const bytes = this.#cut(length);
    this.#hash.update(bytes);
    return bytes;
  }

  async atEnd(): Promise<boolean> {
    while (this.#length === 0) if (!(await this.#more())) return true;
    return false;
  }

  /** SHA-256 of everything taken so far. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#source.next();
    if (done) return false;
    if (!(value instanceof Uint8Array)) {
      throw new SavepointError('argument-invalid', 'the source of an import must give bytes');
    }
    this.#waiting.push(Buffer.from(value.buffer, value.byteOffset, value.length));
    this.#length += value.length;
    return true;
  }

  #cut(length: number): Buffer {
    const [first] = this.#waiting;
    // Most pieces lie within one chunk of the file.
    const whole =
      first !== undefined && first.length >= length ? first : Buffer.concat(this.#waiting);
    const rest = whole === first ? this.#waiting.slice(1) : [];
    const left = whole.subarray(length);
    this.#waiting = left.length === 0 ? rest : [left, ...rest];
    this.#length -= length;
    return whole.subarray(0, length);
  }
}
