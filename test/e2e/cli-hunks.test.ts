import { chmodSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliProject, type Json, MAIN } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';
import { Terminal } from './terminal.ts';

const LINES = '1\n2\n3\n4\n5\n6\n7\n8\n9\n';
const CHANGED = LINES.replace('2', 'two').replace('5', 'five').replace('8', 'eight');
const HUNK = 'Take back this hunk? [y,n,a,d,k,q,?]';

let project: CliProject;
let id: string;
beforeEach(async () => {
  project = new CliProject({ 'a.txt': LINES, 'b.txt': LINES });
  id = await project.agent({
    message: 'm1',
    paths: ['a.txt', 'b.txt'],
    work: () => {
      project.write('a.txt', CHANGED);
      project.write('b.txt', CHANGED);
    },
  });
});
afterEach(() => project.remove());

interface ListedHunk {
  readonly id: string;
  readonly kind: string;
  readonly lines: readonly { readonly text: string }[];
}

async function listed(): Promise<Map<string, readonly ListedHunk[]>> {
  const { code, value } = await project.json(['rewind', id, '--hunks', '--dry-run']);
  expect(code).toBe(0);
  expectSchema('rewind', JSON.stringify(value));
  const files = (value as Json & { hunks: { path: string; hunks: ListedHunk[] }[] }).hunks;
  return new Map(files.map(({ path, hunks }) => [path, hunks]));
}

async function idOf(path: string, text: string): Promise<string> {
  const hunks = (await listed()).get(path) ?? [];
  const found = hunks.find(({ lines }) => lines.some((line) => line.text === text));
  return found?.id ?? 'none';
}

describe('savepoint rewind --hunks at a terminal', () => {
  it('shows each hunk in colours, asks, then shows the plan and does it', async () => {
    const options = { cwd: project.root, env: project.env(), rows: 60 };
    const terminal = new Terminal([MAIN, 'rewind', id, '--hunks'], options);
    try {
      const first = await terminal.until(`(1/3) ${HUNK}`);
      expect(first).toContain('a.txt\n1   1\n2 - 2\n2 + two\n3   3\n4   4');
      expect(terminal.raw).toContain('\x1b[32m+ two');
      terminal.type('n\r');
      await terminal.until(`(2/3) ${HUNK}`);
      terminal.type('y\r');
      await terminal.until(`(3/3) ${HUNK}`);
      terminal.type('?\r');
      await terminal.until('k  go back to the hunk before');
      terminal.type('d\r');
      await terminal.until('b.txt');
      terminal.type('q\r');
      const plan = await terminal.until('Go ahead? [y/N]');
      expect(plan).toContain('1 hunk chosen.');
      expect(plan).toContain('  merge     a.txt  1 hunk goes back, and the rest stays');
      expect(plan).not.toContain('merge     b.txt');
      terminal.type('y\r');
      expect(await terminal.exit()).toBe(0);
      expect(terminal.screen()).toContain('Done: 1 merged.');
    } finally {
      await terminal.close();
    }
    expect(project.read('a.txt')).toBe(CHANGED.replace('five', '5'));
    expect(project.read('b.txt')).toBe(CHANGED);
    await project.run(['undo']);
    expect(project.read('a.txt')).toBe(CHANGED);
  });

  it.each([
    ['Ctrl-C', '\x03', 'savepoint: interrupted; nothing was changed'],
    ['the end of input', '\x04', 'Nothing was changed.'],
  ])('leaves everything after %s in the middle', async (_what, key, said) => {
    const options = { cwd: project.root, env: project.env(), rows: 60 };
    const terminal = new Terminal([MAIN, 'rewind', id, '--hunks'], options);
    try {
      await terminal.until(`(1/3) ${HUNK}`);
      terminal.type('y\r');
      await terminal.until(`(2/3) ${HUNK}`);
      terminal.type(key);
      expect(await terminal.exit()).toBe(130);
      expect(terminal.screen()).toContain(said);
    } finally {
      await terminal.close();
    }
    expect(project.read('a.txt')).toBe(CHANGED);
  });

  it('goes back with k, and the last answer counts', async () => {
    const answers = ['y', 'k', 'n', 'n', 'y', 'd', 'y'];
    const { code } = await project.see(['rewind', id, '--hunks'], { answers });
    expect(code).toBe(0);
    expect(project.read('a.txt')).toBe(CHANGED.replace('eight', '8'));
    expect(project.read('b.txt')).toBe(CHANGED);
  });

  it('takes whole files with a, and then says what it would say of the files', async () => {
    const { code, rows } = await project.see(['rewind', id, '--hunks', '--yes'], {
      answers: ['d', 'a'],
    });
    expect(code).toBe(0);
    expect(rows).toContain('  restore   b.txt  goes back to how it was');
    expect([project.read('a.txt'), project.read('b.txt')]).toEqual([CHANGED, LINES]);
  });

  it('does nothing where nothing was chosen', async () => {
    const { code, rows } = await project.see(['rewind', id, '--hunks'], { answers: ['d', 'q'] });
    expect(code).toBe(130);
    expect(rows.at(-1)).toBe('Nothing was changed.');
    expect(await project.run(['ops'])).toMatchObject({ out: expect.not.stringContaining('part') });
  });

  describe('refuses what changed while it asked, and touches nothing:', () => {
    const answering = (answer: string, happens: () => unknown) => async (): Promise<string> => {
      await happens();
      return answer;
    };

    it.each([[['--yes']], [[]]])('a file that the agent wrote (%j)', async (options) => {
      const goesOn = answering('d', () => project.agentWrites('m2', 'made/c.txt', 'agent\n'));
      const { code, rows } = await project.see(['rewind', id, '--hunks', ...options], {
        answers: ['y', goesOn, 'd', 'y'],
      });
      expect(code).toBe(1);
      expect(rows).toContain(
        'savepoint: another file changed while hunks were chosen (made/c.txt)',
      );
      expect(rows.join(' ')).toContain('nothing was changed; look again with --dry-run');
      expect([project.read('a.txt'), project.read('made/c.txt')]).toEqual([CHANGED, 'agent\n']);
    });

    it.each([
      ['gone', CHANGED],
      ['settled by hand', LINES],
    ])('a conflict that is %s', async (_, text) => {
      project.write('b.txt', CHANGED.replace('five', 'mine'));
      const answers = ['y', answering('d', () => project.write('b.txt', text))];
      const { code, rows } = await project.see(['rewind', id, '--hunks', '--yes'], { answers });
      expect(code).toBe(1);
      expect(rows).toContain('savepoint: another file changed while hunks were chosen (b.txt)');
      expect([project.read('a.txt'), project.read('b.txt')]).toEqual([CHANGED, text]);
    });
  });

  it('leaves what is in conflict, and takes the hunks of other files', async () => {
    project.write('b.txt', CHANGED.replace('five', 'mine'));
    const { code } = await project.see(['rewind', id, '--hunks', '--yes'], { answers: ['y', 'd'] });
    expect(code).toBe(3);
    expect(project.read('a.txt')).toBe(CHANGED.replace('two', '2'));
    expect(project.read('b.txt')).toBe(CHANGED.replace('five', 'mine'));
  });

  it('asks about a new file, not about its folder, which goes with it', async () => {
    const made = await project.agentWrites('m2', 'made/c.txt', 'one\ntwo\n');
    const shown = await project.see(['rewind', made, '--hunks', '--yes'], { answers: ['y'] });
    expect(shown.rows).toContain('made/c.txt  created since then: will be deleted');
    expect(shown.rows.join('\n')).toContain('Done: 2 deleted.');
    expect(project.read('made/c.txt')).toBe(null);
  });

  it('asks about permissions by themselves', async () => {
    const work = () => {
      project.write('a.txt', CHANGED.replace('9', 'nine'));
      chmodSync(project.path('a.txt'), 0o755);
    };
    const last = await project.agent({ message: 'm2', paths: ['a.txt'], work });
    const shown = await project.see(['rewind', last, '--hunks', '--yes'], { answers: ['y', 'n'] });
    expect(shown.rows).toContain('a.txt  permissions go from 755 to 644');
    expect(project.read('a.txt')).toContain('nine');
    expect(shown.rows.join('\n')).toContain('its permissions go back, its lines stay');
  });
});

describe('savepoint rewind --hunk', () => {
  it('takes the hunks with these ids and nothing else', async () => {
    const [one, other] = [await idOf('a.txt', 'two'), await idOf('b.txt', 'eight')];
    const { code, value } = await project.json(['rewind', id, '--hunk', one, '--hunk', other]);
    expect(code).toBe(0);
    expect(value).toMatchObject({ success: true, mergedFiles: ['a.txt', 'b.txt'] });
    expect(project.read('a.txt')).toBe(CHANGED.replace('two', '2'));
    expect(project.read('b.txt')).toBe(CHANGED.replace('eight', '8'));
    expect((await listed()).get('a.txt')).toHaveLength(2);
    const rows = (await project.json(['list'])).value.checkpoints as Json[];
    expect(rows.find((row) => row.id === id)).toMatchObject({ takenBack: 'partly' });
  });

  it('refuses an id of yesterday, and says how to look again', async () => {
    const one = await idOf('a.txt', 'two');
    await project.run(['rewind', id, '--hunk', one, '--yes']);
    const { code, value } = await project.json(['rewind', id, '--hunk', one]);
    expect(code).toBe(4);
    expect(value).toMatchObject({
      error: { code: 'hunk-not-found', hint: expect.stringContaining('--hunks --dry-run') },
    });
    expect(project.read('a.txt')).toBe(CHANGED.replace('two', '2'));
  });

  it('shows the ids in a dry run for people', async () => {
    const one = await idOf('a.txt', 'five');
    const { out } = await project.run(['rewind', id, '--hunks', '--dry-run']);
    expect(out).toContain(`a.txt  hunk ${one}\n3   3\n4   4\n5 - 5\n5 + five\n`);
    expect(out).toContain('Dry run, nothing was changed.');
    const dry = await project.run(['rewind', id, '--hunk', one, '--dry-run']);
    expect(dry.out).toContain('  merge     a.txt  1 hunk goes back, and the rest stays');
    expect(project.read('a.txt')).toBe(CHANGED);
  });

  it.each([
    [['--hunks'], 'nobody to ask'],
    [['--hunks', '--hunk', 'x'], 'exclude each other'],
    [['--hunks', '--dry-run', '--conversation'], 'whole files'],
  ])('is refused with %j where that makes no sense', async (options, said) => {
    const { code, err } = await project.run(['rewind', id, ...options]);
    expect(code).toBe(2);
    expect(err).toContain(said);
  });
});

describe('savepoint rewind --resolve', () => {
  beforeEach(() => {
    project.write('a.txt', CHANGED.replace('five', 'mine'));
    project.write('b.txt', CHANGED.replace('five', 'mine'));
  });

  it('settles one conflict and leaves the others', async () => {
    const { code } = await project.run(['rewind', id, '--resolve', 'a.txt=restore', '--yes']);
    expect(code).toBe(3);
    expect(project.read('a.txt')).toBe(LINES);
    expect(project.read('b.txt')).toBe(CHANGED.replace('five', 'mine'));
  });

  it('takes one decision for each path', async () => {
    const both = ['--resolve', 'a.txt=restore', '--resolve=b.txt=keep'];
    expect((await project.run(['rewind', id, ...both])).code).toBe(0);
    expect(project.read('a.txt')).toBe(LINES);
    expect(project.read('b.txt')).toBe(CHANGED.replace('five', 'mine'));
  });

  it('refuses two decisions about one path', async () => {
    const both = ['--resolve', 'a.txt=keep', '--resolve', './a.txt=restore'];
    const { code, err } = await project.run(['rewind', id, ...both]);
    expect(code).toBe(2);
    expect(err).toContain('the request names this path twice (a.txt)');
    expect(project.read('a.txt')).toBe(CHANGED.replace('five', 'mine'));
  });

  it.each(['a.txt', 'a.txt=mine', '=keep', '.=keep'])('refuses %s', async (text) => {
    const { code, err } = await project.run(['rewind', id, '--resolve', text]);
    expect(code).toBe(2);
    expect(err).toContain('--resolve needs PATH=keep or PATH=restore');
  });
});
