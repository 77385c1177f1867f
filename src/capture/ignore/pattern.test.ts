import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isInClass, parseClass } from './pattern.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'savepoint-class-'));
  git('', 'init', '--quiet');
});
afterAll(() => rmSync(folder, { recursive: true }));

function git(input: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  const stdin = Buffer.from(input, 'latin1');
  return spawnSync('git', args, { cwd: folder, env, input: stdin }).stdout.toString('latin1');
}

/** Every byte that can be a name of its own, behind an "x" so that "." is one too. */
const NAMES = Array.from({ length: 255 }, (_, index) => String.fromCharCode(index + 1))
  .filter((byte) => byte !== '/')
  .map((byte) => `x${byte}`);

function ignoredByGit(pattern: string): string[] {
  writeFileSync(join(folder, '.gitignore'), `x${pattern}\n`, 'latin1');
  const listed = git(NAMES.join('\0'), 'check-ignore', '--no-index', '-z', '--stdin');
  return listed.split('\0').slice(0, -1);
}

function inClass(pattern: string): string[] {
  const parsed = parseClass(pattern, 0);
  if (parsed === null) return [];
  return NAMES.filter((name) => isInClass(parsed.bytes, name.charCodeAt(1)));
}

describe('a class of bytes', () => {
  it.each([
    ...['alnum', 'alpha', 'blank', 'cntrl', 'digit', 'graph', 'lower', 'print', 'punct'],
    ...['space', 'upper', 'xdigit'],
  ])('[:%s:] holds the same bytes as for git', (name) => {
    expect(inClass(`[[:${name}:]]`)).toEqual(ignoredByGit(`[[:${name}:]]`));
    expect(inClass(`[![:${name}:]]`)).toEqual(ignoredByGit(`[![:${name}:]]`));
  });

  it.each([
    '[!-~]',
    '[\x80-\xff]',
    '[\xff-\x80]',
    '[!\x01-\x7f]',
    '[a[:digit:]-z]',
    '[[:]',
    '[+--]',
    '[[-`]',
  ])('%j holds the same bytes as for git', (pattern) =>
    expect(inClass(pattern)).toEqual(ignoredByGit(pattern)),
  );
});
