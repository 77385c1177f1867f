import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'vitest';
import { withTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import {
  assertReadable,
  changeOf,
  fileOf,
  noiseBlob,
  textBlob,
} from '../../testing/store/samples.ts';
import { blobOf } from '../blob.ts';
import type { Blob, Store } from '../store.ts';
import { type SqliteStoreOptions, sqliteStore } from './sqlite-store.ts';

const FOREVER = Number.POSITIVE_INFINITY;

interface Row {
  readonly id: number;
  readonly encoding: string;
  readonly base: number | null;
  readonly depth: number;
  readonly pending: number;
  readonly file: number;
}

describe('compaction', () => {
  it('stores versions of a file as what differs, at most 16 steps deep', () =>
    withStore({}, async (store, folder) => {
      const versions = await write(store, 60);
      const before = await store.maintain('stats');
      await store.maintain('compact', FOREVER);
      const after = await store.maintain('stats');
      assert.ok(after.storedBytes < before.storedBytes / 10, `${after.storedBytes} bytes`);
      for (const blob of versions) await assertReadable(store, blob);
      const depths = rowsOf(folder).map((row) => depthOf(rowsOf(folder), row));
      assert.equal(Math.max(...depths), 16);
      assert.equal(rowsOf(folder).filter((row) => row.pending === 1).length, 0);
    }));

  it('never makes a chain longer behind the back of those that lean on it', () =>
    withStore({}, async (store, folder) => {
      // Backwards: each content is already a base when its own previous version turns up.
      const versions = Array.from({ length: 40 }, (_, at) => version(at));
      for (const [at, blob] of versions.entries()) {
        const previous = versions[at + 1];
        const before = previous === undefined ? fileOf(blob) : fileOf(previous);
        const change = changeOf(at + 1, `p${at}`, { before, after: fileOf(blob) });
        await store.timeline.commit({ base: at, blobs: [blob], changes: [change] });
      }
      await store.maintain('compact', FOREVER);
      const rows = rowsOf(folder);
      for (const row of rows) assert.ok(depthOf(rows, row) <= 16);
      for (const blob of versions) await assertReadable(store, blob);
    }));

  it('makes no circle of contents that come and go', () =>
    withStore({}, async (store, folder) => {
      const [one, two] = [version(1), version(2)];
      const states = [one, two, one, two].map((blob) => fileOf(blob));
      const changes = states
        .slice(1)
        .map((after, at) => changeOf(at + 1, 'a', { before: states[at] ?? after, after }));
      await store.timeline.commit({ base: 0, blobs: [two, one], changes });
      await store.maintain('compact', FOREVER);
      for (const blob of [one, two]) await assertReadable(store, blob);
      assert.deepEqual(
        rowsOf(folder)
          .map(({ depth }) => depth)
          .sort(),
        [0, 1],
      );
    }));

  it('takes large blobs into the database once they are small, and gives their room back', () =>
    withStore({}, async (store, folder) => {
      const blob = textBlob('a line of text\n'.repeat(40_000));
      await store.timeline.commit({
        base: 0,
        blobs: [blob],
        changes: [changeOf(1, 'a', { after: fileOf(blob) })],
      });
      assert.equal(statSync(join(folder, 'arrivals')).size, blob.bytes.length);
      await store.maintain('compact', FOREVER);
      assert.equal(statSync(join(folder, 'arrivals')).size, 0);
      assert.deepEqual(readdirSync(join(folder, 'blobs')), []);
      await assertReadable(store, blob);
    }));

  it('keeps in a file what is large even when compressed, and leans on nothing there', () =>
    withStore({ largeBlobBytes: 500 }, async (store, folder) => {
      const noise = noiseBlob(2_000);
      const versions = [half(noise, 1), half(noiseBlob(2_000, 5), 2), noiseBlob(3_000, 7)];
      await writeVersions(store, versions);
      await store.maintain('compact', FOREVER);
      for (const blob of versions) await assertReadable(store, blob);
      const inFiles = rowsOf(folder).filter(({ file }) => file === 1);
      assert.deepEqual(
        inFiles.map(({ encoding }) => encoding),
        ['zstd', 'zstd', 'raw'],
      );
      assert.ok(inFiles.every(({ base }) => base === null));
      assert.equal(readdirSync(join(folder, 'blobs')).length, 3);
      assert.ok(
        (await store.maintain('stats')).storedBytes < (await store.maintain('stats')).blobBytes,
      );
    }));

  it('copes with a previous version that looks like a trained dictionary', () =>
    withStore({}, async (store) => {
      const magic = blobOf(
        Buffer.concat([Uint8Array.of(0x37, 0xa4, 0x30, 0xec), version(1).bytes]),
      );
      const versions = [magic, version(1)];
      await writeVersions(store, versions);
      await store.maintain('compact', FOREVER);
      for (const blob of versions) await assertReadable(store, blob);
    }));

  it('stops when its time is over, and goes on the next time', async () => {
    let time = 0;
    const now = (): number => {
      time += 1;
      return time;
    };
    await withStore({ now }, async (store, folder) => {
      await write(store, 30);
      const pending = (): number => rowsOf(folder).filter((row) => row.pending === 1).length;
      await store.maintain('compact', 0);
      assert.equal(pending(), 30);
      await store.maintain('compact', 8);
      assert.ok(pending() > 0 && pending() < 30, `${pending()} are left`);
      await store.maintain('compact', FOREVER);
      assert.equal(pending(), 0);
    });
  });
});

describe('pruning', () => {
  it('stores live blobs anew when their base goes', () =>
    withStore({}, async (store, folder) => {
      const versions = await write(store, 30);
      await store.maintain('compact', FOREVER);
      await store.maintain('prune', 10);
      const rows = rowsOf(folder);
      const ids = new Set(rows.map(({ id }) => id));
      assert.equal(rows.length, 22);
      assert.ok(rows.every(({ base }) => base === null || ids.has(base)));
      assert.ok(rows.every((row) => depthOf(rows, row) <= 16));
      for (const blob of versions.slice(8)) await assertReadable(store, blob);
    }));

  it('leans on the next living version when one in the middle goes', () =>
    withStore({}, async (store, folder) => {
      const [one, two, three] = [version(1), version(2), version(3)];
      await store.timeline.commit({
        base: 0,
        blobs: [one],
        changes: [changeOf(1, 'kept', { after: fileOf(one) })],
      });
      const changes = [
        changeOf(2, 'a', { before: fileOf(one), after: fileOf(two) }),
        changeOf(3, 'a', { before: fileOf(two), after: fileOf(three) }),
      ];
      await store.timeline.commit({ base: 1, blobs: [two, three], changes });
      await store.maintain('compact', FOREVER);
      await store.maintain('prune', 99);
      assert.deepEqual(
        rowsOf(folder).map(({ depth }) => depth),
        [0, 1],
      );
      await assertReadable(store, one);
      await assertReadable(store, three);
    }));

  it('removes files that a crash left, and no others', () =>
    withStore({}, async (store, folder) => {
      const blobs = join(folder, 'blobs');
      const [kept, orphan] = [noiseBlob(300 * 1024), noiseBlob(300 * 1024, 2)];
      const change = changeOf(1, 'a', { after: fileOf(kept) });
      await store.timeline.commit({ base: 0, blobs: [kept], changes: [change] });
      await store.maintain('compact', FOREVER);
      const strays = [orphan.id, `${orphan.id}.zst`, `${kept.id}.zst`, '.0123456789abcdef.tmp'];
      for (const name of [...strays, 'README', 'mine.tmp']) writeFileSync(join(blobs, name), 'x');
      await store.maintain('prune', 0);
      assert.deepEqual(readdirSync(blobs).sort(), ['README', kept.id, 'mine.tmp'].sort());
      await assertReadable(store, kept);
    }));

  it('never gives the number of a dropped blob to another', () =>
    withStore({}, async (store, folder) => {
      await store.timeline.commit({ base: 0, blobs: [version(1), version(2)] });
      const ids = (): number[] => rowsOf(folder).map(({ id }) => id);
      const before = ids();
      for (let round = 0; round < 2; round += 1) {
        assert.equal((await store.maintain('prune', 0)).blobs, round === 0 ? 2 : 0);
      }
      await store.timeline.commit({ base: 0, blobs: [version(3)] });
      assert.ok(Math.max(...ids()) > Math.max(...before));
      assert.equal((await store.maintain('stats')).blobs, 1);
    }));

  it('gives the room of what it dropped back to the disk', () =>
    withStore({}, async (store, folder) => {
      const blobs = Array.from({ length: 50 }, (_, at) => noiseBlob(100_000, at + 2));
      await store.timeline.commit({ base: 0, blobs });
      const before = pageCount(folder);
      await store.maintain('prune', 0);
      assert.ok(pageCount(folder) < before / 10);
    }));
});

function withStore(
  options: Omit<SqliteStoreOptions, 'directory'>,
  body: (store: Store, folder: string) => Promise<void>,
): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const store = await sqliteStore({ directory: folder, ...options });
    try {
      await body(store, folder);
    } finally {
      await store.close();
    }
  });
}

async function write(store: Store, count: number): Promise<Blob[]> {
  const versions = Array.from({ length: count }, (_, at) => version(at));
  await writeVersions(store, versions);
  return versions;
}

async function writeVersions(store: Store, versions: readonly Blob[]): Promise<void> {
  const states = versions.map((blob) => fileOf(blob));
  const changes = states.map((after, at) =>
    changeOf(at + 1, 'a', { before: states[at - 1] ?? { kind: 'absent' }, after }),
  );
  await store.timeline.commit({ base: 0, blobs: versions, changes });
}

/** Text that hardly compresses by itself, and differs a little from one version to the next. */
function version(at: number): Blob {
  const text = Buffer.from(noiseBlob(6_000).bytes).toString('base64');
  return textBlob(`${text.slice(0, at * 50)} edit ${at} ${text.slice(at * 50)}`);
}

/** Noise, and as much that compresses. */
function half({ bytes }: Blob, fill: number): Blob {
  return blobOf(Buffer.concat([bytes, new Uint8Array(bytes.length).fill(fill)]));
}

function depthOf(rows: readonly Row[], row: Row): number {
  const base = rows.find(({ id }) => id === row.base);
  return base === undefined ? 0 : 1 + depthOf(rows, base);
}

function rowsOf(folder: string): Row[] {
  const sql =
    'SELECT id, encoding, base, depth, pending, data IS NULL AS file FROM blobs ORDER BY id';
  return read(folder, sql) as unknown as Row[];
}

function pageCount(folder: string): number {
  return Number(read(folder, 'PRAGMA page_count')[0]?.page_count);
}

function read(folder: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(join(folder, 'store.db'));
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}
