import { constants, type ZstdOptions, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { SavepointError } from '../../model/errors.ts';

export type Encoding = 'raw' | 'zstd';

/** A blob that another may be compressed against. */
export interface Base {
  readonly id: number;
  readonly depth: number;
  readonly bytes: Uint8Array;
}

/** Bytes as they are stored, and the blob that they were compressed against. */
export interface Encoded {
  readonly encoding: Encoding;
  readonly bytes: Uint8Array;
  readonly base: Base | null;
}

/** How many steps it may take to read a blob. */
const MAX_DEPTH = 16;

// Past the window of level 3 the start of a dictionary is out of reach, and nothing is gained.
const MAX_DICTIONARY_BYTES = 2 * 1024 * 1024;

const LEVEL = 3;
// A small difference to a small file: a sixth less for a millisecond, off everybody's way.
const THOROUGH_LEVEL = 19;
const MAX_THOROUGH_BYTES = 64 * 1024;

// In Node since 22.19, not yet in its types.
interface DictionaryOptions extends ZstdOptions {
  readonly dictionary?: Uint8Array;
}

/** The smallest form of `raw` that was seen to give `raw` back. */
export function encodeBest(raw: Uint8Array, base: Base | null): Encoded {
  const forms: Encoded[] = [{ encoding: 'raw', bytes: raw, base: null }];
  for (const candidate of base === null ? [null] : [base, null]) {
    const bytes = compress(raw, candidate);
    if (bytes !== null) forms.push({ encoding: 'zstd', bytes, base: candidate });
  }
  return forms.reduce((best, form) => (form.bytes.length < best.bytes.length ? form : best));
}

/** Whether a blob of this size and depth can be the base of another. */
export function canBeBase(size: number, depth: number): boolean {
  return size > 0 && size <= MAX_DICTIONARY_BYTES && depth < MAX_DEPTH;
}

/** Throws what zlib throws when the bytes are damaged, or longer than `size`. */
export function decompress(
  stored: Uint8Array,
  size: number,
  dictionary: Uint8Array | undefined,
): Uint8Array {
  const options: DictionaryOptions = { maxOutputLength: size, ...(dictionary && { dictionary }) };
  return zstdDecompressSync(stored, options);
}

/** Some Nodes before 22.19 and 24.6 ignore dictionaries without a word, and would read something else. */
export function requireDictionaries(): void {
  if (hasDictionaries()) return;
  throw new SavepointError('store-failed', `Node ${process.version} cannot read stored bytes`, {
    hint: 'use Node 22.19 or newer; of Node 24, 24.6 or newer',
  });
}

let areKnown: boolean | null = null;

// Found out when it matters: it takes a while, and what most commands read leans on nothing.
function hasDictionaries(): boolean {
  areKnown ??= tryDictionary();
  return areKnown;
}

function tryDictionary(): boolean {
  const bytes = Buffer.from('a text that is long enough to be found again in a dictionary');
  const options: DictionaryOptions = { dictionary: bytes };
  return zstdCompressSync(bytes, options).length < zstdCompressSync(bytes).length;
}

function compress(raw: Uint8Array, base: Base | null): Uint8Array | null {
  if (base !== null && !hasDictionaries()) return null;
  const isSmall = raw.length <= MAX_THOROUGH_BYTES && base !== null;
  const params = { [constants.ZSTD_c_compressionLevel]: isSmall ? THOROUGH_LEVEL : LEVEL };
  const options: DictionaryOptions = { params, ...(base && { dictionary: base.bytes }) };
  try {
    const bytes = zstdCompressSync(raw, options);
    const back = decompress(bytes, raw.length, base?.bytes);
    return Buffer.compare(back, raw) === 0 ? bytes : null;
  } catch {
    // A base that looks like a trained dictionary is refused by zstd. The raw bytes are still there.
    return null;
  }
}
