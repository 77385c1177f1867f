import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { BlobId } from '../../model/ids.ts';
import { corruptBlob, hashBytes, newPackName, requireHash } from '../blob.ts';
import type { Blob, PackReceipt, Store } from '../store.ts';
import { layoutOf, type Opened, type PackPlace } from './layout.ts';
import { LockFile } from './lock.ts';
import { memoryDatabase } from './open-database.ts';
import { openedWith, SqliteStore } from './sqlite-store.ts';

/** A store that lives as long as its process; for tests, and for trying things out. */
export function memoryStore(place: MemoryPlace = new MemoryPlace()): Store {
  const { opened } = place;
  return new SqliteStore(opened, new LockFile(null, opened.layout.directory), null);
}

/** What several stores in memory can be opened on, one after the other or at the same time. */
export class MemoryPlace {
  readonly opened: Opened;

  constructor() {
    // A folder that is not there. All contents are in the database, and packs are in memory.
    const layout = layoutOf(resolve('/', `savepoint-in-memory-${randomUUID()}`));
    const packs = new MemoryPacks();
    this.opened = { ...openedWith(memoryDatabase(), layout), packs, inMemory: true };
  }
}

class MemoryPacks implements PackPlace {
  readonly #packs = new Map<string, ReadonlyMap<BlobId, Uint8Array>>();

  async put(groups: AsyncIterable<readonly Blob[]>): Promise<PackReceipt> {
    const pack = new Map<BlobId, Uint8Array>();
    for await (const group of groups) {
      for (const blob of group) {
        requireHash(blob);
        if (!pack.has(blob.id)) pack.set(blob.id, Uint8Array.from(blob.bytes));
      }
    }
    if (pack.size === 0) return { packs: [], blobs: 0, bytes: 0 };
    const name = newPackName();
    this.#packs.set(name, pack);
    return { packs: [name], blobs: pack.size, bytes: sizeOf(pack) };
  }

  read(id: BlobId): Uint8Array | null {
    for (const pack of this.#packs.values()) {
      const bytes = pack.get(id);
      if (bytes === undefined) continue;
      if (hashBytes(bytes) === id) return Uint8Array.from(bytes);
      throw corruptBlob(id);
    }
    return null;
  }

  names(): string[] {
    return [...this.#packs.keys()];
  }

  index(name: string): ReadonlyMap<BlobId, Uint8Array> | null {
    return this.#packs.get(name) ?? null;
  }

  remove(names: readonly string[]): void {
    for (const name of names) this.#packs.delete(name);
  }

  forget(): void {}

  bytes(): number {
    return [...this.#packs.values()].map(sizeOf).reduce((sum, bytes) => sum + bytes, 0);
  }
}

function sizeOf(pack: ReadonlyMap<BlobId, Uint8Array>): number {
  return [...pack.values()].reduce((sum, { length }) => sum + length, 0);
}
