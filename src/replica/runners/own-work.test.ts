import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { withTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { endText, outputRows, ownCommandContext, runOwnCommand } from './own-work.ts';

const env = { PATH: process.env.PATH };
const run = (command: string, signal = new AbortController().signal) =>
  runOwnCommand({ command, cwd: '/', env, signal });

it('runs a command line in a shell and tells its output and its end', async () => {
  const end = await run('echo out; echo err >&2; pwd; exit 3');
  expect(end).toMatchObject({ code: 3 });
  expect(end.output.split('\n').toSorted()).toEqual(['', '/', 'err', 'out']);
  expect(ownCommandContext('x', end)).toContain('$ x\nIts exit code was 3. It printed:\n');
  expect(endText(end)).toMatch(/^exit code 3, \d.\d s; the output goes to the model/);
});

it('keeps the beginning and the end of a long output, and shows a few lines', async () => {
  const { output } = await run('echo first; yes middle | head -100000; echo last');
  expect(output.length).toBeLessThan(34_000);
  expect(output).toMatch(/^first\n[\s\S]*characters left out …[\s\S]*last\n$/);
  const rows = outputRows(output, 80, (_style, text) => text);
  expect(rows.length).toBe(25);
  expect(rows[0]).toBe('  ⎿ first');
  expect(rows.at(-1)).toBe('    last');
  const [hostile = ''] = outputRows('a\u001b[2Jb', 80, (_style, text) => text);
  expect(hostile).not.toContain('\u001b');
});

it('ends with everything that it started, and does not wait for what goes on behind it', async () => {
  const stop = new AbortController();
  const running = run('sleep 60 & sleep 60', stop.signal);
  setTimeout(() => stop.abort(), 50);
  expect((await running).code).not.toBe(0);
  const end = await run('(sleep 2; echo late) & echo now');
  expect(end.output).toBe('now\n');
  expect(end.ms).toBeLessThan(1_900);
});

it('ends also what does not listen and what its shell has left behind', () =>
  withTemporaryFolder(async (scratch) => {
    const stop = new AbortController();
    const file = join(scratch, 'pid');
    const running = run(
      `(trap "" INT; sh -c 'echo $PPID' > '${file}'; sleep 60; sleep 60) & wait`,
      stop.signal,
    );
    const pid = (): string => readFileSync(file, 'utf8').trim();
    await vi.waitFor(() => expect(pid()).toMatch(/^\d+$/), { timeout: 10_000 });
    stop.abort();
    await running;
    // One that nobody has waited for is a zombie.
    const state = (): string => spawnSync('ps', ['-o', 'stat=', '-p', pid()]).stdout.toString();
    await vi.waitFor(() => expect(state()).toMatch(/^(Z.*)?\s*$/), {
      timeout: 10_000,
      interval: 100,
    });
  }));

it('ends with the process that runs it', async () => {
  const stop = new AbortController();
  const before = process.listeners('exit');
  const running = run('trap "" INT HUP; echo $$; sleep 60; sleep 60', stop.signal);
  const [listener] = process.listeners('exit').filter((one) => !before.includes(one));
  expect(listener).toBeDefined();
  listener?.(0);
  expect(await running).toMatchObject({ code: null });
  expect(process.listeners('exit')).toEqual(before);
});
