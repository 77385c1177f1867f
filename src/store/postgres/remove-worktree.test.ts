import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeScratch, removeScratch } from '../../../test/e2e/scratch.ts';
import { sharedPostgres } from '../../../test/setup/shared-postgres.ts';
import { changeOf, commit, fileOf, textBlob } from '../../testing/store/samples.ts';
import { Database } from './database.ts';
import { PostgresStorage } from './postgres-storage.ts';
import { type PostgresStoreOptions, postgresStore } from './postgres-store.ts';
import { removeWorktree } from './worktrees.ts';

/** A worktree with one content, whose store is closed. */
async function worktreeOf(project: string): Promise<PostgresStoreOptions> {
  const directory = makeScratch();
  onTestFinished(() => removeScratch(directory));
  const options = { url: await sharedPostgres(), project, directory };
  const store = await postgresStore(options);
  const blob = textBlob('one');
  await commit(store, { blobs: [blob], changes: [changeOf(1, 'a', { after: fileOf(blob) })] });
  await store.close();
  return options;
}

async function storageOf(project: string): Promise<PostgresStorage> {
  const storage = new PostgresStorage({ url: await sharedPostgres(), project });
  onTestFinished(() => storage.close());
  return storage;
}

async function database(): Promise<Database> {
  const opened = await Database.open({ url: await sharedPostgres() });
  onTestFinished(() => opened.close());
  return opened;
}

/** How many rows of a table the project has. */
async function count(table: string, project: string): Promise<number> {
  const of = table === 'projects' ? 'projects.id' : `${table}.project`;
  const from = table === 'projects' ? 'projects' : `${table} JOIN projects ON projects.id = ${of}`;
  const sql = `SELECT count(*)::integer AS rows FROM ${from} WHERE projects.name = $1`;
  return (await (await database()).query<{ rows: number }>(sql, [project]))[0]?.rows ?? -1;
}

describe('removeWorktree', () => {
  it('removes the project with the last worktree where nothing else is in it', async () => {
    const project = randomUUID();
    const [one, two] = [await worktreeOf(project), await worktreeOf(project)];
    await removeWorktree(one);
    expect([await count('worktrees', project), await count('blobs', project)]).toEqual([1, 1]);
    await removeWorktree(two);
    expect(await count('projects', project)).toBe(0);
  });

  it('leaves the documents of a project that programs use without a worktree', async () => {
    const project = randomUUID();
    const storage = await storageOf(project);
    await storage.save('notes', 'a', { value: 1 });
    await removeWorktree(await worktreeOf(project));
    expect(await storage.load('notes', 'a')).toEqual({ value: 1 });
    expect([await count('worktrees', project), await count('blobs', project)]).toEqual([0, 0]);
  });

  it('removes the documents that are named, unless somebody has saved them anew', async () => {
    const project = randomUUID();
    const options = await worktreeOf(project);
    const storage = await storageOf(project);
    for (const key of ['same', 'other']) await storage.save('notes', key, { value: key });
    const store = await postgresStore(options);
    const documents = await store.documents.list('notes');
    await store.close();
    await storage.save('notes', 'other', { value: 'newer' });
    await removeWorktree({ ...options, documents });
    expect(await storage.list('notes')).toEqual(['other']);
  });

  it('leaves a worktree that is being made meanwhile, and its project', async () => {
    const project = randomUUID();
    const options = await worktreeOf(project);
    const sql = `
      INSERT INTO worktrees (id, project, uuid, machine, active_at)
      SELECT (SELECT max(id) + 1000 FROM worktrees WHERE project = projects.id), id, $2, 'm', 0
      FROM projects WHERE name = $1`;
    let removed: Promise<void> | undefined;
    await (await database()).transaction(async (session) => {
      await session.run(sql, [project, randomUUID()]);
      removed = removeWorktree(options);
      await Promise.race([removed, setTimeout(300)]);
    });
    await removed;
    expect([await count('projects', project), await count('worktrees', project)]).toEqual([1, 1]);
  });
});
