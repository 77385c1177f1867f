import { spawn } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { runHere } from './cli-here.ts';
import { CliProject, MAIN, runNode } from './cli-project.ts';

const project = new CliProject({ 'a.txt': 'old\n' });
afterAll(() => project.remove());

describe('savepoint', () => {
  it('shows its help and its version', async () => {
    const help = await project.run([]);
    expect(help).toMatchObject({ code: 0, err: '' });
    for (const verb of ['list', 'diff', 'rewind', 'undo', 'redo', 'adopt', 'demo']) {
      expect(help.out).toMatch(new RegExp(`^ {2}${verb} `, 'm'));
    }
    expect(await project.run(['--version'])).toMatchObject({
      code: 0,
      out: `${manifest.version}\n`,
    });
    const { code, out } = await project.run(['rewind', '--help']);
    expect(code).toBe(0);
    expect(out).toMatch(/^usage: savepoint rewind \[ID \[PATH\.\.\.\]\] \[options\]\n/);
    for (const option of [
      'dry-run',
      'yes',
      'only-message',
      'exact',
      'include-shared',
      'force',
      'on-conflict',
    ]) {
      expect(out).toContain(`--${option}`);
    }
  });

  it.each([
    [['lst'], 'savepoint: unknown command "lst"\nhint: did you mean: savepoint list\n'],
    [['--frob'], 'savepoint: unknown option "--frob"\nhint: see: savepoint --help\n'],
    [['list', '--frob'], "savepoint: unknown option '--frob'\nhint: see: savepoint list --help\n"],
    [['undo', 'a', 'b'], 'savepoint: unexpected argument "b"\nhint: see: savepoint undo --help\n'],
    [
      ['list', 'extra'],
      'savepoint: unexpected argument "extra"\nhint: see: savepoint list --help\n',
    ],
    [['list', '--limit', '-1'], 'savepoint: --limit must be a number from 0 on, not "-1"\n'],
    [['list', '--limit'], 'savepoint: --limit needs a value\n'],
    [
      ['list', '--limit', '--no-color'],
      'savepoint: --limit needs a value\nhint: if --no-color is it: --limit=--no-color\n',
    ],
    [['rewind'], 'savepoint: which checkpoint?\nhint: see what there is with: savepoint list\n'],
    [
      ['rewind', 'x', '--on-conflict', 'y'],
      expect.stringContaining('must be one of keep, restore, fail'),
    ],
  ])('answers %j with one line, a hint and exit code 2', async (args, err) => {
    expect(await project.run(args)).toEqual({ code: 2, out: '', err });
  });

  it('takes options of every command before the command as well', async () => {
    const elsewhere = { cwd: project.scratch };
    const missing = await project.run(['--json', '--project', project.root, 'status'], elsewhere);
    expect(missing.code).toBe(4);
    expect(JSON.parse(missing.out)).toMatchObject({ error: { path: project.root } });
    const help = await project.run(['--json', 'help', 'list']);
    expect(help.out).toMatch(/^usage: savepoint list /);
  });

  it('tells a project that is no folder from one that is not there', async () => {
    const file = await project.run(['list', `--project=${project.path('a.txt')}`]);
    expect(file.code).toBe(4);
    expect(file.err).toMatch(/^savepoint: the project is not a folder \(.*a\.txt\)\nhint: /);
    const nowhere = await project.run(['list', '--project', project.path('nowhere')]);
    expect(nowhere.err).toMatch(/^savepoint: the project folder does not exist \(/);
  });

  it('gives hints only to a terminal', async () => {
    const place = { cwd: project.root, env: project.env() };
    for (const args of [['save', '-m', 'hinted'], ['list'], ['ops'], ['config']]) {
      const person = await runHere([...args], place);
      expect(person.err, args.join(' ')).toContain('hint: ');
    }
    for (const args of [['save'], ['list'], ['ops'], ['config']]) {
      const { code, err } = await runHere([...args], { ...place, errorTerminal: false });
      expect({ code, err }, args.join(' ')).toEqual({ code: 0, err: '' });
    }
  });

  it('gives usage errors to programs as JSON', async () => {
    const { code, value } = await project.json(['list', '--frob']);
    expect(code).toBe(2);
    expect(value).toEqual({
      version: 1,
      error: {
        code: 'usage',
        message: "unknown option '--frob'",
        path: null,
        hint: 'see: savepoint list --help',
      },
    });
  });

  it('reports what it did not expect in one line, and where only when asked', async () => {
    const env = { TMPDIR: '/nowhere/at/all' };
    const plain = await project.run(['demo'], { env });
    expect(plain.code).toBe(1);
    expect(plain.err).toMatch(/^savepoint: ENOENT.*\nhint: .*SAVEPOINT_DEBUG=1.*\n$/);
    const debug = await project.run(['demo'], { env: { ...env, SAVEPOINT_DEBUG: '1' } });
    expect(debug.err).toContain('    at ');
  });

  it('ends quietly when its reader leaves', async () => {
    await project.agentWrites('m1', 'a.txt', 'new\n');
    const options = { cwd: project.root, env: project.env() };
    const child = spawn(process.execPath, [MAIN, 'diff', 'latest'], { ...options, stdio: 'pipe' });
    child.stdout.destroy();
    let err = '';
    child.stderr.on('data', (data) => {
      err += data;
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code).toBe(0);
    expect(err).toBe('');
  });

  it('hides the warning about SQLite, and no other', async () => {
    const script = `
      const { hideSqliteWarning } = await import(${JSON.stringify(new URL('../../src/cli/main.ts', import.meta.url).href)});
      hideSqliteWarning();
      const sqlite = 'SQLite is an experimental feature and might change at any time';
      process.emitWarning(sqlite, 'ExperimentalWarning');
      process.emitWarning(sqlite, { type: 'ExperimentalWarning' });
      process.emitWarning('Something else', 'ExperimentalWarning');
      process.emitWarning(sqlite, 'DeprecationWarning');`;
    const args = ['--input-type=module', '--eval', script];
    const { err } = await runNode(args, { cwd: project.root, env: project.env() });
    expect(err.match(/Warning: .*/g)).toEqual([
      'Warning: Something else',
      'Warning: SQLite is an experimental feature and might change at any time',
    ]);
  });
});
