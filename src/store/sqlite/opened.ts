import type { BlobId } from '../../model/ids.ts';
import type { Blob, PackReceipt } from '../store.ts';
import type { Arrivals } from './arrivals.ts';
import type { Connection } from './connection.ts';
import type { GitObjects } from './git-objects/git-objects.ts';
import type { Layout } from './layout.ts';

/** Keeps the packs of a store: `Packs` in a folder, `MemoryPacks` without one. */
export interface PackPlace {
  /** See the port. */
  put(groups: AsyncIterable<readonly Blob[]>): Promise<PackReceipt>;
  /** Verified. Null when no pack has the blob. Throws `blob-corrupt`. */
  read(id: BlobId): Uint8Array | null;
  /** Of all packs, also of those that cannot be read. */
  names(): string[];
  /** Null when the pack is missing or damaged. */
  index(name: string): { has(id: BlobId): boolean } | null;
  remove(names: readonly string[]): void;
  /** To be called when somebody else removed packs. */
  forget(): void;
  /** How much space all packs take. */
  bytes(): number;
}

/** What the parts of an open store work with. */
export interface Opened {
  readonly connection: Connection;
  /** Of a store in memory, a folder that is not there. */
  readonly layout: Layout;
  readonly arrivals: Arrivals;
  readonly packs: PackPlace;
  readonly gitObjects: GitObjects;
  /** Blobs with more bytes than this do not lie in the database. */
  readonly largeBlobBytes: number;
  readonly now: () => number;
  /** Its connection is shared with other stores, and nothing of it lies in a folder. */
  readonly inMemory?: true;
}
