import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ProjectStorage } from '../../src/execution/index.ts';
import { carryStore, isSavepointError, openSavepoint, sqliteStore } from '../../src/index.ts';
import { PostgresStorage, postgresStore } from '../../src/store/postgres/index.ts';
import { sharedPostgres } from '../setup/shared-postgres.ts';
import { makeScratch, removeScratch } from './scratch.ts';
import { ServerProject } from './server-project.ts';

let url: string;
beforeAll(async () => {
  url = await sharedPostgres();
});

const LOCAL = { env: { SAVEPOINT_DATABASE_PROJECT: '' } };

/** A project with a timeline in a folder. */
async function projectInFolder(): Promise<ServerProject> {
  const one = new ServerProject(url, `moved-${randomUUID()}`, { 'a.txt': 'one\n' });
  onTestFinished(() => one.remove());
  expect((await one.run(['save', '-m', 'first'], LOCAL)).code).toBe(0);
  return one;
}

function moveWords(one: ServerProject, to: 'server' | 'folder' = 'server'): string[] {
  return ['store', 'move', '--to', to, '--yes', ...(to === 'server' ? [one.name] : [])];
}

/** Runs work on the documents of a store in a folder. */
async function inFolder(
  directory: string,
  work: (storage: ProjectStorage) => Promise<unknown>,
): Promise<void> {
  const store = await sqliteStore({ directory });
  try {
    await work(new ProjectStorage({ store }));
  } finally {
    await store.close();
  }
}

function onServer(one: ServerProject): PostgresStorage {
  const storage = new PostgresStorage({ url, project: one.name });
  onTestFinished(() => storage.close());
  return storage;
}

/** What a move leaves that is killed before the server counts. */
async function interruptedMove(one: ServerProject): Promise<string> {
  const directory = join(one.folder, 'moving');
  const store = await postgresStore({ url, project: one.name, directory });
  await store.setProject({ root: one.root, inode: '1', birthtimeNs: '1' });
  await store.close();
  return directory;
}

/** The machines of the project's worktrees that others see. */
async function machines(one: ServerProject): Promise<string[]> {
  const directory = makeScratch();
  onTestFinished(() => removeScratch(directory));
  const store = await postgresStore({ url, project: one.name, directory });
  try {
    return ((await store.worktrees?.list()) ?? []).map(({ machine }) => machine);
  } finally {
    await store.close();
  }
}

function setAsideIn(one: ServerProject): string[] {
  return readdirSync(one.folder).filter((name) => name.startsWith('set-aside-'));
}

describe('documents in a store that moves', () => {
  it('stay in a project without worktrees when an interrupted move is tried again', async () => {
    const one = await projectInFolder();
    const storage = onServer(one);
    await storage.save('notes', 'of a program', { value: 1 });
    await interruptedMove(one);
    expect(await one.run(moveWords(one), LOCAL)).toMatchObject({ code: 0, err: '' });
    expect(await storage.load('notes', 'of a program')).toEqual({ value: 1 });
    expect(await machines(one)).toHaveLength(1);
  });

  it('that an interrupted move has carried over are no clash for the next try', async () => {
    const one = await projectInFolder();
    await inFolder(one.folder, (storage) => storage.save('notes', 'a', { value: 'old' }));
    const moving = await interruptedMove(one);
    const [from, to] = [
      await sqliteStore({ directory: one.folder }),
      await postgresStore({ url, project: one.name, directory: moving }),
    ];
    await carryStore(from, to);
    const fresh = await from.documents.list('notes');
    const plan = JSON.stringify({ aside: 'set-aside-x', fresh, same: [] });
    writeFileSync(join(moving, 'documents.json'), plan);
    await Promise.all([from.close(), to.close()]);
    await inFolder(one.folder, (storage) => storage.save('notes', 'a', { value: 'new' }));
    expect(await one.run(moveWords(one), LOCAL)).toMatchObject({ code: 0, err: '' });
    expect(await onServer(one).load('notes', 'a')).toEqual({ value: 'new' });
  });

  it('are not overwritten: a clash is refused, named, and nothing is changed', async () => {
    const one = await projectInFolder();
    const storage = onServer(one);
    await storage.save('notes', 'a', { value: 'of the server' });
    await inFolder(one.folder, async (local) => {
      await local.save('notes', 'a', { value: 'of the folder' });
      await local.save('notes', 'b', { value: 'no clash' });
    });
    const refused = await one.run(moveWords(one), LOCAL);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('a document "a" of category "notes"');
    expect(await storage.load('notes', 'a')).toEqual({ value: 'of the server' });
    expect(await storage.list('notes')).toEqual(['a']);
    expect(await machines(one)).toEqual([]);
    expect(existsSync(join(one.folder, 'store.db'))).toBe(true);
    expect(existsSync(join(one.folder, 'moving'))).toBe(false);
    await storage.delete('notes', 'a');
    expect((await one.run(moveWords(one), LOCAL)).code).toBe(0);
    expect(await storage.load('notes', 'a')).toEqual({ value: 'of the folder' });
  });

  it('that are the same on both sides are no clash, whenever they were saved', async () => {
    const one = await projectInFolder();
    await onServer(one).save('notes', 'a', { value: 1 });
    await inFolder(one.folder, (storage) => storage.save('notes', 'a', { value: 1 }));
    expect(await one.run(moveWords(one), LOCAL)).toMatchObject({ code: 0, err: '' });
  });

  it('reach the server as long as saving them succeeds', async () => {
    const one = await projectInFolder();
    const store = await sqliteStore({ directory: one.folder });
    onTestFinished(() => store.close());
    const local = new ProjectStorage({ store });
    const moved = one.run(moveWords(one), LOCAL);
    const saved: string[] = [];
    await expect(
      (async () => {
        for (let count = 0; ; count += 1) {
          await local.save('notes', `${count}`, { count });
          await local.save('counts', 'newest', { count });
          saved.push(`${count}`);
          await setTimeout(2);
        }
      })(),
    ).rejects.toSatisfy((error) => isSavepointError(error, 'store-closed'));
    expect(await moved).toMatchObject({ code: 0, err: '' });
    const there = new Set(await onServer(one).list('notes'));
    expect(saved.filter((key) => !there.has(key))).toEqual([]);
    const newest = (await onServer(one).load('counts', 'newest')) as { count: number };
    expect(newest.count).toBeGreaterThanOrEqual(saved.length - 1);
  });

  it('that a killed move did not carry are carried by the next one, or before a clean', async () => {
    for (const words of ['move', 'clean'] as const) {
      const one = await projectInFolder();
      expect((await one.run(moveWords(one), LOCAL)).code).toBe(0);
      const [aside = ''] = setAsideIn(one);
      await inFolder(join(one.folder, aside), (storage) => storage.save('notes', 'late', { a: 1 }));
      mkdirSync(join(one.folder, 'moving'));
      const plan = JSON.stringify({ aside, fresh: [], same: [] });
      writeFileSync(join(one.folder, 'moving', 'documents.json'), plan);
      const args = words === 'move' ? moveWords(one) : ['store', 'clean', '--yes'];
      expect(await one.run(args)).toMatchObject({ code: 0, err: '' });
      expect(await onServer(one).load('notes', 'late')).toEqual({ a: 1 });
      expect(existsSync(join(one.folder, 'moving'))).toBe(false);
      expect(setAsideIn(one)).toHaveLength(words === 'move' ? 1 : 0);
    }
  });

  it('that a move did not carry, killed before it set the old store aside, are carried too', async () => {
    const one = await projectInFolder();
    expect((await one.run(moveWords(one), LOCAL)).code).toBe(0);
    const [aside = ''] = setAsideIn(one);
    await inFolder(join(one.folder, aside), (storage) => storage.save('notes', 'late', { a: 1 }));
    for (const name of ['store.db', 'blobs']) {
      renameSync(join(one.folder, aside, name), join(one.folder, name));
    }
    mkdirSync(join(one.folder, 'moving'));
    const plan = JSON.stringify({ aside, fresh: [], same: [] });
    writeFileSync(join(one.folder, 'moving', 'documents.json'), plan);
    expect(await one.run(moveWords(one, 'folder'))).toMatchObject({ code: 0, err: '' });
    expect(await onServer(one).load('notes', 'late')).toEqual({ a: 1 });
    await inFolder(one.folder, async (storage) => {
      expect(await storage.load('notes', 'late')).toEqual({ a: 1 });
    });
    expect((await one.run(['list'], LOCAL)).out).toContain('first');
  });

  it('says what is true where the timeline is moved and the last documents are not', async () => {
    const one = await projectInFolder();
    expect((await one.run(moveWords(one), LOCAL)).code).toBe(0);
    const [aside = ''] = setAsideIn(one);
    await inFolder(join(one.folder, aside), (storage) => storage.save('notes', 'late', { a: 1 }));
    const database = new DatabaseSync(join(one.folder, aside, 'store.db'));
    database.exec(`UPDATE documents SET data = 'damaged'`);
    database.close();
    mkdirSync(join(one.folder, 'moving'));
    const plan = JSON.stringify({ aside, fresh: [], same: [] });
    writeFileSync(join(one.folder, 'moving', 'documents.json'), plan);
    for (const args of [moveWords(one), ['store', 'clean', '--yes']]) {
      const failed = await one.run(args);
      expect(failed.code).toBe(1);
      expect(failed.err).toContain('the timeline is on the server now');
      expect(failed.err).toContain('carry them over with: savepoint store move --to server');
      expect(setAsideIn(one)).toHaveLength(1);
    }
  });

  it('stay on the server when the store has moved back and is cleaned up', async () => {
    const one = await projectInFolder();
    expect((await one.run(moveWords(one), LOCAL)).code).toBe(0);
    expect((await one.run(moveWords(one, 'folder'), LOCAL)).code).toBe(0);
    await onServer(one).save('notes', 'later', { value: 1 });
    expect((await one.run(['store', 'clean', '--yes'], LOCAL)).code).toBe(0);
    expect(await onServer(one).load('notes', 'later')).toEqual({ value: 1 });
  });
});

describe('a worktree that is being moved', () => {
  it('is seen by other machines only when all of it is compared', async () => {
    const one = await projectInFolder();
    const seen: unknown[] = [];
    const from = await sqliteStore({ directory: one.folder });
    const to = await postgresStore({ url, project: one.name, directory: `${one.folder}-server` });
    onTestFinished(() => Promise.all([from.close(), to.close()]).then(() => undefined));
    const onProgress = async () => void seen.push(await machines(one));
    await carryStore(from, to, { onProgress });
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.flat()).toEqual([]);
    expect(await machines(one)).toHaveLength(1);
  });

  it('is removed by a clean where the move was interrupted', async () => {
    const one = await projectInFolder();
    const moving = await interruptedMove(one);
    expect(await machines(one)).toHaveLength(1);
    expect((await one.run(['store'], LOCAL)).out).toContain(moving);
    expect((await one.run(['store', 'clean', '--yes'], LOCAL)).code).toBe(0);
    expect(existsSync(moving)).toBe(false);
    expect(await machines(one)).toEqual([]);
    expect((await one.run(['list'], LOCAL)).out).toContain('first');
  });

  it('does not get a second timeline in the folder by a program that passes no store', async () => {
    const one = await projectInFolder();
    expect((await one.run(moveWords(one), LOCAL)).code).toBe(0);
    const place = { project: one.root, home: one.home };
    await expect(openSavepoint(place)).rejects.toMatchObject({ code: 'store-on-server' });
    expect(existsSync(join(one.folder, 'store.db'))).toBe(false);
    const store = await postgresStore({ url, project: one.name, directory: one.folder });
    const savepoint = await openSavepoint({ ...place, store });
    expect(await savepoint.list({})).toHaveLength(1);
    await savepoint.close();
  });

  it('is not written to by a process that had it open before it went back to the folder', async () => {
    const one = await projectInFolder();
    expect((await one.run(moveWords(one), LOCAL)).code).toBe(0);
    const store = await postgresStore({ url, project: one.name, directory: one.folder });
    const savepoint = await openSavepoint({ project: one.root, home: one.home, store });
    onTestFinished(() => savepoint.close());
    expect((await one.run(moveWords(one, 'folder'), LOCAL)).code).toBe(0);
    const late = savepoint.checkpoint({ description: 'late' });
    await expect(late).rejects.toMatchObject({ code: 'store-closed' });
  });

  it('has the name of the machine that SAVEPOINT_MACHINE gives', async () => {
    const one = await projectInFolder();
    const env = { ...LOCAL.env, SAVEPOINT_MACHINE: 'desk' };
    expect((await one.run(moveWords(one), { env })).code).toBe(0);
    expect(await machines(one)).toEqual(['desk']);
  });
});
