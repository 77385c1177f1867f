import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testStorage } from '../../testing/index.ts';
import type { BaseStorage } from './base-storage.ts';
import { SQLiteStorage } from './sqlite-storage.ts';

const places = new WeakMap<BaseStorage, string>();

testStorage({
  name: 'SQLiteStorage',
  create: async () => open(mkdtempSync(join(tmpdir(), 'savepoint-sqlite-'))),
  reopen: async (storage) => open(places.get(storage) ?? ''),
  destroy: async (storage) => rmSync(places.get(storage) ?? '', { recursive: true }),
  damage: async (storage, category, key) => {
    const sql = `UPDATE persistence SET data = '{"half": ' WHERE category = ? AND key = ?`;
    const { changes } = inDatabase(storage, (database) => database.prepare(sql).run(category, key));
    expect(changes).toBe(1);
  },
  runner: { describe, it },
});

describe('SQLiteStorage', () => {
  it('has the table of the seed, in the place of the seed', async () => {
    const storage = open(makeFolder());
    await storage.save('checkpoint', 'ckpt-exec-001-0', { step: '检查点' });
    expect(storage.dbPath).toMatch(/\/projects\/test_project\/persistence\.db$/);
    const sql = 'SELECT category, key, data, created_at FROM persistence';
    const [row] = inDatabase(storage, (database) => database.prepare(sql).all());
    expect({ ...row }).toEqual({
      category: 'checkpoint',
      key: 'ckpt-exec-001-0',
      data: '{"step":"检查点"}',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    });
    expect(statSync(storage.dbPath).mode & 0o777).toBe(0o600);
  });

  it('reads what another program wrote into that table', async () => {
    const storage = open(makeFolder());
    await storage.save('session', 's', { n: 1 });
    inDatabase(storage, (database) =>
      database.exec(
        `INSERT INTO persistence (category, key, data) VALUES ('session', 'Their Key', '{"n": 2.5}')`,
      ),
    );
    expect((await storage.list('session')).sort()).toEqual(['Their Key', 's']);
    expect(await storage.load('session', 'Their Key')).toEqual({ n: 2.5 });
  });

  it('lies in the home that the environment names where no place is given', async () => {
    const home = makeFolder();
    vi.stubEnv('HOME', home);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { dbPath } = new SQLiteStorage('demo');
    expect(dbPath).toBe(join(home, '.cache/tiny-claude-code/projects/demo/persistence.db'));
  });

  it('makes nothing for who only reads', async () => {
    const storage = open(makeFolder());
    expect(await storage.load('session', 's')).toBeNull();
    expect(await storage.list('session')).toEqual([]);
    expect(await storage.delete('session', 's')).toBe(false);
    expect(existsSync(dirname(storage.dbPath))).toBe(false);
  });

  it('opens no database through a link', async () => {
    const folder = makeFolder();
    const storage = open(folder);
    mkdirSync(dirname(storage.dbPath), { recursive: true });
    symlinkSync(join(folder, 'elsewhere'), storage.dbPath);
    const refusal = { code: 'store-failed' };
    await expect(storage.save('session', 's', { n: 1 })).rejects.toMatchObject(refusal);
    expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
  });

  it('waits for whoever writes to the database, and gives up in time', async () => {
    const storage = new SQLiteStorage('demo', makeFolder(), { lockTimeoutMs: 20 });
    await storage.save('session', 's', { n: 1 });
    const other = new DatabaseSync(storage.dbPath);
    other.exec('BEGIN IMMEDIATE');
    const late = storage.save('session', 's', { n: 2 });
    await expect(late).rejects.toMatchObject({ code: 'store-locked' });
    expect(await storage.load('session', 's')).toEqual({ n: 1 });
    other.close();
    await storage.save('session', 's', { n: 3 });
    expect(await storage.load('session', 's')).toEqual({ n: 3 });
  });
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-sqlite-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function open(baseDir: string): SQLiteStorage {
  const storage = new SQLiteStorage('test_project', baseDir);
  places.set(storage, baseDir);
  return storage;
}

function inDatabase<Result>(
  storage: BaseStorage,
  work: (database: DatabaseSync) => Result,
): Result {
  const database = new DatabaseSync((storage as SQLiteStorage).dbPath);
  try {
    return work(database);
  } finally {
    database.close();
  }
}
