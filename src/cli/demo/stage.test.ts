import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { expectTree, readTree, runProgram, type Stage, setStage } from './stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = setStage();
});
afterEach(() => stage.remove());

it('begins with a program that works', async () => {
  expect(await runProgram(stage.project)).toEqual(['Total: 6.30']);
});

it.each([
  ['a changed byte', (path: string) => writeFileSync(path, 'x')],
  ['a missing file', (path: string) => rmSync(path)],
  ['a file too many', (path: string) => writeFileSync(`${path}.new`, '')],
  ['another mode', (path: string) => chmodSync(path, 0o700)],
])('fails loudly on %s', (_what, spoil) => {
  const before = readTree(stage.project);
  expectTree(stage.project, before, 'at first');
  spoil(join(stage.project, 'README.md'));
  expect(() => expectTree(stage.project, before, 'now')).toThrow(
    /README\.md.* not as expected now/,
  );
});

it('removes everything it made', () => {
  stage.remove();
  expect(existsSync(stage.project)).toBe(false);
  expect(existsSync(stage.home)).toBe(false);
});
