import { SavepointError } from '../../model/errors.ts';
import { type BlobId, isBlobId } from '../../model/ids.ts';
import { newPackName } from '../pack-name.ts';
import type { Blob, PackReceipt } from '../store.ts';
import type { MemoryPlace } from './memory-place.ts';

/** Keeps what the groups bring as one pack, once all of it has come. */
export async function keepPack(
  place: MemoryPlace,
  groups: AsyncIterable<readonly Blob[]>,
): Promise<PackReceipt> {
  const pack = new Map<BlobId, Uint8Array>();
  for await (const group of groups) for (const blob of group) add(pack, blob);
  if (pack.size === 0) return { packs: [], blobs: 0, bytes: 0 };
  const name = newPackName();
  place.packs.set(name, pack);
  return { packs: [name], blobs: pack.size, bytes: bytesOf(pack) };
}

export function findPacked(place: MemoryPlace, id: BlobId): Uint8Array | null {
  for (const pack of place.packs.values()) {
    const bytes = pack.get(id);
    if (bytes !== undefined) return bytes;
  }
  return null;
}

export function packedBytes(place: MemoryPlace): number {
  return [...place.packs.values()].reduce((sum, pack) => sum + bytesOf(pack), 0);
}

function add(pack: Map<BlobId, Uint8Array>, { id, bytes }: Blob): void {
  if (!isBlobId(id)) {
    throw new SavepointError('argument-invalid', 'a blob has no SHA-256 as its id');
  }
  if (!pack.has(id)) pack.set(id, Uint8Array.from(bytes));
}

function bytesOf(pack: ReadonlyMap<BlobId, Uint8Array>): number {
  return [...pack.values()].reduce((sum, bytes) => sum + bytes.length, 0);
}
