import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { KeptPrompts } from './kept-prompts.ts';

let root: string;
let clock = 0;
beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), 'kept-')), 'history');
});
afterEach(() => rmSync(join(root, '..'), { recursive: true }));

const prompts = (project = '/project'): KeptPrompts =>
  new KeptPrompts({ root, project, now: () => ++clock });
const files = (): string[] =>
  readdirSync(root).flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(root, folder, name)),
  );

it('keeps what several processes send, in the order of time, for the next one', () => {
  const [one, other] = [prompts(), prompts()];
  one.add('first');
  other.add('second');
  one.add('third\nwith a line');
  one.add('third\nwith a line');
  expect(other.texts()).toEqual(['first', 'second', 'third\nwith a line']);
  expect(prompts().texts()).toEqual(one.texts());
  expect(prompts('/another').texts()).toEqual([]);
});

it('loses no line of processes that send at the same time', async () => {
  const [processes, lines] = [4, 40];
  const module = new URL('kept-prompts.ts', import.meta.url).href;
  const send = `
    const { KeptPrompts } = await import(${JSON.stringify(module)});
    const kept = new KeptPrompts({ root: ${JSON.stringify(root)}, project: '/project' });
    for (let i = 0; i < ${lines}; i += 1) kept.add(process.argv[1] + ' ' + i + ' ' + 'x'.repeat(3000));
  `;
  const run = promisify(execFile);
  await Promise.all(
    Array.from({ length: processes }, (_, i) =>
      run(process.execPath, ['--input-type=module', '-e', send, `process ${i}`]),
    ),
  );
  const texts = prompts().texts();
  expect(texts).toHaveLength(processes * lines);
  const own = texts.filter((text) => text.startsWith('process 1 '));
  expect(own.map((text) => text.split(' ')[2])).toEqual(
    Array.from({ length: lines }, (_, i) => String(i)),
  );
});

it('is for its owner alone, and does not keep what begins with a blank', () => {
  const kept = prompts();
  kept.add('open');
  kept.add(' secret');
  expect(kept.texts()).toEqual(['open']);
  expect(files()).toHaveLength(1);
  for (const file of files()) expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(root).mode & 0o777).toBe(0o700);
});

it('stays small, with the newest kept', () => {
  for (let i = 0; i < 130; i += 1) prompts().add(`process ${i}`);
  const kept = prompts();
  for (let i = 0; i < 60; i += 1) kept.add(`${i} ${'x'.repeat(30_000)}`);
  const bytes = files().reduce((sum, file) => sum + statSync(file).size, 0);
  expect(files().length).toBeLessThanOrEqual(101);
  expect(bytes).toBeLessThan(1_300_000);
  expect(prompts().texts().at(-1)).toMatch(/^59 x/);
});

it('remembers for itself what it cannot write, and passes over what it cannot read', () => {
  writeFileSync(root, 'a file where the folder should be');
  const kept = prompts();
  kept.add('remembered');
  expect(kept.texts()).toEqual(['remembered']);
  rmSync(root);
  kept.add('z'.repeat(40_000));
  kept.add('written');
  const [file = ''] = files();
  writeFileSync(file, 'not JSON\n{"at":1}\n{"at":2,"text":"whole"}\n{"at":3,"te');
  expect(prompts().texts()).toEqual(['whole']);
  expect(kept.texts().at(-1)).toBe('written');
});
