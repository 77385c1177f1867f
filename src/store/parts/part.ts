import { hash } from 'node:crypto';
import { SavepointError } from '../../model/errors.ts';
import type { PartId } from '../../model/ids.ts';

/** `json`: JSON without tags. `tagged`: JSON with some. `bytes`: bytes as they are. `text`: a text, in UTF-8. */
export type PartKind = 'json' | 'tagged' | 'bytes' | 'text';

/**
 * A piece of a document, named by a hash over all that it says and over the names of the parts that it
 * holds: the name of the first one vouches for the whole document.
 */
export interface Part {
  readonly id: PartId;
  readonly kind: PartKind;
  /** In the order in which they are stood for in the data; one may come twice. */
  readonly children: readonly PartId[];
  /** Bytes for `bytes`; a text without NUL and halves of surrogate pairs for the others. */
  readonly data: string | Uint8Array;
}

export const PART_KINDS: readonly PartKind[] = ['json', 'tagged', 'bytes', 'text'];

const HEAD_BYTES = 1 + 4;
const HASH_BYTES = 32;
/** What is hashed is put together here: most parts fit, and none takes up memory of its own for it. */
const SCRATCH = Buffer.allocUnsafeSlow(64 * 1024);
// Of a character of a text, in UTF-8.
const MOST_BYTES = 3;

export function missingPart(id: PartId): SavepointError {
  return new SavepointError('part-missing', `part ${id} is not in the store`);
}

export function partOf(
  kind: PartKind,
  children: readonly PartId[],
  data: string | Uint8Array,
): Part {
  return { id: partId(kind, children, data), kind, children, data };
}

/** SHA-256 over the kind, the number of parts that it holds, their names, and the data, texts in UTF-8. */
export function partId(
  kind: PartKind,
  children: readonly PartId[],
  data: string | Uint8Array,
): PartId {
  const names = HEAD_BYTES + HASH_BYTES * children.length;
  const most = names + data.length * MOST_BYTES;
  const bytes = most <= SCRATCH.length ? SCRATCH : Buffer.allocUnsafe(most);
  bytes[0] = PART_KINDS.indexOf(kind);
  bytes.writeUInt32LE(children.length, 1);
  bytes.write(children.join(''), HEAD_BYTES, 'hex');
  const end = names + put(bytes, data, names);
  return hash('sha256', bytes.subarray(0, end), 'hex') as PartId;
}

function put(bytes: Buffer, data: string | Uint8Array, at: number): number {
  if (typeof data === 'string') return bytes.write(data, at);
  bytes.set(data, at);
  return data.length;
}
