import { randomUUID } from 'node:crypto';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeScratch, removeScratch } from '../../../test/e2e/scratch.ts';
import { sharedPostgres } from '../../../test/setup/shared-postgres.ts';
import {
  assertMissing,
  assertReadable,
  baselineOf,
  changeOf,
  checkpointOf,
  commit,
  fileOf,
  groupsOf,
  journalOf,
  noiseBlob,
  pathOf,
  rejectsWith,
  textBlob,
} from '../../testing/store/samples.ts';
import { currentSeq } from '../find.ts';
import { hashToBytes } from '../state-columns.ts';
import type { Blob, Store } from '../store.ts';
import { DEFAULT_SCHEMA } from './connect.ts';
import { Database, type Writing } from './database.ts';
import { alone } from './documents.ts';
import { type PostgresStoreOptions, postgresStore } from './postgres-store.ts';

function newFolder(): string {
  const folder = makeScratch();
  onTestFinished(() => removeScratch(folder));
  return folder;
}

async function open(more: Partial<PostgresStoreOptions> = {}): Promise<Store> {
  const place = { project: randomUUID(), directory: more.directory ?? newFolder() };
  const store = await postgresStore({ url: await sharedPostgres(), ...place, ...more });
  onTestFinished(() => store.close());
  return store;
}

/** Two machines on one project. */
async function openTwo(): Promise<readonly [Store, Store]> {
  const project = randomUUID();
  return [await open({ project, machine: 'one' }), await open({ project, machine: 'two' })];
}

async function onServer(sql: string, values: readonly unknown[]): Promise<object[]> {
  const database = await Database.open({ url: await sharedPostgres() });
  try {
    return await database.transaction((session) => session.query(sql, values));
  } finally {
    await database.close();
  }
}

/** Puts a file into a timeline. */
function put(store: Store, path: string, blob: Blob): Promise<void> {
  return store.state().then(({ seq }) =>
    commit(store, {
      blobs: [blob],
      changes: [changeOf(seq + 1, path, { after: fileOf(blob) })],
    }),
  );
}

describe('worktrees of one project', () => {
  it('are removed by others when their machine is gone, and never while it is at work', async () => {
    const [one, two] = await openTwo();
    await put(one, 'a', textBlob('one'));
    for (const store of [one, two]) {
      await store.setProject({ root: '/r', inode: '1', birthtimeNs: '1' });
    }
    const all = (await one.worktrees?.list()) ?? [];
    const idOf = (name: string) => all.find(({ machine }) => machine === name)?.id ?? '';
    const remove = async (name: string) => one.worktrees?.remove(idOf(name));
    await rejectsWith(remove('one'), 'worktree-not-found');
    const lock = await two.lock({ timeoutMs: 1_000 });
    await rejectsWith(remove('two'), 'store-locked');
    lock.release();
    await expect.poll(() => remove('two').then(() => 'removed', String)).toBe('removed');
    await rejectsWith(remove('two'), 'worktree-not-found');
    expect(await one.worktrees?.list()).toHaveLength(1);
    expect(await one.timeline.heads()).toHaveLength(1);
    await rejectsWith(put(two, 'b', textBlob('two')), 'store-corrupt');
  });

  it('have timelines of their own, and contents in common', async () => {
    const project = randomUUID();
    const [one, two] = [await open({ project }), await open({ project })];
    const blob = noiseBlob(3_000_000);
    await commit(one, { checkpoints: [checkpointOf(1)] });
    await put(one, 'a', blob);
    await put(two, 'b', blob);
    expect([await currentSeq(one), await currentSeq(two)]).toEqual([2, 1]);
    expect((await two.timeline.heads()).map(({ path }) => path)).toEqual(['b']);
    expect(await two.timeline.checkpoints({})).toEqual([]);
    await assertReadable(two, blob);
    const sql = 'SELECT count(*) FROM pieces JOIN projects ON id = project WHERE name = $1';
    expect(await onServer(sql, [project])).toEqual([{ count: 3 }]);
  });

  it('do not wait for the lock of each other', async () => {
    const [one, two] = await openTwo();
    const lock = await one.lock({ timeoutMs: 1_000 });
    const other = await two.lock({ timeoutMs: 1_000 });
    await commit(one, { checkpoints: [checkpointOf(1)] });
    await commit(two, { checkpoints: [checkpointOf(1)] });
    lock.release();
    other.release();
  });

  it('lose no content to the prune of another, however it is named', async () => {
    const [one, two] = await openTwo();
    const [head, manifest, begun, gone] = ['head', 'manifest', 'begun', 'gone'].map(textBlob) as [
      Blob,
      Blob,
      Blob,
      Blob,
    ];
    await put(one, 'a', gone);
    await put(two, 'a', head);
    const step = { path: pathOf('x'), from: fileOf(begun), to: fileOf(begun) };
    const journal = journalOf({ steps: [step as never] });
    await commit(two, { blobs: [manifest, begun], baseline: baselineOf(1, manifest), journal });
    // A pack that no baseline names yet.
    await two.blobs.putMany(groupsOf([textBlob('waits')]));
    await put(one, 'a', textBlob('newer'));
    await one.maintain('prune', (await currentSeq(one)) + 1);
    await assertMissing(one, gone);
    await assertReadable(two, head, manifest, begun, textBlob('waits'));
    await one.maintain('purge', [pathOf('a')]);
    await assertReadable(two, head, manifest, begun, textBlob('waits'));
  });

  it('can commit beside the prune of another: what a commit names stays', async () => {
    const [one, two] = await openTwo();
    const blob = textBlob(
      `needed by nobody when the other machine begins to name it ${randomUUID()}`,
    );
    await put(one, 'a', blob);
    const { naming } = await asTransaction(
      async (session, { schema, project }) => {
        for (const first of alone(schema, project, 10_000).split(';')) await session.run(first);
        const naming = put(two, 'b', blob);
        await untilBlocked(session);
        await session.run('DELETE FROM blobs WHERE project = $1', [project]);
        return { naming };
      },
      [blob],
    );
    await naming;
    await assertReadable(two, blob);
  });

  it('store the same contents in the same order, so that nobody waits in a circle', async () => {
    const [one, two] = await openTwo();
    const blobs = [randomUUID(), randomUUID()].map(textBlob).sort((a, b) => (a.id < b.id ? -1 : 1));
    const [low, high] = blobs as [Blob, Blob];
    await commit(one, { blobs });
    const { storing } = await asTransaction(async (session, { project }) => {
      const sql = 'SELECT 1 FROM blobs WHERE project = $1 AND hash = $2 FOR UPDATE NOWAIT';
      await session.query(sql, [project, hashToBytes(low.id)]);
      const storing = commit(two, { blobs: [high, low] });
      await untilBlocked(session);
      await session.query(sql, [project, hashToBytes(high.id)]);
      return { storing };
    }, blobs);
    await storing;
  });
});

/** Runs `work` in a transaction that others can wait for. The project is the one that has these contents. */
async function asTransaction<Result>(
  work: (session: Writing, place: { schema: string; project: number }) => Promise<Result>,
  [blob]: readonly Blob[],
): Promise<Result> {
  const database = await Database.open({ url: await sharedPostgres() });
  onTestFinished(() => database.close());
  const sql = 'SELECT max(project) AS project FROM blobs WHERE hash = $1';
  const [row] = await database.query<{ project: number }>(sql, [hashToBytes((blob as Blob).id)]);
  const place = { schema: DEFAULT_SCHEMA, project: row?.project ?? 0 };
  return database.transaction((session) => work(session, place));
}

/** Until somebody waits for this transaction. */
async function untilBlocked(session: Writing): Promise<void> {
  const sql = `
    SELECT 1 FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))`;
  while ((await session.query(sql)).length === 0) {
    // The numbers of a transaction stay as they were until they are asked for anew.
    await session.query('SELECT pg_stat_clear_snapshot()');
  }
}

describe('the folder of a worktree', () => {
  it('finds its timeline again, and holds no credentials', async () => {
    const [project, directory] = [randomUUID(), newFolder()];
    await commit(await open({ project, directory }), { checkpoints: [checkpointOf(1)] });
    expect(await currentSeq(await open({ project, directory, create: false }))).toBe(1);
    const text = readFileSync(join(directory, 'server.json'), 'utf8');
    expect(Object.keys(JSON.parse(text))).toEqual(['name', 'project', 'worktree']);
    await rejectsWith(open({ project, create: false }), 'store-missing');
    await rejectsWith(open({ create: 'worktree' }), 'store-missing');
    expect(await currentSeq(await open({ project, create: 'worktree' }))).toBe(0);
  });

  it('is refused where the server has another project, or none, under its name', async () => {
    const [project, directory] = [randomUUID(), newFolder()];
    const schema = `other_${randomUUID().replaceAll('-', '_')}`;
    await open({ project, directory });
    // Another server, on which somebody has chosen the same name, or nobody yet.
    await rejectsWith(open({ project, directory, schema }), 'project-mismatch');
    await open({ project, schema });
    await rejectsWith(open({ project, directory, schema }), 'project-mismatch');
    await onServer("UPDATE projects SET name = name || ' moved' WHERE name = $1", [project]);
    await rejectsWith(open({ project, directory }), 'project-mismatch');
    await open({ project: `${project} moved`, directory });
  });

  it('is refused by a database that does not know the worktree any more', async () => {
    const [project, directory] = [randomUUID(), newFolder()];
    await open({ project, directory });
    const sql = 'DELETE FROM worktrees USING projects WHERE projects.id = project AND name = $1';
    await onServer(sql, [project]);
    await rejectsWith(open({ project, directory }), 'project-mismatch');
  });

  it('stands for the same worktree when it is copied: it is up to the engine to refuse it', async () => {
    const [project, directory, copy] = [randomUUID(), newFolder(), newFolder()];
    const store = await open({ project, directory });
    await store.setProject({ root: '/a', inode: '1', birthtimeNs: '2' });
    cpSync(join(directory, 'server.json'), join(copy, 'server.json'));
    const other = await open({ project, directory: copy });
    expect((await other.state()).project?.root).toBe('/a');
    // One lock for both, although the folders are two.
    const lock = await store.lock({ timeoutMs: 1_000 });
    await rejectsWith(other.lock({ timeoutMs: 50 }), 'store-locked');
    lock.release();
  });
});
