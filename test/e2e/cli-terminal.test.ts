import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliProject, MAIN } from './cli-project.ts';
import { Terminal } from './terminal.ts';

const QUESTION = 'Go ahead? [y/N] ';

describe('savepoint at a terminal', () => {
  let project: CliProject;
  let id: string;

  beforeEach(async () => {
    project = new CliProject({ 'a.txt': 'old\n' });
    id = await project.agentWrites('m1', 'a.txt', 'new\n');
  });
  afterEach(() => project.remove());

  it.each([
    ['a yes', 'y\r', 0, 'Done: 1 restored.', 'old\n'],
    ['the end of input', '\x04', 130, 'Nothing was changed.', 'new\n'],
    ['Ctrl-C', '\x03', 130, 'savepoint: interrupted; nothing was changed', 'new\n'],
  ])('shows the plan, asks, and obeys %s', async (_what, typed, code, said, content) => {
    const options = { cwd: project.root, env: project.env() };
    const terminal = new Terminal([MAIN, 'rewind', id], options);
    try {
      const screen = await terminal.until(QUESTION.trimEnd());
      expect(screen).toContain('  restore   a.txt');
      terminal.type(typed);
      expect(await terminal.exit()).toBe(code);
      expect(terminal.screen()).toContain(said);
    } finally {
      await terminal.close();
    }
    expect(project.read('a.txt')).toBe(content);
  });

  it('leaves everything alone after anything but yes', async () => {
    const { code, rows } = await project.see(['rewind', id], { answers: ['maybe'] });
    expect(code).toBe(130);
    expect(rows).toContain('Nothing was changed.');
    expect(project.read('a.txt')).toBe('new\n');
  });

  it('does not ask with --yes, with --json or for a dry run, and uses colours', async () => {
    const dry = await project.see(['rewind', id, '--dry-run']);
    expect(dry.raw).not.toContain(QUESTION);
    expect(dry.raw).toContain('\x1b[32mrestore ');
    const json = await project.see(['rewind', id, '--json']);
    expect(JSON.parse(json.raw)).toMatchObject({ success: true });
    await project.see(['undo']);
    const yes = await project.see(['rewind', id, '--yes', '--no-color']);
    expect(yes).toMatchObject({ code: 0, raw: expect.not.stringContaining('\x1b') });
    expect(project.read('a.txt')).toBe('old\n');
  });

  it('fits 40 columns, and breaks lines only between words', async () => {
    const description = 'Please clean up the code a little, and then tell me what it was.';
    const paths = ['a.txt', 'made/in/a/folder.txt'];
    const work = () => project.write('made/in/a/folder.txt', 'new\n');
    await project.agent({ message: 'm2', description, paths, work });
    project.write('a.txt', 'mine\n');
    const screens = [];
    for (const args of [
      ['list'],
      ['rewind', id, '--dry-run'],
      ['rewind', '--help'],
      ['nonsense'],
    ]) {
      const { rows } = await project.see(args, { columns: 40 });
      for (const row of rows) expect(row.length).toBeLessThanOrEqual(40);
      screens.push(rows.join('\n'));
    }
    const [list = '', rewind = ''] = screens;
    expect(list).toMatch(
      /^test-agent {2}s1 {2}active just now\n@ \w{8} +just now +1 file +\+1\n {4}Please clean up the code a/,
    );
    expect(list).toContain('\nhint: look closer with: savepoint diff\n  ID; go back with: ');
    expect(rewind).toMatch(
      /\n {2}conflict {2}a\.txt\n {6}left as it is: somebody else\n {6}changed /,
    );
  });

  it('refuses a plan that the files outran while the person was thinking', async () => {
    const meanwhile = () => {
      project.write('a.txt', 'somebody\n');
      return 'y';
    };
    const { code, raw } = await project.see(['rewind', id], { answers: [meanwhile], columns: 200 });
    expect(code).toBe(1);
    expect(raw).toContain('hint: nothing was changed; look again with --dry-run');
    expect(project.read('a.txt')).toBe('somebody\n');
  });
});
