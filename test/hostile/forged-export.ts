import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createZstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

export type Fields = Record<string, unknown>;
export type Row = [kind: string, fields: Fields];

/** An export taken apart, to be put together wrongly. Written from docs/format.md, not from the source. */
export interface Parts {
  start: string;
  blobs: Buffer[];
  rows: Row[];
  /** Laid over what the end says by right. */
  end: Fields;
}

const HEADER_BYTES = 10;

export function takeApart(bytes: Buffer): Parts {
  const [start, ...frames] = framesOf(bytes);
  const contents = frames.map((frame) => ({ type: String.fromCharCode(frame[0] ?? 0), frame }));
  const of = (type: string): Buffer[] =>
    contents.filter((one) => one.type === type).map(({ frame }) => contentOf(frame));
  const lines = of('R').flatMap((text) => text.toString('utf8').split('\n'));
  return {
    start: start?.toString('latin1') ?? '',
    blobs: of('B'),
    rows: lines.map((line) => JSON.parse(line) as Row),
    end: {},
  };
}

export function putTogether({ start, blobs, rows, end }: Parts, more: Buffer[] = []): Buffer {
  const text = rows.map((row) => JSON.stringify(row)).join('\n');
  return sealed(start, [...blobs.map((blob) => frameOf('B', blob)), frameOf('R', text), ...more], {
    ...countsOf(rows),
    blobs: blobs.length,
    blobBytes: blobs.reduce((sum, { length }) => sum + length, 0),
    ...end,
  });
}

/** With an end whose checksum is right, so that everything before it has to be looked at. */
export function sealed(start: string, frames: readonly Buffer[], counts: Fields): Buffer {
  const body = Buffer.concat([Buffer.from(start, 'latin1'), ...frames]);
  const sha256 = createHash('sha256').update(body).digest('hex');
  return Buffer.concat([body, frameOf('E', JSON.stringify({ sha256, ...counts }))]);
}

export function countsOf(rows: readonly Row[]): Fields {
  const count = (kind: string): number => rows.filter(([one]) => one === kind).length;
  return {
    sessions: count('session'),
    checkpoints: count('checkpoint'),
    changes: count('change'),
    operations: count('operation'),
    cancellations: count('cancellation'),
  };
}

export interface Claims {
  readonly encoding?: number;
  readonly stored?: number;
  readonly length?: number;
}

export function frameOf(type: string, content: Buffer | string, claims: Claims = {}): Buffer {
  const payload = Buffer.from(content);
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(type, 0, 'latin1');
  header.writeUInt8(claims.encoding ?? 0, 1);
  header.writeUInt32LE(claims.stored ?? payload.length, 2);
  header.writeUInt32LE(claims.length ?? payload.length, 6);
  return Buffer.concat([header, payload]);
}

/** Many zeros in few bytes, which claim to be `length`. */
export function bomb(type: string, zeros: number, length: number): Buffer {
  return frameOf(type, zstdCompressSync(Buffer.alloc(zeros)), { encoding: 1, length });
}

const HUGE_STEPS = 256;

/** Two GiB of zeros, made without ever having them. */
export async function hugeBomb(type: string, length: number): Promise<Buffer> {
  const packer = createZstdCompress();
  const step = Buffer.alloc(8 * 1024 * 1024);
  Readable.from(Array.from({ length: HUGE_STEPS }, () => step)).pipe(packer);
  const payload = await buffer(packer);
  return frameOf(type, payload, { encoding: 1, length: Math.max(length, payload.length + 1) });
}

/** The first line, then each frame. */
export function framesOf(bytes: Buffer): Buffer[] {
  const first = bytes.indexOf('\n') + 1;
  const frames = [bytes.subarray(0, first)];
  for (let at = first; at < bytes.length; ) {
    const next = at + HEADER_BYTES + bytes.readUInt32LE(at + 2);
    frames.push(bytes.subarray(at, next));
    at = next;
  }
  return frames;
}

function contentOf(frame: Buffer): Buffer {
  const payload = frame.subarray(HEADER_BYTES);
  return frame.readUInt8(1) === 1 ? zstdDecompressSync(payload) : payload;
}
