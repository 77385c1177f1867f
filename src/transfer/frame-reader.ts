import { zstdDecompressSync } from 'node:zlib';
import { ByteReader } from './byte-reader.ts';
import {
  ENCODING,
  FORMAT,
  FRAME,
  FRAME_HEADER_BYTES,
  type FrameType,
  MAGIC,
  MAX_END_FRAME_BYTES,
  MAX_ROWS_FRAME_BYTES,
} from './format.ts';
import { invalid, tooLarge, tooNew } from './refusals.ts';
import type { TransferLimits } from './requests.ts';

export interface Frame {
  readonly type: FrameType;
  readonly content: Buffer;
  /** SHA-256 of all that came before this frame. */
  readonly before: string;
}

// "savepoint-export", a space, and a number that fits.
const LONGEST_START = MAGIC.length + 8;

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
      throw invalid('something follows the end');
    }
  } finally {
    await reader.close();
  }
}

async function readStart(reader: ByteReader): Promise<void> {
  const magic = await reader.take(MAGIC.length);
  if (magic?.toString('latin1') !== MAGIC) throw invalid('it does not begin like one');
  let line = '';
  while (!line.endsWith('\n') && line.length < LONGEST_START) {
    const next = await reader.take(1);
    if (next === null) throw cutOff();
    line += next.toString('latin1');
  }
  const format = /^ ([1-9]\d{0,5})\n$/.exec(line)?.[1];
  if (format === undefined) throw invalid('its first line names no format');
  if (Number(format) > FORMAT) throw tooNew();
}

async function readFrame(reader: ByteReader, limits: TransferLimits): Promise<Frame> {
  const before = reader.digest();
  const header = await reader.take(FRAME_HEADER_BYTES);
  if (header === null) throw cutOff();
  const type = frameType(header.readUInt8(0));
  const encoding = header.readUInt8(1);
  const stored = header.readUInt32LE(2);
  const length = header.readUInt32LE(6);
  // Before a byte of it is read: what is stored is never longer than what it stands for.
  if (length > longest(type, limits)) throw tooLarge(`a part of ${length} bytes`);
  if (encoding === ENCODING.raw ? stored !== length : stored >= length) {
    throw invalid('the lengths of a part contradict each other');
  }
  if (type === FRAME.end && encoding !== ENCODING.raw) throw invalid('its end is packed');
  const payload = await reader.take(stored);
  if (payload === null) throw cutOff();
  return { type, content: decoded(payload, encoding, length), before };
}

function decoded(payload: Buffer, encoding: number, length: number): Buffer {
  if (encoding === ENCODING.raw) return payload;
  if (encoding !== ENCODING.zstd) throw invalid('a part is packed in an unknown way');
  const content = unpacked(payload, length);
  if (content?.length !== length) throw invalid('a part cannot be unpacked to what it claims');
  return content;
}

/** Stops at the length that was claimed, whatever the frame would grow to. */
function unpacked(payload: Buffer, maxOutputLength: number): Buffer | null {
  try {
    return zstdDecompressSync(payload, { maxOutputLength });
  } catch {
    return null;
  }
}

function frameType(byte: number): FrameType {
  const found = Object.values(FRAME).find((type) => type === byte);
  if (found === undefined) throw invalid('it has a part of an unknown kind');
  return found;
}

function longest(type: FrameType, { maxBlobBytes }: TransferLimits): number {
  if (type === FRAME.blob) return maxBlobBytes;
  return type === FRAME.rows ? MAX_ROWS_FRAME_BYTES : MAX_END_FRAME_BYTES;
}

function cutOff() {
  return invalid('it ends too early');
}
