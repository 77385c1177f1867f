import { rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliProject } from '../e2e/cli-project.ts';
import { expectPrintable } from './hostile-bed.ts';

const NAMES = [
  '\u001b[2Jclear',
  '\u001b]0;title\u0007',
  'new\nline',
  'back\b\b\bspace',
  'turned\u202egnp.exe',
  'no\u200bwidth',
  'c1\u009b31m',
  '__proto__',
  '$(id)',
  '-rf',
];
const TEXT = 'say\u001b[31m \u202e\u0007\u009b0m hello\r\nsavepoint: all is well';

// Controls are refused in a label; what turns the writing round is not.
const LABEL = 'say \u202e hello \u200b\u2066';

let project: CliProject;
let id: string;

beforeAll(async () => {
  project = new CliProject({ gone: 'here\u001b[2J\n' });
  for (const name of NAMES) project.write(name, `${TEXT}\n`);
  writeFileSync(Buffer.from(`${project.root}/bytes\xff`, 'latin1'), TEXT);
  await project.open((savepoint) => savepoint.checkpoint({ description: TEXT, label: LABEL }));
  id = await project.agent({
    message: TEXT,
    session: TEXT,
    description: TEXT,
    paths: [...NAMES, Buffer.from('bytes\xff', 'latin1'), 'gone', 'made\u001b[2J/file'],
    work: () => {
      for (const name of NAMES) project.write(name, `other ${TEXT}\n`);
      writeFileSync(Buffer.from(`${project.root}/bytes\xff`, 'latin1'), 'other');
      rmSync(project.path('gone'));
      project.write('made\u001b[2J/file', TEXT);
    },
  });
});
afterAll(() => project.remove());

const EVIL = '\u001b[2J\u202e\u009b';
const commands: [what: string, args: () => string[]][] = [
  ['the timeline', () => ['list']],
  ['the timeline as JSON', () => ['list', '--json']],
  ['the sessions', () => ['sessions']],
  ['a diff', () => ['diff', id]],
  ['a diff as JSON', () => ['diff', '--json', id]],
  ['a plan', () => ['rewind', '--dry-run', id]],
  ['a plan as JSON', () => ['rewind', '--dry-run', '--json', id]],
  ['an error about an id', () => ['rewind', EVIL]],
  ['an error about an id as JSON', () => ['rewind', '--json', EVIL]],
  ['an error about a command', () => [EVIL]],
  ['an error about an option', () => ['list', `--${EVIL}`]],
  ['an error about a project', () => ['list', '--project', EVIL]],
  ['an error about a session', () => ['list', '--session', EVIL]],
  ['an error about a path', () => ['diff', id, '--', `../${EVIL}`]],
];

function expectSafe({ out, err }: { out: string; err: string }): void {
  for (const line of `${out}\n${err}`.split('\n')) expectPrintable(line);
}

describe('what the command prints, with steering characters in names and texts', () => {
  it.each(commands)('is safe to look at: %s', async (_what, args) => {
    const result = await project.run(args(), { env: { FORCE_COLOR: '0' } });
    expect(result.out + result.err).not.toBe('');
    expectSafe(result);
  });

  it('is safe to look at: receipts of a rewind, an undo and a redo, the log of them, a label', async () => {
    const results = [
      await project.run(['rewind', id, '--yes']),
      await project.run(['undo', '--json']),
      await project.run(['redo']),
      await project.run(['ops']),
      await project.run(['label', id, 'what \u202e ever']),
      await project.run(['label', id, EVIL]),
    ];
    expect(results.map((result) => result.code)).toEqual([0, 0, 0, 0, 0, 2]);
    for (const result of results) expectSafe(result);
    expect(project.read('gone')).toBe('here\u001b[2J\n');
  });
});
