import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ProjectStorage } from '../../src/execution/index.ts';
import { openSavepoint, sqliteStore } from '../../src/index.ts';
import { monotonicMs } from '../../src/model/clock.ts';
import { Database } from '../../src/store/postgres/database.ts';
import { numberFrom, randomFrom } from '../crash/campaign.ts';
import { CAMPAIGN_TIMEOUT_MS } from '../property/campaign.ts';
import { sharedPostgres } from '../setup/shared-postgres.ts';
import { MAIN } from './cli-project.ts';
import { PASSWORD, ServerProject, urlWithPassword } from './server-project.ts';
import { treeOf } from './tree-of.ts';

const KILLS = numberFrom('SAVEPOINT_MOVE_KILLS', 1);
const SEED = numberFrom('SAVEPOINT_CRASH_SEED', 20_260_101);

let url: string;
beforeAll(async () => {
  url = await urlWithPassword(await sharedPostgres());
});

/** A project in a folder, with something of everything that a timeline can hold. */
async function richProject(): Promise<ServerProject> {
  const one = new ServerProject(url, `moved-${randomUUID()}`, {
    'a.txt': 'one\n',
    'kept.txt': 'held by git\n',
    '.gitignore': '.env\n',
    '.env': 'KEY=dummy\n',
  });
  onTestFinished(() => one.remove());
  const git = (...args: string[]): Buffer =>
    execFileSync('git', ['-c', 'user.name=dummy', '-c', 'user.email=dummy@example.com', ...args], {
      cwd: one.root,
      env: { PATH: process.env.PATH ?? '', HOME: one.scratch, GIT_CONFIG_NOSYSTEM: '1' },
      stdio: 'pipe',
    });
  git('init', '--quiet');
  git('add', 'a.txt', 'kept.txt', '.gitignore');
  git('commit', '--quiet', '--message', 'first');
  git('repack', '--quiet', '-a', '-d');
  const savepoint = await openSavepoint({ project: one.root, home: one.home, scan: true });
  await savepoint.scan();
  for (let turn = 1; turn <= 3; turn += 1) {
    const message = { sessionId: `s${turn % 2}`, messageId: `m${turn}`, agent: 'test-agent' };
    const window = await savepoint.openWindow({ ...message, description: `turn ${turn}` });
    one.write('a.txt', `one\n${turn}\n`);
    one.write(`dir/${turn}.txt`, `${turn}\n`.repeat(turn * 1_000));
    one.write('.env', `KEY=dummy-${turn}\n`);
    await savepoint.closeWindow(window.id);
  }
  const [newest] = await savepoint.list({ limit: 1 });
  await savepoint.label(newest?.id ?? '', 'a label');
  await savepoint.rewind({ to: newest?.id ?? '' });
  await savepoint.undo();
  const run = await savepoint.execution('exec');
  await run.step('first', (context) => context.files.write('step.txt', 'done\n'));
  await run.step('second', async () => ({
    list: Array.from({ length: 300 }, (_, at) => ({ at })),
  }));
  await run.leave();
  // Only the heads of some paths are left afterwards.
  await savepoint.prune({ keep: 2 }, { retentionDays: 7, idleDays: 30 } as never);
  const open = { sessionId: 's1', messageId: 'm9', agent: 'test-agent', description: 'still runs' };
  await savepoint.openWindow(open);
  await savepoint.close();
  const store = await sqliteStore({ directory: one.folder });
  await new ProjectStorage({ store }).save('notes', 'a\0b', { big: 'x'.repeat(10_000) });
  await store.close();
  return one;
}

/** Everything that a person or a program can see of a timeline; of `most` checkpoints the trees and plans. */
async function pictureOf(one: ServerProject, most = 4): Promise<unknown> {
  const asked = async (...args: string[]): Promise<unknown> => {
    const { code, out, err } = await one.here([...args, '--json']);
    expect(err).toBe('');
    return { code, ...JSON.parse(out) };
  };
  const list = (await asked('list')) as { checkpoints: { id: string }[] };
  const each = [];
  for (const { id } of list.checkpoints.slice(0, most)) {
    const tree = join(one.scratch, `tree-${randomUUID()}`);
    const { code } = await one.here(['materialize', id, tree]);
    const plan = await asked('rewind', id, '--dry-run');
    each.push({ diff: await asked('diff', id), plan, tree: code === 0 ? treeOf(tree) : null });
  }
  const shown = [];
  for (const { id } of list.checkpoints) shown.push(await asked('show', id));
  const {
    store: _,
    stats: __,
    worktree,
    ...status
  } = (await asked('status')) as Record<string, unknown>;
  // A file whose time could be a whole millisecond counts as pending for two seconds: the stat index, which stays behind
  // when a store moves, cannot tell whether it has changed since.
  const { fromGit, sharedBytes, pending, ...covered } = worktree as Record<string, unknown>;
  return {
    list,
    each,
    shown,
    sessions: await asked('sessions'),
    ops: await asked('ops'),
    execution: await asked('executions', 'show', 'exec'),
    state: await asked('executions', 'diff', 'exec'),
    status: { ...status, covered },
  };
}

const LOCAL = { SAVEPOINT_DATABASE_PROJECT: '' };

function moveWords(one: ServerProject, to: 'server' | 'folder'): string[] {
  return ['store', 'move', '--to', to, '--yes', ...(to === 'server' ? [one.name] : [])];
}

async function kindOf(one: ServerProject): Promise<unknown> {
  return (JSON.parse((await one.here(['store', '--json'])).out).store as { kind: string }).kind;
}

function projectsCalled(name: string): Promise<number> {
  return rowsOf('SELECT 1 FROM projects WHERE name = $1', name);
}

function worktreesOf(name: string): Promise<number> {
  return rowsOf(
    'SELECT 1 FROM worktrees JOIN projects ON projects.id = project WHERE name = $1',
    name,
  );
}

async function rowsOf(sql: string, project: string): Promise<number> {
  const database = await Database.open({ url });
  try {
    return (await database.query(sql, [project])).length;
  } finally {
    await database.close();
  }
}

describe('savepoint store move', () => {
  it('carries everything to a server and back, and a rewind has the same result', async () => {
    const one = await richProject();
    const before = await pictureOf(one);
    const moved = await one.run(moveWords(one, 'server'), { env: LOCAL });
    expect(moved).toMatchObject({ code: 0, err: '' });
    expect(await kindOf(one)).toBe('server');
    expect(existsSync(join(one.folder, 'store.db'))).toBe(false);
    expect(await pictureOf(one)).toEqual(before);
    const back = await one.run(moveWords(one, 'folder'), { env: LOCAL });
    expect(back).toMatchObject({ code: 0, err: '' });
    expect(await kindOf(one)).toBe('folder');
    expect(await pictureOf(one)).toEqual(before);
    expect((await one.here(['fsck'])).code).toBe(0);
    expect((await one.here(['rewind', 'a label', '--yes', '--force'])).code).not.toBe(1);
    expect(readdirSync(one.folder).filter((name) => name.startsWith('set-aside-'))).toHaveLength(2);
    expect(await projectsCalled(one.name)).toBe(1);
    expect((await one.run(['store', 'clean', '--yes'])).code).toBe(0);
    expect(readdirSync(one.folder).filter((name) => name.startsWith('set-aside-'))).toEqual([]);
    // Its documents are there for other programs too, so they stay.
    expect(await projectsCalled(one.name)).toBe(1);
    expect(await worktreesOf(one.name)).toBe(0);
    expect((await one.here(['list'])).code).toBe(0);
    expect(one.allWords()).not.toContain(PASSWORD);
  });

  it(
    'loses nothing when it is killed, and works the next time',
    async () => {
      const one = await richProject();
      const before = await pictureOf(one, 1);
      const random = randomFrom(SEED);
      const began = monotonicMs();
      await one.run(moveWords(one, 'server'));
      const duration = monotonicMs() - began;
      for (let kill = 0; kill < KILLS; kill += 1) {
        const to = (await kindOf(one)) === 'server' ? 'folder' : 'server';
        const child = spawn(process.execPath, [MAIN, ...moveWords(one, to)], {
          cwd: one.root,
          env: one.env(LOCAL),
          stdio: 'ignore',
        });
        const closed = once(child, 'close');
        await setTimeout(random() * duration);
        child.kill('SIGKILL');
        await closed;
        expect(await pictureOf(one, 1)).toEqual(before);
        if ((await kindOf(one)) !== to) {
          expect(await one.run(moveWords(one, to))).toMatchObject({ code: 0, err: '' });
          expect(await kindOf(one)).toBe(to);
          expect(await pictureOf(one, 1)).toEqual(before);
        }
      }
    },
    CAMPAIGN_TIMEOUT_MS,
  );

  it('refuses what makes no sense, and leaves everything as it is', async () => {
    const one = new ServerProject(url, `moved-${randomUUID()}`, { 'a.txt': 'one\n' });
    onTestFinished(() => one.remove());
    const local = { env: LOCAL };
    expect((await one.run(['store', 'move', '--to', 'server', one.name], local)).code).toBe(4);
    await one.run(['save', '-m', 'x'], local);
    expect((await one.run(['store', 'move', '--to', 'folder'], local)).code).toBe(1);
    expect((await one.run(['store', 'move', 'website'], local)).code).toBe(2);
    expect((await one.run(['store', 'join', one.name], local)).code).toBe(1);
    const away = { env: { ...LOCAL, SAVEPOINT_DATABASE_URL: 'postgres://a:dummy@127.0.0.1:1/b' } };
    expect((await one.run(moveWords(one, 'server'), away)).code).toBe(1);
    expect(await kindOf(one)).toBe('folder');
    expect((await one.run(moveWords(one, 'server'), local)).code).toBe(0);
    expect((await one.run(moveWords(one, 'server'), local)).code).toBe(1);
  });

  it('lets a second folder join the project, with a timeline of its own', async () => {
    const one = new ServerProject(url, `moved-${randomUUID()}`, { 'a.txt': 'one\n' });
    const two = new ServerProject(url, '', { 'a.txt': 'one\n' });
    onTestFinished(() => one.remove());
    onTestFinished(() => two.remove());
    expect((await two.here(['store', 'join', one.name])).code).toBe(4);
    await one.run(['save', '-m', 'of the first']);
    expect((await two.here(['store', 'join', one.name])).code).toBe(0);
    await two.run(['save', '-m', 'of the second']);
    expect((await two.here(['list'])).out).toContain('of the second');
    expect((await one.here(['list'])).out).not.toContain('of the second');
  });
});
