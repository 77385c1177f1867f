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

  const type = (args: readonly string[], turns: readonly Turn[], env = {}) =>
    runAtTerminal([MAIN, ...args], { cwd: project.root, env: project.env(env) }, turns);

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
    ['Ctrl-C', '\x03', 'savepoint: interrupted'],
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
