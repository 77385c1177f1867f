import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { ChildScript } from '../../../test/setup/child-script.ts';
import { withTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { waitsAside } from '../../../test/setup/waits-aside.ts';
import { rejectsWith, textBlob } from '../../testing/store/samples.ts';
import { ProjectStorage } from '../documents/project-storage.ts';
import { partOf } from '../parts/part.ts';
import type { LockOptions, Store } from '../store.ts';
import { repairStore } from './repair/repair-store.ts';
import { sqliteStore } from './sqlite-store.ts';

const OPTIONS = { now: () => 1, lockTimeoutMs: 5_000 };

const HOLDER = `
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(process.argv[1]);
  database.exec('BEGIN IMMEDIATE');
  console.log('held');
  setInterval(() => {}, 1000);
`;

const SAVER = `
  const { sqliteStore } = await import(process.argv[1] + '/sqlite/sqlite-store.ts');
  const { ProjectStorage } = await import(process.argv[1] + '/documents/project-storage.ts');
  const store = await sqliteStore({ directory: process.argv[2] });
  const documents = new ProjectStorage({ store, lockTimeoutMs: 5000 });
  for (let n = 0; ; n += 1) {
    await documents.save('state', 'n', { n });
    console.log('saved ' + n + ';');
    await new Promise((resolve) => setImmediate(resolve));
  }
`;

const STORES = new URL('..', import.meta.url).href;

describe('documents while another process writes', () => {
  it('are waited for without stopping the event loop, and given up in time', () =>
    withHolder(async (store, holder) => {
      await rejectsWith(put(store, { timeoutMs: 50 }), 'store-locked');
      const waiting = put(store, { timeoutMs: 20_000 });
      assert.ok(await waitsAside(waiting));
      await holder.kill();
      assert.equal(await waiting, true);
    }));

  it('are no longer waited for when told so, or when closed', () =>
    withHolder(async (store) => {
      const signal = AbortSignal.timeout(30);
      await rejectsWith(put(store, { timeoutMs: 20_000, signal }), 'aborted');
      const waiting = rejectsWith(put(store, { timeoutMs: 20_000 }), 'store-closed');
      await store.close();
      await waiting;
    }));

  it('keep the order in which they were saved', () =>
    withHolder(async (store, holder) => {
      const documents = new ProjectStorage({ store, ...OPTIONS });
      const saved = [1, 2, 3].map((n) => documents.save('state', 'a', { n }));
      await holder.kill();
      await Promise.all(saved);
      assert.deepEqual(await documents.load('state', 'a'), { n: 3 });
    }));
});

describe('what else goes on while documents are written', () => {
  it('is a commit, which waits without stopping the event loop', () =>
    withHolder(async (store, holder) => {
      const waiting = store.timeline.commit({ base: 0, blobs: [textBlob('kept')] });
      assert.ok(await waitsAside(waiting));
      await holder.kill();
      await waiting;
      assert.deepEqual(await store.blobs.read(textBlob('kept').id), textBlob('kept').bytes);
    }));
});

describe('a repair that puts another database in the place of the one that is there', () => {
  it('waits for nobody who may write, and loses nothing that was saved', () =>
    withTemporaryFolder(async (folder) => {
      await (await sqliteStore({ directory: folder })).close();
      const saver = new ChildScript(SAVER, STORES, folder);
      try {
        await saver.says('saved 5;');
        damage(folder);
        await rejectsWith(repairStore(folder), 'store-locked');
        await saver.says('saved 8;');
      } finally {
        await saver.kill();
      }
      const { salvaged } = await repairStore(folder);
      assert.equal(salvaged, true);
      const store = await sqliteStore({ directory: folder });
      const kept = await new ProjectStorage({ store, ...OPTIONS }).load('state', 'n');
      assert.ok(Number((kept as { n?: number } | undefined)?.n) >= 8);
      await store.close();
    }));

  it('goes ahead where a store is open that has written no documents', () =>
    withTemporaryFolder(async (folder) => {
      const store = await sqliteStore({ directory: folder });
      damage(folder);
      assert.equal((await repairStore(folder)).salvaged, true);
      await rejectsWith(put(store), 'store-closed');
      await store.close();
    }));
});

describe('a database that was taken away', () => {
  it('is not made anew, and is missed', () =>
    withTemporaryFolder(async (folder) => {
      const store = await sqliteStore({ directory: folder });
      rmSync(join(folder, 'store.db'));
      await rejectsWith(put(store), 'store-closed');
      assert.equal(existsSync(join(folder, 'store.db')), false);
      await store.close();
    }));

  it('is missed soon by who has it open', () =>
    withTemporaryFolder(async (folder) => {
      const store = await sqliteStore({ directory: folder });
      await put(store);
      const [file, aside] = [join(folder, 'store.db'), join(folder, 'aside.db')];
      copyFileSync(file, aside);
      renameSync(aside, file);
      await setTimeout(150);
      await rejectsWith(put(store), 'store-closed');
      await store.close();
    }));

  it('is missed by a process that stood still between its look and its write', () =>
    withTemporaryFolder(async (folder) => {
      const store = await sqliteStore({ directory: folder });
      await put(store);
      const stands = {
        category: 'state',
        key: 'b',
        root: partOf('json', [], '2'),
        parts: [],
        get savedAt() {
          renameSync(join(folder, 'store.db'), join(folder, 'aside.db'));
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
          return 1;
        },
      };
      await rejectsWith(store.documents.put(stands, { timeoutMs: 1_000 }), 'store-closed');
      await store.close();
    }));
});

function put(store: Store, options: LockOptions = { timeoutMs: 1_000 }): Promise<boolean> {
  const write = {
    category: 'state',
    key: 'a',
    savedAt: 1,
    root: partOf('json', [], '1'),
    parts: [],
  };
  return store.documents.put(write, options);
}

/** Breaks an index, of which no row is lost. */
function damage(folder: string): void {
  const file = join(folder, 'store.db');
  const database = new DatabaseSync(file, { readOnly: true });
  const sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'changes_path'";
  const page = Number(database.prepare(sql).get()?.rootpage);
  database.close();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0x55, (page - 1) * 4096, page * 4096));
}

function withHolder(body: (store: Store, holder: ChildScript) => Promise<void>): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const store = await sqliteStore({ directory: folder });
    const holder = new ChildScript(HOLDER, join(folder, 'store.db'));
    try {
      await holder.says('held');
      await body(store, holder);
    } finally {
      await holder.kill();
      await store.close();
    }
  });
}

describe('parts that nothing names any more', () => {
  it('are removed in time while two keys are saved again and again', () =>
    withTemporaryFolder(async (folder) => {
      const stores = [
        await sqliteStore({ directory: folder }),
        await sqliteStore({ directory: folder }),
      ];
      // Two programs, which rely on parts that they stored before. One of them may remove parts of the other.
      const [one, two] = stores.map((store) => new ProjectStorage({ store, ...OPTIONS }));
      assert.ok(one !== undefined && two !== undefined);
      const most = { parts: 0, pages: 0 };
      for (let save = 0; save < 400; save += 1) {
        await one.save('state', 'a', longValue(save));
        if (save % 10 === 0) await two.save('state', 'b', longValue(save - 3));
        if (save % 20 !== 0) continue;
        most.parts = Math.max(most.parts, count(folder, 'SELECT count(*) AS n FROM parts'));
        most.pages = Math.max(
          most.pages,
          count(folder, 'SELECT page_count AS n FROM pragma_page_count'),
        );
      }
      // 40,000 parts were stored, and about 200 are needed.
      assert.ok(most.parts < 16_000, `${most.parts} parts`);
      assert.ok(most.pages < 16_000, `${most.pages} pages`);
      assert.deepEqual(await two.load('state', 'a'), longValue(399));
      assert.deepEqual(await one.load('state', 'b'), longValue(387));
      for (const store of stores) await store.close();
    }));
});

/** A hundred texts, each long enough for a part of its own, of which all are new in every version. */
function longValue(version: number): string[] {
  return Array.from({ length: 100 }, (_, at) => `${version} ${at} ${'text '.repeat(200)}`);
}

function count(folder: string, sql: string): number {
  const database = new DatabaseSync(join(folder, 'store.db'));
  try {
    return Number(database.prepare(sql).get()?.n);
  } finally {
    database.close();
  }
}
