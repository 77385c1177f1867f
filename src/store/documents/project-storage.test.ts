import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testStorage } from '../../testing/index.ts';
import { layoutOf } from '../sqlite/layout.ts';
import { MemoryPlace, memoryStore } from '../sqlite/memory-store.ts';
import { sqliteStore } from '../sqlite/sqlite-store.ts';
import type { DocumentWrite, PutDocumentOptions, Store } from '../store.ts';
import type { BaseStorage } from './base-storage.ts';
import { ProjectStorage } from './project-storage.ts';

interface Place {
  readonly directory: string;
  readonly stores: Store[];
}

const places = new WeakMap<BaseStorage, Place>();

testStorage({
  name: 'ProjectStorage',
  create: () => open({ directory: makeDirectory(), stores: [] }),
  reopen: (storage) => open(placeOf(storage)),
  destroy: async (storage) => {
    const { directory, stores } = placeOf(storage);
    for (const store of stores) await store.close();
    rmSync(directory, { recursive: true });
  },
  damage: async (storage, category, key) => damage(placeOf(storage).directory, category, key),
  runner: { describe, it },
});

testStorage({
  name: 'ProjectStorage on a store in memory',
  create: async () => new ProjectStorage({ store: memoryStore() }),
  destroy: async () => undefined,
  runner: { describe, it },
});

describe('ProjectStorage', () => {
  it('stores once what values have in common', async () => {
    const { store, directory } = await openStore();
    const storage = new ProjectStorage({ store });
    const messages = Array.from({ length: 300 }, (_, n) => ({ n, text: `${n} `.repeat(100) }));
    await storage.save('conversation', 'c', { messages });
    const before = bytesOfParts(directory);
    messages.push({ n: 300, text: 'one more' });
    await storage.save('conversation', 'c', { messages });
    await storage.save('conversation', 'copy', { messages });
    expect(bytesOfParts(directory) - before).toBeLessThan(before / 10);
  });

  it('leaves what nobody names to prune, and the rest as it is', async () => {
    const { store, directory } = await openStore();
    const storage = new ProjectStorage({ store });
    await storage.save('session', 'kept', { text: 'kept '.repeat(5_000) });
    await storage.save('session', 'gone', { text: 'gone '.repeat(5_000) });
    await storage.delete('session', 'gone');
    const before = bytesOfParts(directory);
    await store.maintain('prune', 0);
    expect(bytesOfParts(directory)).toBeLessThan(before);
    expect(await storage.load('session', 'kept')).toEqual({ text: 'kept '.repeat(5_000) });
  });

  it('reads a large value whole while others replace it and prune', async () => {
    const { store, directory } = await openStore();
    const reader = new ProjectStorage({ store });
    const other = await sqliteStore({ directory });
    onTestFinished(() => other.close());
    const writer = new ProjectStorage({ store: other });
    const contentOf = (n: number) => ({
      list: Array.from({ length: 300 }, () => `${n} `.repeat(99)),
    });
    await writer.save('session', 's', contentOf(0));
    for (let n = 1; n <= 20; n += 1) {
      const reading = Array.from({ length: 5 }, () => reader.load('session', 's'));
      await writer.save('session', 's', contentOf(n));
      await other.maintain('prune', 0);
      for (const value of await Promise.all(reading)) {
        expect([contentOf(n - 1), contentOf(n)]).toContainEqual(value);
      }
    }
  });

  it('stores everything again where somebody has removed parts that it relied on', async () => {
    const place = new MemoryPlace();
    const [store, other] = [memoryStore(place), memoryStore(place)];
    const storage = new ProjectStorage({ store });
    await storage.save('state', 'a', { messages: messages(100) });
    await other.documents.remove('state', 'a', { timeoutMs: 1_000 });
    await other.maintain('prune', 0);
    await storage.save('state', 'a', { messages: messages(100), more: 1 });
    expect(await storage.load('state', 'a')).toEqual({ messages: messages(100), more: 1 });
  });

  it('relies on nothing that failed to be stored', async () => {
    const store = memoryStore();
    let failing = true;
    const put = async (write: DocumentWrite, options: PutDocumentOptions) => {
      if (failing) throw new Error('no space left');
      return store.documents.put(write, options);
    };
    const documents = { ...store.documents, put };
    const sometimes = new Proxy(store, {
      get: (target, name) => (name === 'documents' ? documents : Reflect.get(target, name)),
    });
    const storage = new ProjectStorage({ store: sometimes });
    await expect(storage.save('state', 'a', messages(100))).rejects.toThrow('no space');
    failing = false;
    await storage.save('state', 'a', messages(100));
    expect(await storage.load('state', 'a')).toEqual(messages(100));
  });

  it('removes what was saved before, also where that still waits', async () => {
    const { store, directory } = await openStore();
    const storage = new ProjectStorage({ store });
    const other = new DatabaseSync(join(directory, 'store.db'));
    other.exec('BEGIN IMMEDIATE');
    const saved = storage.save('session', 's', { n: 1 });
    const removed = storage.delete('session', 's');
    other.close();
    await saved;
    expect(await removed).toBe(true);
    expect(await storage.load('session', 's')).toBeNull();
  });

  it('waits for whoever writes to the database, and gives up in time', async () => {
    const { store, directory } = await openStore();
    const storage = new ProjectStorage({ store, lockTimeoutMs: 20 });
    const other = new DatabaseSync(join(directory, 'store.db'));
    other.exec('BEGIN IMMEDIATE');
    const late = storage.save('session', 's', { n: 1 });
    await expect(late).rejects.toMatchObject({ code: 'store-locked' });
    other.close();
    await storage.save('session', 's', { n: 2 });
    expect(await storage.load('session', 's')).toEqual({ n: 2 });
  });
});

function messages(count: number): object {
  return Array.from({ length: count }, (_, at) => ({ at, text: `message ${at} `.repeat(9) }));
}

async function openStore(): Promise<{ store: Store; directory: string }> {
  const directory = makeDirectory();
  const store = await sqliteStore({ directory });
  onTestFinished(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });
  return { store, directory };
}

function makeDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'savepoint-storage-'));
}

async function open(place: Place): Promise<BaseStorage> {
  const store = await sqliteStore({ directory: place.directory });
  place.stores.push(store);
  const storage = new ProjectStorage({ store });
  places.set(storage, place);
  return storage;
}

function placeOf(storage: BaseStorage): Place {
  return places.get(storage) ?? { directory: '', stores: [] };
}

function bytesOfParts(directory: string): number {
  return inDatabase(directory, (database) => {
    const row = database.prepare('SELECT sum(length(data)) AS bytes FROM parts').get();
    return Number(row?.bytes);
  });
}

function damage(directory: string, category: string, key: string): void {
  inDatabase(directory, (database) => {
    const name = [JSON.stringify(category), JSON.stringify(key)];
    const half = `CAST('{"half": ' AS BLOB)`;
    const isIt = 'category = ? AND key = ?';
    const inParts = `id = (SELECT part FROM documents WHERE ${isIt})`;
    const parts = database.prepare(`UPDATE parts SET data = ${half} WHERE ${inParts}`).run(...name);
    const small = `UPDATE documents SET data = ${half} WHERE data IS NOT NULL AND ${isIt}`;
    const rows = database.prepare(small).run(...name);
    expect(Number(parts.changes) + Number(rows.changes)).toBe(1);
  });
}

function inDatabase<Result>(directory: string, work: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(layoutOf(directory).database, { timeout: 5_000 });
  try {
    return work(database);
  } finally {
    database.close();
  }
}
