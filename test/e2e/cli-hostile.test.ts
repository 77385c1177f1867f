import { spawnSync } from 'node:child_process';
import { readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliProject, MAIN, type Result } from './cli-project.ts';

const ESC = '\x1b';
const TEXT_NAMES = [
  `clear${ESC}[2J${ESC}[H`,
  `title${ESC}]0;pwned\x07`,
  'new\nline',
  'return\rover',
  'tab\there',
  'back\b\b\bspace',
  'c1\u009b31mcsi',
  'bidi\u202egpj.exe',
  'isolate\u2066\u2069',
  'zero\u200bwidth',
  'tag\u{e0041}',
  'separator\u2028',
  '-rf',
  '__proto__',
  '$(touch pwned)',
  'emoji 🙂 名前',
];
const RAW_NAME = Buffer.from([0x72, 0xff, 0xfe, 0x1b, 0x77]);
const DESCRIPTION = `do${ESC}[31m it\n\u202enow`;

describe('hostile names, texts and contents', () => {
  const project = new CliProject({ plain: 'old\n' });
  let id: string;

  beforeAll(async () => {
    id = await project.agent({
      message: 'm1',
      description: DESCRIPTION,
      paths: [...TEXT_NAMES, RAW_NAME, 'link', 'plain'],
      work: () => {
        for (const name of TEXT_NAMES) writeFileSync(project.path(name), `${ESC}[31m\u202e\rred\n`);
        writeFileSync(Buffer.concat([Buffer.from(`${project.root}/`), RAW_NAME]), 'raw\n');
        symlinkSync(`${ESC}[5mtarget`, project.path('link'));
        project.write('plain', 'new\n');
      },
    });
  });
  afterAll(() => project.remove());

  it('are shown, and steer nothing', async () => {
    const results = [
      await project.run(['list']),
      await project.run(['diff', id]),
      await project.run(['rewind', id, '--dry-run']),
      await project.run(['diff', id, '--json']),
      await project.run(['rewind', id, '--dry-run', '--json']),
      await project.run(['list', '--json']),
      await project.run(['show', id]),
      await project.run(['show', id, '--json']),
    ];
    for (const result of results) expectHarmless(result);
    const [list, diff, plan] = results;
    expect(results.at(-2)?.out).toContain('    do\\x1b[31m it\n    \\u{202e}now\n');
    expect(results.at(-2)?.out).toContain('  A bidi\\u{202e}gpj.exe ');
    expect(list?.out).toContain('do\\x1b[31m it\\n\\u{202e}now');
    // As git writes such names.
    for (const quoted of [
      'clear\\033[2J\\033[H',
      'bidi\\342\\200\\256gpj.exe',
      'r\\377\\376\\033w',
      'new\\nline',
    ]) {
      expect(diff?.out).toContain(`"b/${quoted}"`);
    }
    for (const shown of [
      'clear\\x1b[2J\\x1b[H',
      'bidi\\u{202e}gpj.exe',
      'r\\xff\\xfe\\x1bw',
      'new\\nline',
    ]) {
      expect(plan?.out).toContain(`  delete    ${shown}`);
    }
    expect(diff?.out).toContain('+\\x1b[31m\\u{202e}\\rred\n');
    expect(diff?.out).toContain('+\\x1b[5mtarget\n');
  });

  it('reach programs whole: text as it is, other names with their bytes', async () => {
    const { value } = await project.json(['rewind', id, '--dry-run']);
    const deleted = value.deletedFiles as string[];
    expect(deleted).toEqual(expect.arrayContaining(TEXT_NAMES));
    const shown = 'r\\xff\\xfe\\x1bw';
    expect(deleted).toContain(shown);
    expect(value.pathBytes).toEqual({ [shown]: RAW_NAME.toString('base64') });
    const { value: listed } = await project.json(['list']);
    expect(listed.checkpoints).toMatchObject([{ description: DESCRIPTION }]);
  });

  it('in arguments are shown as well', async () => {
    const results = [
      await project.run([`${ESC}[31mlist`]),
      await project.run(['list', `--${ESC}[31m`]),
      await project.run(['diff', `${ESC}[31m\u202e`]),
      await project.run(['list', '--project', `/no\n${ESC}[31m`]),
      await project.run(['undo', `${ESC}[31m`, '--json']),
      await project.run(['rewind', id, `a${ESC}[31m/../../..`]),
    ];
    for (const result of results) expectHarmless(result);
    expect(results.map(({ code }) => code)).toEqual([2, 2, 4, 4, 4, 4]);
  });

  it('can be named to be taken back, one by one', async () => {
    const names = ['-rf', `clear${ESC}[2J${ESC}[H`, '__proto__'];
    const result = await project.run(['rewind', id, '--', ...names]);
    expectHarmless(result);
    expect(result.out).toContain('Done: 3 deleted.');
    expect(names.map((name) => project.read(name))).toEqual([null, null, null]);
    expect(project.read('plain')).toBe('new\n');
  });

  it('that are not UTF-8 can be named too', async () => {
    const words = [process.execPath, MAIN, 'rewind', id, '--dry-run', '--json'];
    // Only a shell can pass such bytes: Node turns its arguments into text.
    const script = `exec "$@" "$(printf 'r\\377\\376\\033w')"`;
    const options = { cwd: project.root, env: project.env(), encoding: 'utf8' } as const;
    const { stdout } = spawnSync('/bin/sh', ['-c', script, 'sh', ...words], options);
    expect(JSON.parse(stdout)).toMatchObject({ deletedFiles: ['r\\xff\\xfe\\x1bw'] });
  });

  it('are taken back and brought back to the byte', async () => {
    expectHarmless(await project.run(['rewind', id]));
    expect(project.read('plain')).toBe('old\n');
    const undo = await project.run(['undo']);
    expectHarmless(undo);
    expect(undo.code).toBe(0);
    expect(project.read('new\nline')).toBe(`${ESC}[31m\u202e\rred\n`);
    expect(readlinkSync(project.path('link'))).toBe(`${ESC}[5mtarget`);
  });
});

/** Nothing but text, newlines and tabs: no control, format or separator character gets through. */
function expectHarmless({ out, err }: Result): void {
  expect((out + err).match(/[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\u2028\u2029\ufffd]/gu)).toBeNull();
}
