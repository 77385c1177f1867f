import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { makeScratch, removeScratch } from '../../../test/e2e/scratch.ts';
import { ChildScript } from '../../../test/setup/child-script.ts';
import { sharedPostgres } from '../../../test/setup/shared-postgres.ts';
import { openSavepoint, type Savepoint } from '../../index.ts';
import { Database } from './database.ts';
import { postgresStore } from './postgres-store.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'];

const REWINDING = `
  import { existsSync } from 'node:fs';
  import { setTimeout } from 'node:timers/promises';
  import { openSavepoint } from '${new URL('../../index.ts', import.meta.url)}';
  import { postgresStore } from '${new URL('./postgres-store.ts', import.meta.url)}';
  const [, url, project, directory, to] = process.argv;
  const store = await postgresStore({ url, project: 'p', directory });
  const onProgress = async ({ step, done }) => {
    if (step !== 'swap' || done !== 2) return;
    console.log('in the middle');
    while (!existsSync(directory + '/go-on')) await setTimeout(5);
  };
  const savepoint = await openSavepoint({ project, store, onProgress });
  const { success } = await savepoint.rewind({ to });
  console.log('ended: ' + success);
  await savepoint.close();
`;

it('is not taken from a process that lost its connection in the middle of a rewind', async () => {
  const [project, directory] = [makeScratch(), makeScratch()];
  onTestFinished(() => [project, directory].forEach(removeScratch));
  const server = await ownDatabase();
  const open = async (): Promise<Savepoint> => {
    const store = await postgresStore({ url: server.url, project: 'p', directory });
    return openSavepoint({ project, store, lockTimeoutMs: 200 });
  };
  const first = await open();
  const to = await first.checkpoint({ sessionId: 's', messageId: '1' });
  const paths = NAMES;
  const capture = await first.captureBefore({ sessionId: 's', messageId: '1', paths });
  for (const name of NAMES) writeFileSync(join(project, name), `new ${name}`);
  await first.captureAfter(capture);
  await first.close();
  const files = (): string[] => NAMES.filter((name) => isThere(join(project, name)));

  const child = new ChildScript(REWINDING, server.url, project, directory, to.id);
  onTestFinished(() => child.kill());
  await child.says('in the middle');
  const half = files();
  expect(half.length).toBe(NAMES.length - 2);
  await server.cut();

  const second = await open();
  onTestFinished(() => second.close());
  expect(second.notices().map(({ code }) => code)).toEqual(['restore-unfinished']);
  const refused = second.checkpoint({ sessionId: 's', messageId: '2' });
  await expect(refused).rejects.toMatchObject({ code: 'store-locked' });
  expect(files()).toEqual(half);

  mkdirSync(join(directory, 'go-on'));
  await child.says('ended: true');
  expect(await child.ends()).toBe(0);
  await second.checkpoint({ sessionId: 's', messageId: '2' });
  expect(files()).toEqual([]);
  expect((await second.operations()).length).toBe(1);
});

it.each([
  ['its time is over', 'store-locked'],
  ['it is cancelled', 'aborted'],
])('is given back where %s between the lock and the fence', async (_, code) => {
  const directory = makeScratch();
  onTestFinished(() => removeScratch(directory));
  const server = await ownDatabase();
  const store = await postgresStore({ url: server.url, project: 'p', directory });
  onTestFinished(() => store.close());
  const others = await Database.open({ url: server.url });
  onTestFinished(() => others.close());

  await others.transaction(async (session) => {
    await session.query('SELECT id FROM worktrees FOR UPDATE');
    const giveUp = new AbortController();
    const isCancelled = code === 'aborted';
    const timeoutMs = isCancelled ? 60_000 : 300;
    const refused = store.lock({ timeoutMs, signal: giveUp.signal });
    const checked = expect(refused).rejects.toMatchObject({ code });
    await until(async () => (await advisoryLocks(others)) === 1);
    if (isCancelled) giveUp.abort();
    await checked;
  });
  expect(await advisoryLocks(others)).toBe(0);
  const lock = await store.lock({ timeoutMs: 5_000 });
  expect(await advisoryLocks(others)).toBe(1);
  lock.release();
  await until(async () => (await advisoryLocks(others)) === 0);
});

it('is given back although the end of an older connection is told while it is held', async () => {
  const directory = makeScratch();
  onTestFinished(() => removeScratch(directory));
  const server = await ownDatabase();
  const way = await wayWithSlowGoodbye(server.url);
  const options = { url: way.url, project: 'p', directory };
  const first = await postgresStore(options);
  const others = await Database.open({ url: server.url });
  onTestFinished(() => others.close());
  (await first.lock({ timeoutMs: 5_000 })).release();
  await until(async () => (await advisoryLocks(others)) === 0);
  way.isSlow = true;
  const closed = first.close();
  const second = await postgresStore(options);
  onTestFinished(() => second.close());
  const lock = await second.lock({ timeoutMs: 5_000 });
  await closed;
  await setTimeout(100);
  lock.release();
  await until(async () => (await advisoryLocks(others)) === 0);
});

/** A way to the server on which, once it is slow, nobody hears that the server has ended a connection. */
async function wayWithSlowGoodbye(to: string): Promise<{ readonly url: string; isSlow: boolean }> {
  const url = new URL(to);
  const port = Number(url.port);
  const way = { url: '', isSlow: false };
  const door = createServer({ allowHalfOpen: true }, (socket) => {
    const server = connect(port, url.hostname);
    for (const one of [socket, server]) one.on('error', () => {});
    server.pipe(socket, { end: false });
    socket.pipe(server);
    socket.on('close', () => server.destroy());
    server.on('close', () => !way.isSlow && socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(door, 'listening');
  onTestFinished(() => void door.close());
  url.port = String((door.address() as AddressInfo).port);
  way.url = url.href;
  return way;
}

async function advisoryLocks(database: Database): Promise<number> {
  const [row] = await database.query<{ readonly count: number }>(`
    SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE locktype = 'advisory' AND granted AND datname = current_database()`);
  return row?.count ?? 0;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  await expect.poll(isSo, { timeout: 10_000, interval: 20 }).toBe(true);
}

function isThere(path: string): boolean {
  try {
    return readFileSync(path) !== null;
  } catch {
    return false;
  }
}

/** A database of its own, so that all its connections can be cut. */
async function ownDatabase(): Promise<{ readonly url: string; cut(): Promise<void> }> {
  const url = new URL(await sharedPostgres());
  const name = `cut_${randomUUID().replaceAll('-', '_')}`;
  const main = await Database.open({ url: url.href });
  onTestFinished(() => main.close());
  await main.query(`CREATE DATABASE ${name}`);
  url.pathname = name;
  const cut = async (): Promise<void> => {
    const sql = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1';
    await main.query(sql, [name]);
  };
  return { url: url.href, cut };
}
