import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliProject } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';

const project = new CliProject({ 'a.txt': 'one\n' });
const at = (name: string): string => join(project.scratch, name);

beforeAll(async () => {
  await project.agentWrites('m1', 'a.txt', 'two\n');
  await project.agentWrites('m2', 'b.txt', 'new\n');
  await project.agent({
    message: 'o1',
    session: 'other',
    paths: ['c.txt', at('outside.txt')],
    work: () => project.write('c.txt', 'c'),
  });
});
afterAll(() => project.remove());

describe('savepoint export', () => {
  it('shows its help', async () => {
    const { out } = await project.run(['export', '--help']);
    expect(out).toMatchInlineSnapshot(`
      "usage: savepoint export FILE [options]

      Writes a session with its sub-agents, its checkpoints and the contents of the files that it changed
      into one file that only you can read; \`savepoint import\` brings it into another project or machine.
      Without an option it is the session that was active last. The timeline stays as it is. Files that
      git ignores, such as .env, stay behind unless --private names them.

      options:
        --session ID     this session; the beginning of its id is enough
        --all            everything that is on record
        --private PATHS  take these ignored files or folders along, separated by ":"
        --force          replace FILE if it is there
        --project DIR    the project; by default the one around the current folder
        --json           print JSON for programs, and nothing else, on standard output
        --quiet          print results and problems, no remarks and no hints
        --no-color       no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
        --help           show this help

      examples:
        savepoint export bug.savepoint        the newest session, to hand over or to keep
        savepoint export all.savepoint --all  the whole timeline
      "
    `);
  });

  it('writes a file that nobody else can read, and says at a terminal what to do with it', async () => {
    const { code, raw } = await project.see(['export', '../one.savepoint', '--session', 's1']);
    expect(code).toBe(0);
    expect(raw).toMatch(/^Written to \S+one\.savepoint: 1 session, 2\s+checkpoints/);
    expect(raw).toContain('hint: bring it into another project with: savepoint import');
    expect(lstatSync(at('one.savepoint')).mode & 0o777).toBe(0o600);
    expect(readFileSync(at('one.savepoint'), 'latin1')).toMatch(/^savepoint-export 1\n/);
  });

  it('tells programs what it holds and what stays behind', async () => {
    const { code, out } = await project.run(['export', at('two.savepoint'), '--json']);
    expect(code).toBe(0);
    expectSchema('export', out);
    expect(JSON.parse(out)).toMatchObject({
      file: at('two.savepoint'),
      bytes: lstatSync(at('two.savepoint')).size,
      sessions: [{ id: 'other', agent: 'test-agent' }],
      checkpoints: 1,
      changes: 1,
      leftOut: [at('outside.txt')],
    });
    const all = await project.run(['export', at('all.savepoint'), '--all', '--quiet']);
    expect(all).toMatchObject({ code: 0, err: '' });
    expect(all.out).toMatch(/: 2 sessions, 3 checkpoints, 3 changes, .*\n {2}left out {5}1 path /);
  });

  it('replaces nothing unless it is told to, and then only a plain file', async () => {
    writeFileSync(at('mine'), 'mine', { mode: 0o644 });
    symlinkSync('mine', at('link'));
    mkdirSync(at('folder'));
    const refused = await project.run(['export', at('mine'), '--json']);
    expect(refused.code).toBe(1);
    expectSchema('error', refused.out);
    expect(JSON.parse(refused.out)).toMatchObject({ error: { code: 'file-exists' } });
    for (const name of ['link', 'folder']) {
      const forced = await project.run(['export', at(name), '--force']);
      expect(forced).toMatchObject({ code: 1, out: '' });
      expect(forced.err).toContain('not a plain file');
    }
    expect(readFileSync(at('mine'), 'utf8')).toBe('mine');
    expect((await project.run(['export', at('mine'), '--force'])).code).toBe(0);
    expect(lstatSync(at('mine')).mode & 0o777).toBe(0o600);
    expect(readdirSync(project.scratch).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it.each([
    [['--session', 'nobody'], 4, 'no session "nobody"'],
    [['--session', 's1', '--all'], 2, 'exclude each other'],
    [['more'], 2, 'unexpected argument'],
  ])('ends %j with exit code %i', async (more, code, message) => {
    const result = await project.run(['export', at('never'), ...more]);
    expect(result).toMatchObject({ code, out: '' });
    expect(result.err).toContain(message);
    expect(existsSync(at('never'))).toBe(false);
  });

  it('ends with 4 where there is no folder, and where nothing was recorded', async () => {
    const nowhere = await project.json(['export', at('no/where')]);
    expect(nowhere).toMatchObject({ code: 4, value: { error: { code: 'file-missing' } } });
    mkdirSync(at('empty'));
    const empty = await project.run(['export', at('never')], { cwd: at('empty') });
    expect(empty.code).toBe(4);
  });

  it('says in one line that a file cannot be written', async () => {
    const result = await project.run(['export', '/proc/never']);
    expect(result.code).toBeGreaterThan(0);
    expect(result.err).toMatch(/^savepoint: (the file cannot be written|there is no such folder)/);
  });
});
