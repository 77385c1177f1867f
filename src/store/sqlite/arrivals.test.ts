import assert from 'node:assert/strict';
import { appendFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'vitest';
import { withTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import {
  assertReadable,
  changeOf,
  fileOf,
  noiseBlob,
  rejectsWith,
} from '../../testing/store/samples.ts';
import { currentSeq } from '../find.ts';
import type { Blob, Store } from '../store.ts';
import { Arrivals } from './arrivals.ts';
import { readBlob } from './blobs.ts';
import { Connection } from './connection.ts';
import { GitObjects } from './git-objects.ts';
import { type Layout, layoutOf, type Opened } from './layout.ts';
import { Packs } from './packs/packs.ts';
import { sqliteStore } from './sqlite-store.ts';

const FOREVER = Number.POSITIVE_INFINITY;
const SIZE = 1_000;
const LARGE_BLOB_BYTES = 500;

describe('large blobs', () => {
  it('arrive one behind the other in one file, each once', () =>
    withStore(async (store, folder) => {
      const [one, two, three] = [large(1), large(2), large(3)];
      await store.timeline.commit({ base: 0, blobs: [one, two, one] });
      await store.timeline.commit({ base: 0, blobs: [three, two] });
      assert.deepEqual(places(folder), [0, SIZE, 2 * SIZE]);
      assert.equal(sizeOf(folder), 3 * SIZE);
      for (const blob of [one, two, three]) await assertReadable(store, blob);
    }));

  it('make room for the next ones when compaction has moved them', () =>
    withStore(async (store, folder) => {
      await put(store, large(1), large(2));
      await store.maintain('compact', FOREVER);
      assert.equal(sizeOf(folder), 0);
      await put(store, large(3));
      assert.deepEqual(places(folder), [0]);
      for (const seed of [1, 2, 3]) await assertReadable(store, large(seed));
    }));

  it('stay where they are until compaction comes to them', () =>
    withStore(async (store, folder) => {
      await put(store, large(1), large(2));
      await store.maintain('compact', 0);
      await store.maintain('prune', 0);
      assert.deepEqual(places(folder), [0, SIZE]);
      for (const seed of [1, 2]) await assertReadable(store, large(seed));
    }));

  it('give their room back when nothing needs them, those at the end at least', () =>
    withStore(async (store, folder) => {
      await store.timeline.commit({ base: 0, blobs: [large(1)] });
      await put(store, large(2));
      await store.timeline.commit({ base: await currentSeq(store), blobs: [large(3)] });
      await store.maintain('prune', 0);
      assert.deepEqual(places(folder), [SIZE]);
      assert.equal(sizeOf(folder), 2 * SIZE);
      await put(store, large(4));
      for (const seed of [2, 4]) await assertReadable(store, large(seed));
    }));

  it('are written over what a process left that died before its commit', () =>
    withStore(async (store, folder) => {
      await put(store, large(1));
      appendFileSync(join(folder, 'arrivals'), 'torn '.repeat(900));
      await put(store, large(2));
      for (const seed of [1, 2]) await assertReadable(store, large(seed));
      await store.maintain('prune', 0);
      assert.equal(sizeOf(folder), 2 * SIZE);
    }));

  it('arrive in a new file when somebody removed the old one', () =>
    withStore(async (store, folder) => {
      await put(store, large(1));
      rmSync(join(folder, 'arrivals'));
      await put(store, large(2));
      await assertReadable(store, large(2));
      await rejectsWith(store.blobs.read(large(1).id), 'blob-corrupt');
    }));

  it('are found by a reader that saw the row before they were moved and their room was used', () =>
    withStore(async (store, folder) => {
      await put(store, large(1));
      const layout = layoutOf(folder);
      const connection = new Connection(layout.database);
      try {
        // As long as it is in a transaction it sees the rows as they are now.
        connection.exec('BEGIN');
        connection.get('SELECT count(*) FROM blobs');
        await store.maintain('compact', FOREVER);
        await put(store, large(2));
        const arrivals = new LateReader(layout.arrivals, connection);
        const opened = { ...emptyOpened(layout, connection), arrivals };
        assert.deepEqual(readBlob(opened, large(1).id), Uint8Array.from(large(1).bytes));
        assert.equal(arrivals.reads, 1);
      } finally {
        connection.close();
      }
    }));
});

/** Ends its transaction when it comes to the file. */
class LateReader extends Arrivals {
  readonly #connection: Connection;
  reads = 0;

  constructor(file: string, connection: Connection) {
    super(file);
    this.#connection = connection;
  }

  override read(start: number, size: number): Uint8Array {
    this.reads += 1;
    this.#connection.exec('COMMIT');
    return super.read(start, size);
  }
}

function emptyOpened(layout: Layout, connection: Connection): Omit<Opened, 'arrivals'> {
  return {
    connection,
    layout,
    packs: new Packs(layout),
    gitObjects: new GitObjects(layout.git),
    largeBlobBytes: LARGE_BLOB_BYTES,
    now: Date.now,
  };
}

/** Noise, so that it stays large when it is compressed. */
function large(seed: number): Blob {
  return noiseBlob(SIZE, seed);
}

async function put(store: Store, ...blobs: readonly Blob[]): Promise<void> {
  const base = await currentSeq(store);
  const changes = blobs.map((blob, at) =>
    changeOf(base + at + 1, `path-${base + at}`, { after: fileOf(blob) }),
  );
  await store.timeline.commit({ base, blobs, changes });
}

function places(folder: string): unknown[] {
  const database = new DatabaseSync(join(folder, 'store.db'));
  try {
    const sql = "SELECT data FROM blobs WHERE encoding = 'arrived' ORDER BY data";
    return database
      .prepare(sql)
      .all()
      .map(({ data }) => data);
  } finally {
    database.close();
  }
}

function sizeOf(folder: string): number {
  return statSync(join(folder, 'arrivals')).size;
}

function withStore(body: (store: Store, folder: string) => Promise<void>): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const store = await sqliteStore({ directory: folder, largeBlobBytes: LARGE_BLOB_BYTES });
    try {
      await body(store, folder);
    } finally {
      await store.close();
    }
  });
}
