import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliProject, MAIN } from './cli-project.ts';
import { hasTerminal, runAtTerminal, type Turn } from './pseudo-terminal.ts';

const QUESTION = 'Go ahead? [y/N] ';

describe.skipIf(!hasTerminal)('savepoint at a terminal', () => {
  let project: CliProject;
  let id: string;

  beforeEach(async () => {
    project = new CliProject({ 'a.txt': 'old\n' });
    id = await project.agentWrites('m1', 'a.txt', 'new\n');
  });
  afterEach(() => project.remove());

  const type = (args: readonly string[], turns: readonly Turn[], env = {}, columns = 80) =>
    runAtTerminal([MAIN, ...args], { cwd: project.root, env: project.env(env), columns }, turns);

  it('shows the plan and rewinds after a yes', async () => {
    const { code, screen } = await type(['rewind', id], [[QUESTION, 'y\n']], { NO_COLOR: '1' });
    expect(code).toBe(0);
    expect(screen.indexOf('restore   a.txt')).toBeLessThan(screen.indexOf(QUESTION));
    expect(screen).toContain('Done: 1 restored.');
    expect(project.read('a.txt')).toBe('old\n');
  });

  it.each([
    ['anything but yes', 'maybe\n', 'Nothing was changed.'],
    ['the end of input', '\x04', 'Nothing was changed.'],
    ['Ctrl-C', '\x03', 'savepoint: interrupted; nothing was changed'],
  ])('leaves everything alone after %s', async (_what, typed, said) => {
    const { code, screen } = await type(['rewind', id], [[QUESTION, typed]]);
    expect(code).toBe(130);
    expect(screen).toContain(said);
    expect(project.read('a.txt')).toBe('new\n');
  });

  it('does not ask with --yes, with --json or for a dry run, and uses colours', async () => {
    const dry = await type(['rewind', id, '--dry-run'], []);
    expect(dry.screen).not.toContain(QUESTION);
    expect(dry.screen).toContain('\x1b[32mrestore ');
    const json = await type(['rewind', id, '--json'], []);
    expect(JSON.parse(json.screen)).toMatchObject({ success: true });
    await type(['undo'], []);
    const yes = await type(['rewind', id, '--yes', '--no-color'], []);
    expect(yes).toMatchObject({ code: 0, screen: expect.not.stringContaining('\x1b') });
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
      const { screen } = await type(args, [], { NO_COLOR: '1' }, 40);
      for (const line of screen.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
      screens.push(screen);
    }
    const [list = '', rewind = ''] = screens;
    expect(list).toMatch(
      /^test-agent {2}s1 {2}active just now\n@ \w{8} +just now +\d files +\+1\n {4}Please clean up the code a/,
    );
    expect(list).toContain('\nhint: look closer with: savepoint diff\n  ID; go back with: ');
    expect(rewind).toMatch(
      /\n {2}conflict {2}a\.txt\n {6}left as it is: somebody else\n {6}changed /,
    );
  });

  it('refuses a plan that the files outran while the person was thinking', async () => {
    const meanwhile = () => {
      project.write('a.txt', 'somebody\n');
      return 'y\n';
    };
    const { code, screen } = await type(['rewind', id], [[QUESTION, meanwhile]]);
    expect(code).toBe(1);
    expect(screen).toContain('hint: nothing was changed; look again with --dry-run');
    expect(project.read('a.txt')).toBe('somebody\n');
  });
});
