import { createHash } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { SavepointError } from '../model/errors.ts';
import { invalid, notAnExport, type TransferLimits, tooLarge, tooNew } from './requests.ts';

/** An export begins with a line: the magic word, a space, the number of the format. */
const MAGIC = 'savepoint-export';
const FORMAT = 1;
const LONGEST_START = MAGIC.length + 8;

/** Kinds of frames, in the order in which they come. */
export const FRAME = {
  /** The bytes of one file or link target; its name is its SHA-256. */
  blob: 0x42,
  /** Rows, as lines of JSON. */
  rows: 0x52,
  /** The end: counts, and the SHA-256 of every byte before this frame. */
  end: 0x45,
} as const;

export type FrameType = (typeof FRAME)[keyof typeof FRAME];

const ENCODING = { raw: 0, zstd: 1 } as const;

/** Type, encoding, bytes that follow, bytes when decompressed. */
const HEADER_BYTES = 10;

/** One row can hold a description of 100,000 characters, each of them escaped. */
const MAX_ROWS_BYTES = 4 * 1024 * 1024;
const MAX_END_BYTES = 4096;

/** Makes the bytes of an export, one frame after the other, and hashes them on the way. */
export class FrameWriter {
  readonly #hash = createHash('sha256');

  start(): Uint8Array {
    return this.#hashed(Buffer.from(`${MAGIC} ${FORMAT}\n`));
  }

  frame(type: FrameType, content: Uint8Array): Uint8Array {
    // No checksum covers the end, and compressed data has bits that nobody reads: the end stays raw.
    const packed = type === FRAME.end ? null : zstdCompressSync(content);
    const isSmaller = packed !== null && packed.length < content.length;
    const payload = isSmaller ? packed : content;
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt8(type, 0);
    header.writeUInt8(isSmaller ? ENCODING.zstd : ENCODING.raw, 1);
    header.writeUInt32LE(payload.length, 2);
    header.writeUInt32LE(content.length, 6);
    return this.#hashed(Buffer.concat([header, payload]));
  }

  /** SHA-256 of everything so far. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }

  #hashed(bytes: Buffer): Uint8Array {
    this.#hash.update(bytes);
    return bytes;
  }
}

export interface Frame {
  readonly type: FrameType;
  readonly content: Buffer;
  /** SHA-256 of all that came before this frame. */
  readonly before: string;
}

/** The frames of an export, checked one by one; ends after the end frame, which must be the last. */
export async function* readFrames(
  source: AsyncIterable<Uint8Array>,
  limits: TransferLimits,
): AsyncGenerator<Frame, void> {
  const reader = new ByteReader(source);
  try {
    await readStart(reader);
    for (;;) {
      const frame = await readFrame(reader, limits);
      yield frame;
      if (frame.type !== FRAME.end) continue;
      if (await reader.atEnd()) return;
      throw invalid('there are bytes behind its end');
    }
  } finally {
    await reader.close();
  }
}

async function readStart(reader: ByteReader): Promise<void> {
  const magic = await reader.takeUpTo(MAGIC.length);
  if (magic.toString('latin1') !== MAGIC) throw notAnExport();
  let line = '';
  while (!line.endsWith('\n') && line.length < LONGEST_START) {
    line += (await reader.take(1)).toString('latin1');
  }
  const format = /^ ([1-9]\d{0,5})\n$/.exec(line)?.[1];
  if (format === undefined) throw invalid('its first line names no format');
  if (Number(format) > FORMAT) throw tooNew();
}

async function readFrame(reader: ByteReader, limits: TransferLimits): Promise<Frame> {
  const before = reader.digest();
  const header = await reader.take(HEADER_BYTES);
  const type = Object.values(FRAME).find((one) => one === header.readUInt8(0));
  if (type === undefined) throw invalid('it has a part of an unknown kind');
  const encoding = header.readUInt8(1);
  const stored = header.readUInt32LE(2);
  const length = header.readUInt32LE(6);
  // Refused before a byte of it is read. What is stored is never longer than what it stands for.
  if (length > longest(type, limits)) throw tooLarge(`a part of ${length} bytes`);
  if (encoding === ENCODING.raw ? stored !== length : stored >= length) {
    throw invalid('the lengths of a part contradict each other');
  }
  if (type === FRAME.end && encoding !== ENCODING.raw) throw invalid('its end is compressed');
  return { type, content: decoded(await reader.take(stored), encoding, length), before };
}

function longest(type: FrameType, { maxBlobBytes }: TransferLimits): number {
  if (type === FRAME.blob) return maxBlobBytes;
  return type === FRAME.rows ? MAX_ROWS_BYTES : MAX_END_BYTES;
}

/** Decompressing stops at the length that was claimed, however far the frame would grow. */
function decoded(payload: Buffer, encoding: number, maxOutputLength: number): Buffer {
  if (encoding === ENCODING.raw) return payload;
  if (encoding !== ENCODING.zstd) throw invalid('a part is compressed in an unknown way');
  try {
    const content = zstdDecompressSync(payload, { maxOutputLength });
    if (content.length === maxOutputLength) return content;
  } catch {
    // Said below: both are the same to whoever reads the message.
  }
  throw invalid('a part cannot be decompressed to the length that it claims');
}

/** Takes a stream apart into pieces of wanted lengths, and hashes what was taken. */
class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #hash = createHash('sha256');
  #waiting: Buffer[] = [];
  #length = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Throws where the stream ends before. Memory is used for bytes that come, not for claimed ones. */
  async take(length: number): Promise<Buffer> {
    const bytes = await this.takeUpTo(length);
    if (bytes.length < length) throw invalid('it ends too early');
    return bytes;
  }

  async takeUpTo(length: number): Promise<Buffer> {
    let hasMore = true;
    while (hasMore && this.#length < length) hasMore = await this.#more();
    const bytes = this.#cut(Math.min(length, this.#length));
    this.#hash.update(bytes);
    return bytes;
  }

  async atEnd(): Promise<boolean> {
    let hasMore = true;
    while (hasMore && this.#length === 0) hasMore = await this.#more();
    return !hasMore;
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
    const isInFirst = first !== undefined && first.length >= length;
    const whole = isInFirst ? first : Buffer.concat(this.#waiting);
    const rest = isInFirst ? this.#waiting.slice(1) : [];
    const left = whole.subarray(length);
    this.#waiting = left.length === 0 ? rest : [left, ...rest];
    this.#length -= length;
    return whole.subarray(0, length);
  }
}
