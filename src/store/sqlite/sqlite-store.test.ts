import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { testStore } from '../../testing/index.ts';
import type { Store } from '../store.ts';
import { sqliteStore } from './sqlite-store.ts';

const directories = new WeakMap<Store, string>();

function suite(name: string, largeBlobBytes?: number): void {
  const open = async (directory: string): Promise<Store> => {
    const limit = largeBlobBytes === undefined ? {} : { largeBlobBytes };
    const store = await sqliteStore({ directory, ...limit });
    directories.set(store, directory);
    return store;
  };
  const directoryOf = (store: Store): string => directories.get(store) ?? '';
  testStore({
    name,
    create: async () => open(await mkdtemp(join(tmpdir(), 'savepoint-store-'))),
    reopen: (store) => open(directoryOf(store)),
    destroy: async (store) => {
      await store.close();
      await rm(directoryOf(store), { recursive: true });
    },
    runner: { describe, it },
  });
}

suite('SqliteStore');
// Every blob but the smallest takes the way through files, compressed ones included.
suite('SqliteStore with nearly all blobs in files', 100);
