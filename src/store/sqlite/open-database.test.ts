import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'vitest';
import { ChildScript } from '../../../test/setup/child-script.ts';
import { withTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import {
  changeOf,
  checkpointOf,
  fileOf,
  noiseBlob,
  rejectsWith,
} from '../../testing/store/samples.ts';
import { currentSeq } from '../find.ts';
import { Connection } from './connection.ts';
import { FORMAT } from './schema.ts';
import { sqliteStore } from './sqlite-store.ts';

const STORE_MODULE = new URL('./sqlite-store.ts', import.meta.url).href;
const SAMPLES_MODULE = new URL('../../testing/store/samples.ts', import.meta.url).href;

describe('opening a store', () => {
  it('makes folders and files that only their user can read', () =>
    withTemporaryFolder(async (folder) => {
      const mask = process.umask(0);
      try {
        const directory = join(folder, 'a', 'b');
        const store = await sqliteStore({ directory });
        const blobs = [1, 2].map((seed) => noiseBlob(300 * 1024, seed));
        for (const blob of blobs) {
          const seq = await currentSeq(store);
          const change = changeOf(seq + 1, 'a', { after: fileOf(blob) });
          await store.timeline.commit({ base: seq, blobs: [blob], changes: [change] });
          if (seq === 0) await store.maintain('compact', Number.POSITIVE_INFINITY);
        }
        (await store.lock({ timeoutMs: 0 })).release();
        for (const made of ['..', '.', 'blobs']) assert.equal(modeOf(join(directory, made)), 0o700);
        const files = [
          'store.db',
          'store.db-wal',
          'store.db-shm',
          'lock.db',
          'arrivals',
          join('blobs', blobs[0]?.id ?? ''),
        ];
        for (const file of files) assert.equal(modeOf(join(directory, file)), 0o600, file);
        assert.deepEqual(readdirSync(directory).length, 6);
        await store.close();
      } finally {
        process.umask(mask);
      }
    }));

  it('says when there is no store, and makes none, unless it may', () =>
    withTemporaryFolder(async (folder) => {
      const directory = join(folder, 'store');
      await rejectsWith(sqliteStore({ directory, create: false }), 'store-missing');
      assert.equal(existsSync(directory), false);
      await (await sqliteStore({ directory })).close();
      await (await sqliteStore({ directory, create: false })).close();
    }));

  it('writes ahead, waits for the disk, and keeps references whole', () =>
    withTemporaryFolder(async (folder) => {
      await (await sqliteStore({ directory: folder })).close();
      const connection = new Connection(join(folder, 'store.db'));
      const setting = (name: string): unknown =>
        Object.values(connection.get<Record<string, unknown>>(`PRAGMA ${name}`) ?? {})[0];
      assert.equal(setting('journal_mode'), 'wal');
      assert.equal(setting('synchronous'), 2);
      assert.equal(setting('foreign_keys'), 1);
      assert.equal(setting('fullfsync'), 1);
      assert.equal(setting('integrity_check'), 'ok');
      connection.close();
    }));

  it('refuses a store of another format, and leaves it as it is', () =>
    withTemporaryFolder(async (folder) => {
      await (await sqliteStore({ directory: folder })).close();
      for (const format of [FORMAT - 1, FORMAT + 1]) {
        change(folder, `PRAGMA user_version = ${format}`);
        const bytes = readFileSync(join(folder, 'store.db'));
        await rejectsWith(sqliteStore({ directory: folder }), 'store-too-new');
        assert.deepEqual(readFileSync(join(folder, 'store.db')), bytes);
      }
    }));

  it('refuses what is not a store: text, nothing, another database', () =>
    withTemporaryFolder(async (folder) => {
      for (const content of ['not a database '.repeat(1_000), 'short', '']) {
        writeFileSync(join(folder, 'store.db'), content);
        await rejectsWith(sqliteStore({ directory: folder }), 'store-corrupt');
        assert.equal(readFileSync(join(folder, 'store.db'), 'utf8'), content);
      }
      writeFileSync(join(folder, 'store.db'), '');
      change(folder, 'CREATE TABLE somebody (elses)');
      await rejectsWith(sqliteStore({ directory: folder }), 'store-corrupt');
    }));

  it('says when its folder cannot be made', () =>
    withTemporaryFolder(async (folder) => {
      writeFileSync(join(folder, 'file'), '');
      await rejectsWith(sqliteStore({ directory: join(folder, 'file', 'store') }), 'store-failed');
    }));

  it('goes on where a process died that was making it', () =>
    withTemporaryFolder(async (folder) => {
      writeFileSync(join(folder, 'store.db.new'), 'half of a datab');
      writeFileSync(join(folder, 'store.db.new-wal'), 'and its log');
      const store = await sqliteStore({ directory: folder });
      await store.timeline.commit({ base: 0, checkpoints: [checkpointOf(1)] });
      await store.close();
      assert.deepEqual(readdirSync(folder).sort(), ['blobs', 'lock.db', 'store.db']);
    }));

  it('can be made by several processes at the same moment', () =>
    withTemporaryFolder((folder) => countInProcesses(folder, 'locked')));

  it('gives each number to one of several processes, even to those without the lock', () =>
    withTemporaryFolder((folder) => countInProcesses(folder, 'unlocked')));
});

const PROCESSES = 6;
const ROUNDS = 20;

// Each reads the number and commits the next one; where two did so at once, one has to try again.
const COUNTER = `
  const [, module, samples, directory, how] = process.argv;
  const { sqliteStore } = await import(module);
  const { checkpointOf } = await import(samples);
  const store = await sqliteStore({ directory });
  const count = async () => {
    const base = (await store.state()).seq;
    await store.timeline.commit({ base, checkpoints: [checkpointOf(base + 1)] });
  };
  for (let round = 0; round < ${ROUNDS}; ) {
    const lock = how === 'locked' ? await store.lock({ timeoutMs: 30_000 }) : null;
    await count().then(() => { round += 1; }, (error) => {
      if (lock !== null || error.code !== 'store-moved-on') throw error;
    });
    lock?.release();
  }
  await store.close();
`;

async function countInProcesses(folder: string, how: 'locked' | 'unlocked'): Promise<void> {
  const start = (): ChildScript =>
    new ChildScript(COUNTER, STORE_MODULE, SAMPLES_MODULE, folder, how);
  for (const child of Array.from({ length: PROCESSES }, start)) assert.equal(await child.ends(), 0);
  const store = await sqliteStore({ directory: folder });
  assert.equal(await currentSeq(store), PROCESSES * ROUNDS);
  assert.equal((await store.timeline.checkpoints({})).length, PROCESSES * ROUNDS);
  await store.close();
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

function change(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, 'store.db'));
  database.exec(sql);
  database.close();
}
