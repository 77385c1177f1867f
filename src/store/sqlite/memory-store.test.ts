import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { isSavepointError } from '../../model/errors.ts';
import { testStore } from '../../testing/index.ts';
import { blobOf } from '../blob.ts';
import type { Store } from '../store.ts';
import { MemoryPlace, memoryStore } from './memory-store.ts';

const places = new WeakMap<Store, MemoryPlace>();

testStore({
  name: 'memoryStore',
  create: async () => {
    const place = new MemoryPlace();
    const store = memoryStore(place);
    places.set(store, place);
    return store;
  },
  reopen: async (store) => memoryStore(places.get(store)),
  destroy: (store) => store.close(),
  runner: { describe, it },
});

describe('memoryStore alone', () => {
  it('notices bytes that were changed behind its back', async () => {
    const place = new MemoryPlace();
    const blob = blobOf(Uint8Array.of(1, 2, 3));
    const store = memoryStore(place);
    await store.timeline.commit({ base: 0, blobs: [blob] });
    place.opened.connection.run('UPDATE blobs SET data = zeroblob(3)');
    await assert.rejects(store.blobs.read(blob.id), (error) =>
      isSavepointError(error, 'blob-corrupt'),
    );
  });

  it('shares nothing between two places', async () => {
    const [one, two] = [memoryStore(), memoryStore()];
    await one.setProject({ root: '/', inode: '1', birthtimeNs: '1' });
    assert.equal((await two.state()).project, null);
  });
});
