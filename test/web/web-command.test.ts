import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { CliProject, MAIN, PATH } from '../e2e/cli-project.ts';
import { expectSchema } from '../e2e/json-schema.ts';
import { Terminal } from '../e2e/terminal.ts';

let project: CliProject;
let child: ChildProcess | null = null;
beforeEach(async () => {
  project = new CliProject({ a: 'one\n' });
  await project.agent({
    message: 'm1',
    paths: ['a'],
    work: () => project.write('a', 'two\n'),
  });
  // The page that other tests build may not be there yet; any will do.
  const page = join(inject('built'), 'dist', 'web');
  mkdirSync(page, { recursive: true });
  if (!existsSync(join(page, 'index.html'))) {
    writeFileSync(join(page, 'index.html'), '<!doctype html><title>Savepoint</title>');
  }
});
afterEach(async () => {
  if (child !== null && child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  child = null;
  await project.remove();
});

interface Printed {
  readonly url: string;
  readonly port: number;
  readonly oneTimeUrl: string | null;
}

/** Starts the command, and gives the first line that it prints. */
async function start(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  child = spawn(process.execPath, [MAIN, 'web', ...args], {
    cwd: project.root,
    env: { ...project.env(), PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [line] = (await once(lines, 'line')) as [string];
  return line;
}

async function end(signal: NodeJS.Signals): Promise<number | null> {
  child?.kill(signal);
  const [code] = (await once(child as ChildProcess, 'exit')) as [number | null];
  return code;
}

const leftovers = (): string[] => readdirSync(project.home).filter((one) => one.startsWith('web-'));

async function keyFor(address: string): Promise<Response> {
  const { origin, hash } = new URL(address);
  return fetch(`${origin}/api/key`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ token: hash.replace('#token=', '') }),
  });
}

describe('savepoint web', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'prints its address for programs, and ends with %s without leaving a file',
    async (signal) => {
      const line = await start(['--no-open', '--json']);
      expectSchema('web', line);
      const { url, port, oneTimeUrl } = JSON.parse(line) as Printed;
      expect(url).toBe(`http://127.0.0.1:${port}/`);
      expect(leftovers()).toHaveLength(1);
      const response = await keyFor(oneTimeUrl ?? '');
      const { key } = (await response.json()) as { key: string };
      const asked = await fetch(`${url}api/projects`, { headers: { 'x-savepoint-key': key } });
      expect(await asked.json()).toMatchObject({
        here: expect.any(String),
        projects: [{ root: project.root, health: 'ok' }],
      });
      expect(await end(signal)).toBe(0);
      expect(leftovers()).toEqual([]);
    },
  );

  it('opens the browser on a private file, and shows no token in arguments or output, and no credentials to it', async () => {
    const programs = join(project.scratch, 'programs');
    const seen = join(project.scratch, 'seen');
    mkdirSync(programs);
    writeFileSync(
      join(programs, 'xdg-open'),
      `#!/bin/sh\nprintf '%s\\n' "$@" > "${seen}.new"\ncat "$1" >> "${seen}.new"\nenv > "${seen}.env"\nmv "${seen}.new" "${seen}"\n`,
    );
    chmodSync(join(programs, 'xdg-open'), 0o755);
    const line = await start(['--json'], {
      PATH: `${programs}:${PATH}`,
      DISPLAY: ':0',
      SAVEPOINT_DATABASE_URL: 'postgres://user:dummy-password@127.0.0.1/db',
    });
    expect((JSON.parse(line) as Printed).oneTimeUrl).toBeNull();
    while (!existsSync(seen)) await pause(10);
    const [file = '', ...page] = readFileSync(seen, 'utf8').split('\n');
    expect(dirname(dirname(file))).toBe(project.home);
    const [address = ''] = /http:\/\/[^"]*#token=[\w-]+/.exec(page.join('\n')) ?? [];
    expect((await keyFor(address)).status).toBe(200);
    expect((await keyFor(address)).status).toBe(401);
    const environment = readFileSync(`${seen}.env`, 'utf8');
    expect(environment).toContain('DISPLAY=:0');
    expect(environment).not.toContain('dummy-password');
    expect(await end('SIGINT')).toBe(0);
  });

  it.each([
    ['a browser', ['web'], /press Enter to open it again.*type: savepoint web --no-open/],
    ['an address', ['web', '--no-open'], /#token=.*press Enter for a new address/],
  ])('tells a person at a terminal how to get in with %s', async (_, words, said) => {
    const programs = join(project.scratch, 'programs');
    mkdirSync(programs);
    writeFileSync(join(programs, 'xdg-open'), '#!/bin/sh\n', { mode: 0o755 });
    const env = { ...project.env(), PATH: `${programs}:${PATH}`, DISPLAY: ':0' };
    const terminal = new Terminal([MAIN, ...words], { cwd: project.root, env, columns: 200 });
    try {
      await terminal.until((screen) => said.test(screen.replaceAll('\n', ' ')));
      terminal.type('\x03');
      expect(await terminal.exit()).toBe(0);
    } finally {
      await terminal.close();
    }
  });

  it('says that a port is in use', async () => {
    const { port } = JSON.parse(await start(['--no-open', '--json'])) as Printed;
    const { code, out } = await project.runProcess([
      'web',
      '--no-open',
      '--json',
      '--port',
      `${port}`,
    ]);
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({
      error: { code: 'usage', message: `port ${port} is in use` },
    });
    expect(await end('SIGINT')).toBe(0);
  });
});
