import { hash } from 'node:crypto';
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

/** The first bytes of what is hashed of a part that holds none. */
const LEAF_HEADS: readonly string[] = PART_KINDS.map(
  (_, number) => `${String.fromCharCode(number)}\0\0\0\0`,
);
const HEAD_BYTES = 1 + 4;
const HASH_BYTES = 32;

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
  const number = PART_KINDS.indexOf(kind);
  if (typeof data === 'string' && children.length === 0) {
    // Most parts are such: no bytes are copied for them.
    return hash('sha256', LEAF_HEADS[number] + data, 'hex') as PartId;
  }
  const names = HEAD_BYTES + HASH_BYTES * children.length;
  const size = typeof data === 'string' ? Buffer.byteLength(data) : data.length;
  const bytes = Buffer.allocUnsafe(names + size);
  bytes[0] = number;
  bytes.writeUInt32LE(children.length, 1);
  bytes.write(children.join(''), HEAD_BYTES, 'hex');
  if (typeof data === 'string') bytes.write(data, names);
  else bytes.set(data, names);
  return hash('sha256', bytes, 'hex') as PartId;
}
