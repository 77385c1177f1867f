import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readHookLog } from '../../src/agents/hook-log.ts';
import { monotonicMs } from '../../src/model/clock.ts';
import { PostgresServer } from '../setup/postgres-server.ts';
import { MAIN } from './cli-project.ts';
import { PASSWORD, ServerProject, urlWithPassword } from './server-project.ts';

// Claude Code waits for a hook longer than this, and a person should not have to.
const HOOK_MS = 15_000;

let server: PostgresServer;
let url: string;
beforeAll(async () => {
  server = await PostgresServer.start();
  url = await urlWithPassword(server.url);
});
afterAll(() => server.stop());

let count = 0;
function project(): ServerProject {
  count += 1;
  const made = new ServerProject(url, `project-${count}`, { 'a.txt': 'one\n' });
  onTestFinished(() => made.remove());
  return made;
}

/** An event of Claude Code. Gives its exit code. */
async function hook(one: ServerProject, event: Record<string, unknown>): Promise<number | null> {
  const child = spawn(process.execPath, [MAIN, 'hook', 'claude-code'], {
    cwd: one.root,
    env: one.env(),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      one.printed += text;
    });
  }
  child.stdin.end(JSON.stringify({ session_id: 's', cwd: one.root, ...event }));
  const [code] = await once(child, 'close');
  return code;
}

const prompt = (id: string): Record<string, unknown> => ({
  hook_event_name: 'UserPromptSubmit',
  prompt_id: id,
  prompt: `prompt ${id}`,
});

const command = (name: 'PreToolUse' | 'PostToolUse', id: string): Record<string, unknown> => ({
  hook_event_name: name,
  tool_name: 'Bash',
  tool_use_id: id,
  tool_input: { command: 'make' },
  ...(name === 'PostToolUse' ? { tool_response: {} } : {}),
});

describe('a server that is away', () => {
  it("stops nobody, leaves a gap on the timeline, and what came meanwhile is nobody's for certain", async () => {
    const one = project();
    await one.run(['save', '-m', 'before']);
    expect(await hook(one, prompt('p1'))).toBe(0);
    expect(await hook(one, command('PreToolUse', 't1'))).toBe(0);
    await server.kill();
    try {
      one.write('a.txt', 'two\n');
      expect(await hook(one, { ...prompt('p2'), session_id: 'other' })).toBe(0);
      const { code, err } = await one.run(['run', '--', 'sh', '-c', 'echo hi; exit 3']);
      expect(code).toBe(3);
      expect(err).toContain('not recorded and cannot be taken back');
      expect((await one.run(['list'])).code).toBe(1);
    } finally {
      await server.resume();
    }
    const lost = readHookLog(one.home).filter(({ outcome }) => outcome === 'failed');
    expect(lost.map(({ reason }) => reason)).toEqual(['store-unreachable']);
    const { value } = await one.json(['list']);
    expect((value.checkpoints as { description: string }[])[0]?.description).toContain(
      'the database server was away: 2 events not recorded',
    );
    expect((await one.run(['doctor'])).out).toContain('the database server was away');
    expect((await one.run(['status'])).out).toContain('the database server was away');
    // Alone it would be put down to this command, and the other session is not on record.
    expect(await hook(one, command('PostToolUse', 't1'))).toBe(0);
    const { value: list } = await one.json(['list']);
    const found = (list.checkpoints as { messageId: string; id: string }[]).find(
      ({ messageId }) => messageId === 'p1',
    );
    const { value: shown } = await one.json(['show', found?.id ?? '']);
    expect(shown.changes).toMatchObject([{ path: 'a.txt', attribution: 'shared' }]);
    expect(one.allWords()).not.toContain(PASSWORD);
  });

  it('is not waited for longer than an agent waits, where it does not answer', async () => {
    const one = project();
    await one.run(['save', '-m', 'before']);
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const address = silent.address();
    const port = typeof address === 'object' ? `${address?.port}` : '';
    one.url = Object.assign(new URL(url), { port }).href;
    const began = monotonicMs();
    expect(await hook(one, prompt('p1'))).toBe(0);
    expect(monotonicMs() - began).toBeLessThan(HOOK_MS);
    one.url = url;
    expect((await one.run(['list'])).out).toContain('the database server was away');
    expect(one.allWords()).not.toContain(PASSWORD);
  });
});
