import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeScratch, removeScratch } from '../../../test/e2e/scratch.ts';
import { PostgresServer } from '../../../test/setup/postgres-server.ts';
import { sharedPostgres } from '../../../test/setup/shared-postgres.ts';
import { isSavepointError, type SavepointError } from '../../model/errors.ts';
import { changeOf, checkpointOf, pathOf, sessionOf } from '../../testing/store/samples.ts';
import { currentSeq } from '../find.ts';
import type { Store } from '../store.ts';
import { Database } from './database.ts';
import { type PostgresStoreOptions, postgresStore } from './postgres-store.ts';

async function open(more: Partial<PostgresStoreOptions> = {}): Promise<Store> {
  const directory = more.directory ?? newFolder();
  const store = await postgresStore({
    url: await sharedPostgres(),
    project: randomUUID(),
    ...more,
    directory,
  });
  onTestFinished(() => store.close());
  return store;
}

function newFolder(): string {
  const folder = makeScratch();
  onTestFinished(() => removeScratch(folder));
  return folder;
}

async function failureOf(work: Promise<unknown>): Promise<SavepointError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!isSavepointError(error)) throw new Error(`no error of ours: ${error}`);
  return error;
}

describe('opening a store on PostgreSQL', () => {
  it('refuses tables of another format, and leaves them as they are', async () => {
    const schema = `format_${randomUUID().replaceAll('-', '_')}`;
    await open({ schema });
    const database = await Database.open({ url: await sharedPostgres(), schema });
    onTestFinished(() => database.close());
    await database.transaction((session) => session.run('UPDATE format SET number = 99'));
    expect((await failureOf(open({ schema }))).code).toBe('store-too-new');
    expect(await database.query('SELECT count(*) FROM projects')).toEqual([{ count: 1 }]);
  });

  it('makes nothing where nothing may be made', async () => {
    const schema = `none_${randomUUID().replaceAll('-', '_')}`;
    expect((await failureOf(open({ schema, create: false }))).code).toBe('store-missing');
    await open({ schema });
    expect((await failureOf(open({ schema, create: false }))).code).toBe('store-missing');
  });

  it('makes the tables once where many come at the same moment', async () => {
    const schema = `many_${randomUUID().replaceAll('-', '_')}`;
    const options = { schema, project: 'one', directory: newFolder() };
    const stores = await Promise.all([1, 2, 3, 4].map(() => open(options)));
    await stores[0]?.timeline.commit({ base: 0, checkpoints: [checkpointOf(1)] });
    for (const store of stores) expect(await currentSeq(store)).toBe(1);
  });

  it.each([
    ['no URL', { url: 'dummy-secret' }],
    ['the URL of something else', { url: 'https://user:dummy-secret@127.0.0.1/' }],
    ['settings in the URL', { url: 'postgres://user:dummy-secret@127.0.0.1/a?sslmode=disable' }],
    ['a schema that is no name', { schema: 'a; DROP TABLE x' }],
    ['a project without a name', { project: '' }],
    ['a project with NUL in its name', { project: 'a\0b' }],
  ])('refuses %s, and does not repeat it', async (_, options) => {
    const error = await failureOf(open(options));
    expect(error.code).toBe('argument-invalid');
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('dummy-secret');
  });

  it('asks neither the environment nor the home directory', async () => {
    const url = new URL(await sharedPostgres());
    const wrong = {
      PGHOST: '192.0.2.1',
      PGPORT: '1',
      PGUSER: 'x',
      PGPASSWORD: 'x',
      PGDATABASE: 'x',
    };
    const before = { ...process.env };
    onTestFinished(() => {
      for (const name of Object.keys(wrong)) delete process.env[name];
      Object.assign(process.env, before);
    });
    Object.assign(process.env, wrong, { PGOPTIONS: '-c search_path=pg_catalog' });
    delete before.PGOPTIONS;
    onTestFinished(() => {
      delete process.env.PGOPTIONS;
    });
    await open();
    process.env.PGPASSWORD = url.password;
    url.password = '';
    expect((await failureOf(open({ url: url.href }))).code).toBe('store-unreachable');
  });
});

describe('rows that somebody changed behind our back', () => {
  it.each([
    ['changes', 'before_mode = 33188'],
    ['heads', 'seq = seq + 1'],
    ['sessions', "agent = 'other'"],
    ['checkpoints', "description = 'other'"],
  ])('are noticed before a restore: %s', async (table, change) => {
    const project = randomUUID();
    const store = await open({ project });
    await store.timeline.commit({
      base: 0,
      sessions: [sessionOf('s')],
      checkpoints: [checkpointOf(1)],
      changes: [changeOf(2, 'a')],
    });
    const verify = (): Promise<void> => store.maintain('verify', [pathOf('a')], checkpointOf(1).id);
    await verify();
    await store.maintain('verify', null, null);
    const database = await Database.open({ url: await sharedPostgres() });
    onTestFinished(() => database.close());
    const sql = `
      UPDATE ${table} SET ${change}
      WHERE worktree = (
        SELECT worktrees.id FROM worktrees JOIN projects ON projects.id = project WHERE name = $1)`;
    await database.transaction((session) => session.run(sql, [project]));
    expect((await failureOf(verify())).code).toBe('store-corrupt');
  });
});

describe('credentials', () => {
  it('appear in no error, whatever goes wrong', async () => {
    const right = new URL(await sharedPostgres());
    const urls = [
      Object.assign(new URL(right), { password: 'dummy-secret' }),
      Object.assign(new URL(right), { username: 'nobody', password: 'dummy-secret' }),
      Object.assign(new URL(right), { port: '1', password: 'dummy-secret' }),
      Object.assign(new URL(right), { hostname: 'nowhere.invalid', password: 'dummy-secret' }),
    ];
    for (const { href } of urls) {
      const error = await failureOf(open({ url: href, connectTimeoutMs: 3_000 }));
      expect(error.code).toBe('store-unreachable');
      const said = `${inspect(error, { depth: 20, showHidden: true })}${JSON.stringify(error)}`;
      expect(said).not.toContain('dummy-secret');
    }
  });
});

const HAS_OPENSSL = spawnSync('openssl', ['version']).status === 0;

describe('a server that goes away', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start({ tls: HAS_OPENSSL });
  });
  afterAll(() => server.stop());

  it.skipIf(!HAS_OPENSSL)('is reached through TLS, if its certificate is trusted', async () => {
    const options = { url: server.url, tls: { ca: `${server.certificate}` } };
    const store = await open(options);
    expect(await currentSeq(store)).toBe(0);
    const database = await Database.open(options);
    onTestFinished(() => database.close());
    const sql = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
    expect(await database.query(sql)).toEqual([{ ssl: true }]);
    const distrusted = await failureOf(open({ url: server.url, tls: true }));
    expect(distrusted.code).toBe('store-unreachable');
    expect((await failureOf(open({ tls: true }))).code).toBe('store-unreachable');
  });

  it('is an error that has a code, and the next call finds it again', async () => {
    const store = await open({ url: server.url });
    await store.timeline.commit({ base: 0, checkpoints: [checkpointOf(1)] });
    const lock = await store.lock({ timeoutMs: 1_000 });
    await server.kill();
    const calls: readonly (() => Promise<unknown>)[] = [
      () => store.state(),
      () => store.timeline.commit({ base: 1, checkpoints: [checkpointOf(2)] }),
      () => store.documents.list('category'),
      () => store.maintain('stats'),
    ];
    for (const call of calls) {
      const error = await failureOf(call());
      expect(error.code).toBe('store-unreachable');
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('dummy');
    }
    lock.release();
    expect((await failureOf(store.lock({ timeoutMs: 1_000 }))).code).toBe('store-unreachable');
    await server.resume();
    expect(await currentSeq(store)).toBe(1);
    const held = await store.lock({ timeoutMs: 10_000 });
    await store.timeline.commit({ base: 1, checkpoints: [checkpointOf(2)] });
    held.release();
    expect(await currentSeq(store)).toBe(2);
  });

  it('takes the lock along: who lost it to another cannot commit', async () => {
    const project = randomUUID();
    const options = { url: server.url, project, directory: newFolder() };
    const [one, two] = [await open(options), await open(options)];
    await one.timeline.commit({ base: 0, sessions: [sessionOf('s')] });
    const lost = await one.lock({ timeoutMs: 1_000 });
    await cutLocks(server.url);
    // The queue of this process would hand the lock over in order: the other comes as another process would.
    await raiseFence(server.url, project);
    const late = one.timeline.commit({ base: 0, sessions: [sessionOf('late')] });
    expect((await failureOf(late)).code).toBe('store-moved-on');
    lost.release();
    const held = await two.lock({ timeoutMs: 10_000 });
    await two.timeline.commit({ base: 0, sessions: [sessionOf('t')] });
    held.release();
    expect((await one.timeline.sessions()).map(({ id }) => id)).toEqual(['s', 't']);
  });

  it('keeps a lock that nobody else took while the connection was gone', async () => {
    const store = await open({ url: server.url });
    const lock = await store.lock({ timeoutMs: 1_000 });
    await cutLocks(server.url);
    await store.timeline.commit({ base: 0, checkpoints: [checkpointOf(1)] });
    lock.release();
    (await store.lock({ timeoutMs: 10_000 })).release();
  });
});

/** Ends every connection that holds an advisory lock, as a broken network would. */
async function cutLocks(url: string): Promise<void> {
  const database = await Database.open({ url });
  await database.query(`
    SELECT pg_terminate_backend(pid) FROM pg_locks
    WHERE locktype = 'advisory' AND pid <> pg_backend_pid()`);
  await database.close();
}

async function raiseFence(url: string, project: string): Promise<void> {
  const database = await Database.open({ url });
  const sql = `
    UPDATE worktrees SET fence = fence + 1
    WHERE project = (SELECT id FROM projects WHERE name = $1)`;
  await database.transaction((session) => session.run(sql, [project]));
  await database.close();
}
