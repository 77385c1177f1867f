import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sharedPostgres } from '../setup/shared-postgres.ts';
import { MAIN, runNode } from './cli-project.ts';
import { PASSWORD, ServerProject, urlWithPassword } from './server-project.ts';

let url: string;
beforeAll(async () => {
  url = await urlWithPassword(await sharedPostgres());
});

function project(files: Readonly<Record<string, string>> = { 'a.txt': 'one\n' }): ServerProject {
  const made = new ServerProject(url, `project-${randomUUID()}`, files);
  onTestFinished(() => made.remove());
  return made;
}

/** The modules of Node that `savepoint list` loads. */
async function modulesOf(
  one: ServerProject,
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  const told = join(one.scratch, 'told.cjs');
  const file = join(one.scratch, 'modules.txt');
  const write = `require('node:fs').writeFileSync(${JSON.stringify(file)}, process.moduleLoadList.join())`;
  writeFileSync(told, `process.on('exit', () => ${write});`);
  await runNode(['--require', told, MAIN, 'list'], { cwd: one.root, env: one.env(env) });
  return readFileSync(file, 'utf8').split(',');
}

const APPEND = ['run', '--', 'sh', '-c', 'echo two >> a.txt'] as const;

describe('a project on a PostgreSQL server', () => {
  it('has the same commands: run, list, status, diff, rewind, undo, executions', async () => {
    const one = project();
    expect((await one.run(APPEND)).code).toBe(0);
    expect(one.read('a.txt')).toBe('one\ntwo\n');
    expect(existsSync(join(one.folder, 'store.db'))).toBe(false);
    const { value: list } = await one.json(['list']);
    expect(list.checkpoints).toMatchObject([{ description: expect.stringContaining('echo two') }]);
    const { value: status } = await one.json(['status']);
    const server = new URL(url);
    expect(status.store).toMatchObject({
      kind: 'server',
      server: `${server.host}/postgres`,
      project: one.name,
    });
    expect((await one.run(['diff', 'latest'])).out).toContain('+two');
    expect((await one.run(['rewind', 'latest', '--yes'])).code).toBe(0);
    expect(one.read('a.txt')).toBe('one\n');
    expect((await one.run(['undo', '--yes'])).code).toBe(0);
    expect(one.read('a.txt')).toBe('one\ntwo\n');
    expect((await one.json(['executions'])).code).toBe(0);
    expect((await one.run(['fsck'])).err).toContain('on a database server');
    const words = await one.run(['__complete', '--', 'rewind', '']);
    expect(words.code).toBe(0);
    expect(one.allWords()).not.toContain(PASSWORD);
  });

  it('is found again without the variable that named it', async () => {
    const one = project();
    await one.run(APPEND);
    const without = { env: { SAVEPOINT_DATABASE_PROJECT: '' } };
    expect((await one.run(['store'], without)).out).toContain(`project ${one.name}`);
    expect((await one.run(['list'], without)).out).toContain('echo two');
  });

  it('says what to set where nothing says where the server is', async () => {
    const one = project();
    await one.run(APPEND);
    const { code, err } = await one.run(['list'], { env: { SAVEPOINT_DATABASE_URL: '' } });
    expect(code).toBe(1);
    expect(err).toContain('SAVEPOINT_DATABASE_URL');
    expect((await one.run(['store'], { env: { SAVEPOINT_DATABASE_URL: '' } })).code).toBe(0);
  });

  it('leaves a project in a folder where it is, and loads nothing of the database for it', async () => {
    const one = project();
    const local = { env: { SAVEPOINT_DATABASE_PROJECT: '' } };
    await one.run(APPEND, local);
    expect(existsSync(join(one.folder, 'store.db'))).toBe(true);
    expect((await one.run(['store'])).out).not.toContain('Server');
    expect(await modulesOf(one, local.env)).not.toContain('NativeModule dns');
    const other = project();
    await other.run(APPEND);
    expect(await modulesOf(other, {})).toContain('NativeModule dns');
  });
});

describe('credentials', () => {
  it('appear in nothing that is printed or written, whatever goes wrong', async () => {
    const one = project();
    const wrong = Object.assign(new URL(url), { password: `${PASSWORD}-wrong` }).href;
    const urls = [
      url,
      wrong,
      Object.assign(new URL(url), { port: '1' }).href,
      Object.assign(new URL(url), { hostname: 'nowhere.invalid' }).href,
      `${url}?sslmode=require`,
      `not a URL ${PASSWORD}`,
    ];
    for (const broken of urls) {
      one.url = broken;
      const debug = { env: { SAVEPOINT_DEBUG: '1' } };
      for (const words of [
        ['run', '--', 'env'],
        ['status'],
        ['list', '--json'],
        ['config', '--json'],
        ['config'],
        ['config', 'databaseUrl'],
        ['store'],
        ['doctor'],
      ]) {
        if (words[0] === 'run' || broken === url) await one.run(words, debug);
        else await one.here(words);
      }
    }
    expect(one.printed).toContain('SAVEPOINT_HOME=');
    expect(one.allWords()).not.toContain(PASSWORD);
  });

  it.each([
    `postgres://user:/${PASSWORD}@host/db`,
    `postgres://user:4/${PASSWORD}@host/db`,
    `postgres://user:42#${PASSWORD}@host/db`,
    `postgres://user:42?${PASSWORD}@host/db`,
    `postgres://user:p@ss/${PASSWORD}@host/db`,
    `postgres://user:p@ss/${PASSWORD}/more@host/db`,
    `postgres://user:p@ss:5432/${PASSWORD}@host/db`,
    `postgres://user:p@ss#${PASSWORD}@host/db`,
    `postgres://user:p@,${PASSWORD}/db`,
    `postgres://:${PASSWORD}@host/db`,
    `postgres:/user:${PASSWORD}@host/db`,
    `postgres:user:${PASSWORD}@host/db`,
    `https://user:p@host/${PASSWORD}`,
    `//user:${PASSWORD}@host/db`,
    `user:${PASSWORD}@host/db`,
    `host=h password=${PASSWORD}`,
    `data:${PASSWORD}`,
  ])('of a URL that cannot be read appear nowhere: %s', async (broken) => {
    const one = project();
    one.url = broken;
    for (const words of [['store'], ['config'], ['config', 'databaseUrl']]) {
      for (const { out } of [await one.here(words), await one.here([...words, '--json'])]) {
        expect(out).toContain('not the URL of a server');
      }
    }
    for (const name of ['status', 'list', 'doctor']) {
      await one.here([name]);
      await one.here([name, '--json']);
    }
    await one.here(['save', '-m', 'x']);
    expect(one.allWords()).not.toContain(PASSWORD);
  });

  it('are not taken from a command line, nor from a file of the project', async () => {
    const one = project({ 'savepoint.config.json': JSON.stringify({ databaseUrl: url }) });
    const refused = await one.run(['config', 'databaseUrl', 'postgres://dummy']);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('config.json');
    const none = { env: { SAVEPOINT_DATABASE_URL: '' } };
    const { err } = await one.run(['save', '-m', 'x'], none);
    expect(err).toContain('for your own file');
    expect(err).toContain('nothing says where');
    expect(readdirSync(one.home)).not.toContain('server.json');
    expect(readFileSync(join(one.root, 'savepoint.config.json'), 'utf8')).toContain(PASSWORD);
    expect(one.printed).not.toContain(PASSWORD);
  });
});
