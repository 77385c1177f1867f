import { type ZstdOptions, zstdDecompressSync } from 'node:zlib';

const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const MAX_CONTENT = 8 * 1024 * 1024;

/** Where zstd frames may begin. */
export function magicsIn(bytes: Buffer): number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(MAGIC); at !== -1; at = bytes.indexOf(MAGIC, at + 1)) found.push(at);
  return found;
}

/** What a frame at the beginning of `bytes` holds, whatever follows it; null where it is none. */
export function contentOf(bytes: Buffer, dictionary?: Uint8Array): Buffer | null {
  const length = frameLength(bytes);
  if (length === null) return null;
  const options: ZstdOptions & { dictionary?: Uint8Array } = { maxOutputLength: MAX_CONTENT };
  if (dictionary !== undefined) options.dictionary = dictionary;
  try {
    return zstdDecompressSync(bytes.subarray(0, length), options);
  } catch {
    return null;
  }
}

/** RFC 8878: a header, blocks that tell their lengths, and maybe a checksum. */
function frameLength(bytes: Buffer): number | null {
  const descriptor = bytes[4];
  if (descriptor === undefined) return null;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  let at = 5 + (isSingleSegment ? 0 : 1) + dictionaryBytes + sizeBytes;
  for (let last = false; !last; ) {
    if (at + 3 > bytes.length) return null;
    const header = bytes.readUIntLE(at, 3);
    last = (header & 1) === 1;
    const type = (header >> 1) & 3;
    if (type === 3) return null;
    at += 3 + (type === 1 ? 1 : header >> 3);
  }
  at += (descriptor & 4) === 0 ? 0 : 4;
  return at <= bytes.length ? at : null;
}
