import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { builtCommand, compiledCommands } from '../setup/built.ts';
import { HookBed } from './hook-bed.ts';

let bed: HookBed;

beforeEach(() => {
  bed = new HookBed('claude-code');
  bed.put('a.txt', 'one\n');
});

afterEach(() => bed.done());

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `savepoint hook` as an agent does. With `open`, the agent does not close the pipe. */
async function hook(
  words: readonly string[],
  input: string | Buffer,
  { open = false, env = {} }: { open?: boolean; env?: Record<string, string> } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [builtCommand(), 'hook', ...words], {
    cwd: bed.root,
    env: {
      PATH: process.env.PATH,
      HOME: bed.base,
      SAVEPOINT_HOME: bed.home,
      XDG_CACHE_HOME: compiledCommands(),
      ...env,
    },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (data) => {
    out += data;
  });
  child.stderr.on('data', (data) => {
    err += data;
  });
  child.stdin.on('error', () => undefined);
  child.stdin.write(input);
  if (!open) child.stdin.end();
  const [code] = await once(child, 'close');
  return { code, out, err };
}

function prompt(id: string): string {
  const about = { session_id: 'session', cwd: bed.root, hook_event_name: 'UserPromptSubmit' };
  return JSON.stringify({ ...about, prompt_id: id, prompt: `prompt ${id}` });
}

const QUIET: Ended = { code: 0, out: '', err: '' };

describe('savepoint hook', () => {
  it('leaves a gap where there is no first scan, and ten hooks at once let one be made', async () => {
    const ids = Array.from({ length: 10 }, (_, at) => `p${at}`);
    const ended = await Promise.all(ids.map((id) => hook(['claude-code'], prompt(id))));
    expect(ended).toEqual(ids.map(() => QUIET));
    const isScanned = () => bed.with((savepoint) => savepoint.isScanned());
    for (let tries = 0; tries < 200 && !(await isScanned()); tries += 1) await setTimeout(100);
    expect(await isScanned()).toBe(true);
    const log = bed.log();
    expect(log.filter(({ outcome }) => outcome === 'started')).toHaveLength(1);
    const listed = await bed.with((savepoint) => savepoint.list({ kinds: ['message'] }));
    expect(listed.some(({ coverage }) => coverage === 'no-baseline')).toBe(true);
    await hook(['claude-code'], prompt('later'));
    const [newest] = await bed.with((savepoint) => savepoint.list({ limit: 1 }));
    expect(newest).toMatchObject({ messageId: 'later', coverage: 'scanned' });
  });

  it('does not wait for the end of a pipe that holds a whole payload', async () => {
    await bed.scan();
    expect(await hook(['claude-code'], prompt('p1'), { open: true })).toEqual(QUIET);
    expect(await bed.prompts()).toEqual(['prompt p1: 0']);
  });

  it('exits with 0 whatever it gets, and says in the log why nothing is on record', async () => {
    await bed.scan();
    const oversized = Buffer.alloc(17 * 1024 * 1024, 'x');
    expect(await hook(['claude-code'], oversized)).toEqual(QUIET);
    expect(await hook(['claude-code'], prompt('p1').slice(0, -5))).toEqual(QUIET);
    expect(await hook(['claude-code'], prompt('p1').slice(0, -5), { open: true })).toEqual(QUIET);
    expect(await hook(['claude-code'], Buffer.from([0xff, 0xfe, 0x00]))).toEqual(QUIET);
    expect(await hook(['nobody'], prompt('p1'))).toEqual(QUIET);
    expect(await hook([], prompt('p1'))).toEqual(QUIET);
    expect(await hook(['claude-code', '--event'], prompt('p1'))).toEqual(QUIET);
    expect(await hook(['claude-code', '--nonsense'], prompt('p2'))).toEqual(QUIET);
    expect(bed.log().map(({ outcome, reason }) => `${outcome} ${reason}`)).toEqual([
      'dropped oversized',
      'dropped not-json',
      'dropped not-json',
      'dropped not-json',
      'dropped unknown-agent',
      'dropped unknown-agent',
      'recorded null',
      'recorded null',
    ]);
    const nowhere = { SAVEPOINT_HOME: 'relative' };
    expect(await hook(['claude-code'], prompt('p3'), { env: nowhere })).toEqual(QUIET);
  });

  it('answers an agent whose folder was deleted, and says in the log why nothing is on record', async () => {
    const words = ['-c', 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', 'sh'];
    const command = [process.execPath, builtCommand(), 'hook', 'cline'];
    const env = { PATH: process.env.PATH, HOME: bed.base, SAVEPOINT_HOME: bed.home };
    const { status, stdout } = spawnSync('sh', [...words, ...command], {
      cwd: bed.root,
      env,
      input: '{}',
      encoding: 'utf8',
    });
    expect([status, JSON.parse(stdout)]).toEqual([0, { cancel: false }]);
    expect(bed.log()).toMatchObject([{ agent: 'cline', outcome: 'dropped', reason: 'malformed' }]);
  });

  it('hands the event to a resident process where one listens', async () => {
    await bed.scan();
    const heard: unknown[] = [];
    const server = createServer((connection) => {
      connection.once('data', (line) => {
        heard.push(JSON.parse(String(line)));
        connection.end(`${JSON.stringify({ output: '{"from":"resident"}' })}\n`);
      });
    });
    server.listen(join(bed.home, 'resident.sock'));
    await once(server, 'listening');
    try {
      const { code, out } = await hook(['codex', '--event', 'Stop'], prompt('p1'));
      expect([code, out]).toEqual([0, '{"from":"resident"}\n']);
      expect(heard).toMatchObject([{ agent: 'codex', event: 'Stop', payload: prompt('p1') }]);
    } finally {
      server.close();
    }
  });

  it('does the work itself where a resident process has left its socket', async () => {
    await bed.scan();
    const socket = join(bed.home, 'resident.sock');
    const script = `require('net').createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, 'SIGKILL'))`;
    await once(spawn(process.execPath, ['-e', script]), 'close');
    expect(await hook(['claude-code'], prompt('p1'))).toEqual(QUIET);
    expect(await bed.prompts()).toEqual(['prompt p1: 0']);
  });
});
