import { createHash } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { ENCODING, FORMAT, FRAME, FRAME_HEADER_BYTES, type FrameType, MAGIC } from './format.ts';

/** Makes the bytes of an export, one frame after the other, and hashes them on the way. */
export class FrameWriter {
  readonly #hash = createHash('sha256');

  start(): Uint8Array {
    return this.#hashed(Buffer.from(`${MAGIC} ${FORMAT}\n`));
  }

  frame(type: FrameType, content: Uint8Array): Uint8Array {
    // Packing leaves some bits that nobody looks at; no checksum covers the end, so there are none there.
    const packed = type === FRAME.end ? null : zstdCompressSync(content);
    const isSmaller = packed !== null && packed.length < content.length;
    const payload = isSmaller ? packed : content;
    const header = Buffer.alloc(FRAME_HEADER_BYTES);
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
