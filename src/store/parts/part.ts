import { hash } from 'node:crypto';
import type { PartId } from '../../model/ids.ts';

/** `json`: text without tags. `tagged`: text with some. `bytes`: bytes as they are. */
export type PartKind = 'json' | 'tagged' | 'bytes';

/**
 * A piece of a document, named by a hash over all that it says and over the names of the parts that it
 * holds: the name of the first one vouches for the whole document.
 */
export interface Part {
  readonly id: PartId;
  readonly kind: PartKind;
  /** In the order in which `{"$part":0}` stands for them; one may come twice. */
  readonly children: readonly PartId[];
  readonly data: Uint8Array;
}

export const PART_KINDS: readonly PartKind[] = ['json', 'tagged', 'bytes'];

const COUNT_BYTES = 4;
const HASH_BYTES = 32;

export function partOf(kind: PartKind, children: readonly PartId[], data: Uint8Array): Part {
  return { id: partId(kind, children, data), kind, children, data };
}

/** SHA-256 over the kind, the number of parts that it holds, their names, and the data. */
export function partId(kind: PartKind, children: readonly PartId[], data: Uint8Array): PartId {
  const head = 1 + COUNT_BYTES + HASH_BYTES * children.length;
  const all = Buffer.allocUnsafe(head + data.length);
  all[0] = PART_KINDS.indexOf(kind);
  all.writeUInt32LE(children.length, 1);
  for (const [at, child] of children.entries()) {
    all.write(child, 1 + COUNT_BYTES + at * HASH_BYTES, 'hex');
  }
  all.set(data, head);
  return hash('sha256', all, 'hex') as PartId;
}
