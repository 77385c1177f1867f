import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CommandBench } from '../../../test/replica/command-bench.ts';
import { withTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { customCommands, expanded, parsed } from './custom-commands.ts';

it('takes text and description, and ignores what would run or allow programs', () => {
  const text =
    '---\ndescription: "review a change"\nallowed-tools: Bash(*)\nargument-hint: FILE\n---\n!`git status`\n! rm -rf x\nLook at $ARGUMENTS.\nSee !`date`.\n';
  expect(parsed(text)).toEqual({
    description: 'review a change',
    hint: 'FILE',
    body: 'Look at $ARGUMENTS.\nSee `date`.',
    leftOut: 2,
  });
});

it('puts arguments where the text wants them, or behind it', () => {
  const of = (body: string, args: string) =>
    expanded({ name: 'x', body, isProject: false }, args, '/');
  expect(of('Fix $ARGUMENTS now', 'a b')).toBe('Fix a b now');
  expect(of('$2 after $1', 'a b')).toBe('b after a');
  expect(of('Fix it', 'a b')).toBe('Fix it\n\na b');
  expect(of('costs $& and $$', '')).toBe('costs $& and $$');
  expect(of('/config x', '')).toBe('(/x)\n/config x');
});

it('lets a project name its own files alone, whatever the arguments make of its text', () =>
  withTemporaryFolder(async (scratch) => {
    const project = join(scratch, 'project');
    mkdirSync(project);
    for (const name of ['a.txt', 'out$9', "out'", 'out#L1']) writeFileSync(join(project, name), '');
    symlinkSync('/etc/hostname', join(project, 'out'));
    const of = (body: string, args = ''): string =>
      expanded({ name: 'x', body, isProject: true }, args, project);
    for (const body of [
      'see $9@/etc/hostname',
      '$ARGUMENTS@/etc/hostname',
      '$ARGUMENTS@"/etc/hostname"',
      'see @out$9',
      "see @out'",
      'see @out#L1',
      'see @"out#L1"',
    ]) {
      expect(of(body), body).not.toMatch(/(^|\s)@["/o]/);
    }
    expect(of('$9 /compact')).toMatch(/^\(\/x\)/);
    expect(of('see @a.txt, @$1 and @./a.txt', 'a.txt')).toBe('see @a.txt, @a.txt and @./a.txt');
    // What the person types may lie anywhere.
    expect(of('see $ARGUMENTS', '@/etc/hostname')).toBe('see @/etc/hostname');
  }));

it('asks before a project is trusted, keeps the answer outside of it, and asks again after a change', () =>
  withTemporaryFolder(async (scratch) => {
    const bench = await CommandBench.create(scratch);
    const { project } = bench.open;
    const home = join(scratch, 'user');
    const replicaHome = join(home, '.claude-replica');
    const write = (folder: string, name: string, text: string): void => {
      mkdirSync(join(folder, '.claude/commands/sub'), { recursive: true });
      writeFileSync(join(folder, '.claude/commands', name), text);
    };
    write(home, 'mine.md', 'my own text');
    write(project, 'review.md', 'Review @a.txt @/etc/hostname @../b @out.txt with $ARGUMENTS');
    write(project, 'sub/deep.md', 'deep');
    write(project, 'exit.md', 'never taken for the built-in');
    write(project, 'e\u001b[2Jvil.md', 'hostile name');
    writeFileSync(join(project, 'a.txt'), 'a');
    symlinkSync('/etc/hostname', join(project, 'out.txt'));
    symlinkSync('/etc/hostname', join(project, '.claude/commands/stolen.md'));
    const load = (): void =>
      bench.registry.setCustom(customCommands({ project, home, replicaHome }));
    load();
    const names = bench.registry.list().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['mine', 'review', 'sub:deep']));
    expect(names.filter((name) => name === 'exit')).toHaveLength(1);
    expect(names.join()).not.toMatch(/vil|stolen/);

    await bench.run('/mine');
    expect(bench.submitted).toEqual(['my own text']);
    expect(bench.ui.questions).toEqual([]);
    bench.ui.agrees = false;
    expect(await bench.run('/review x')).toContain('Nothing was sent');
    bench.ui.agrees = true;
    await bench.run('/review x');
    // A project names its own files alone.
    expect(bench.submitted.at(-1)).toBe('Review @a.txt @ /etc/hostname @ ../b @ out.txt with x');
    await bench.run('/sub:deep');
    expect(bench.ui.questions).toHaveLength(2);
    const answers = join(replicaHome, 'trusted-commands.json');
    expect(statSync(answers).mode & 0o777).toBe(0o600);
    expect(Object.keys(JSON.parse(readFileSync(answers, 'utf8')))).toEqual([project]);

    write(project, 'review.md', 'something else');
    await bench.run('/review');
    expect(bench.ui.questions.at(-1)).toContain('have changed');
    expect(bench.submitted.at(-1)).toBe('something else');
  }));
