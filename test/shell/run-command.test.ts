import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pictureOf } from './picture.ts';
import { RunProject } from './run-project.ts';

let project: RunProject;
beforeEach(() => {
  project = new RunProject();
});
afterEach(() => project.remove());

describe('savepoint run', () => {
  it('runs a program, says what it changed, and undo takes it back', async () => {
    const before = project.picture();
    const { code, out, err } = await project.run(['echo said; rm link; printf x > src/main.txt']);
    expect([code, out]).toEqual([0, 'said\n']);
    expect(err).toContain('2 paths changed: 1 deleted, 1 modified');
    const after = project.picture();
    expect((await project.cli(['undo'])).code).toBe(0);
    expect(project.picture()).toEqual(before);
    expect((await project.cli(['redo'])).code).toBe(0);
    expect(project.picture()).toEqual(after);
  });

  it.each([
    ['the exit code of the program', 'printf x > new.txt; exit 7', 7],
    ['128 and the number of the signal that killed it', 'printf x > new.txt; kill -9 $$', 137],
    ['the code of a program that ended itself by SIGTERM', 'printf x > new.txt; kill $$', 143],
  ])('passes on %s, with the changes on record', async (_what, script, expected) => {
    const before = project.picture();
    expect((await project.run([script])).code).toBe(expected);
    expect(project.picture()).toMatchObject({ 'new.txt': 'file 644 x' });
    await project.cli(['undo']);
    expect(project.picture()).toEqual(before);
  });

  it('does not call a run covered that was not, although the look after it went well', async () => {
    // More to copy than may be, without a byte on the disk; gone when the program ends.
    project.sh('mkdir huge; for n in $(seq 210); do truncate -s 10M huge/$n; done');
    const { code, out, err } = await project.run(['rm -r huge link'], ['--json']);
    expect(code).toBe(0);
    expect(err).toMatch(/this run cannot be taken back: a first copy would take 2,10\d MiB/);
    const said = JSON.parse(out);
    expect(said).toMatchObject({ coverage: 'too-large', changes: [] });
    expect(said.notice).toContain('maxCopyBytes');
  });

  it('gives 127 for a program that is not there', async () => {
    const { code, err } = await project.cli(['run', '--', 'no-such-program']);
    expect(code).toBe(127);
    expect(err).toContain('no such program: no-such-program');
  });

  it('without a program is a mistake of usage', async () => {
    expect((await project.cli(['run'])).code).toBe(2);
  });

  it('says that it changed no file that is recorded, and leaves nothing to undo', async () => {
    const { code, out, err } = await project.run(['true']);
    expect([code, out]).toEqual([0, '']);
    expect(err).toContain('it changed no file that is recorded');
    expect(err).not.toContain('savepoint undo');
    expect((await project.cli(['undo'])).code).toBe(5);
  });

  it('with --json prints JSON alone, the program’s output aside', async () => {
    await project.run(['true']);
    const { code, out, err } = await project.run(
      ["echo said; printf x > $'caf\\xe9'; exit 4"],
      ['--json', '--message', 'a try'],
    );
    expect(code).toBe(4);
    expect(err).toBe('said\n');
    const value = JSON.parse(out) as { changes: { path: string; change: string }[] };
    expect(value).toMatchObject({ exitCode: 4, signal: null, coverage: 'scanned', notice: null });
    expect(value.changes.map(({ change }) => change)).toEqual(['created']);
    expect(Object.values((value as unknown as { pathBytes: object }).pathBytes)).toHaveLength(1);
    expect((await project.cli(['list'])).out).toContain('a try');
  });

  it('takes back several runs one after the other, newest first', async () => {
    const stops = [project.picture()];
    for (const script of ['printf 1 > a', 'printf 2 >> a; rm link', 'mv docs papers']) {
      await project.run([script]);
      stops.push(project.picture());
    }
    for (const picture of stops.toReversed().slice(1)) {
      expect((await project.cli(['undo'])).code).toBe(0);
      expect(project.picture()).toEqual(picture);
    }
  });

  it('does not count what a person did before it', async () => {
    await project.run(['printf 1 > a']);
    project.write('src/other.txt', 'person');
    await project.run(['printf 2 > b']);
    const after = project.picture();
    await project.cli(['undo']);
    const { b: _made, ...rest } = after;
    expect(project.picture()).toEqual(rest);
  });

  it('at once with another one marks what both can have done as shared', async () => {
    const wait = (mine: string, other: string): string =>
      `touch "$HOME/${mine}"; for i in $(seq 1000); do [ -e "$HOME/${other}" ] && break; sleep 0.01; done`;
    const results = await Promise.all([
      project.run([`${wait('one', 'two')}; printf 1 > 1.txt; ${wait('three', 'four')}`]),
      project.run([`${wait('two', 'one')}; printf 2 > 2.txt; ${wait('four', 'three')}`]),
    ]);
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    const savepoint = await project.open();
    const changes = await savepoint.changes({});
    const found = changes.map(({ path, attribution }) => [String(path), attribution]).sort();
    expect(found).toEqual([
      ['1.txt', 'shared'],
      ['2.txt', 'shared'],
    ]);
    // Nobody knows whose they are, so undo leaves them.
    expect((await project.cli(['undo'])).code).toBe(5);
    expect(project.picture()).toMatchObject({ '1.txt': 'file 644 1', '2.txt': 'file 644 2' });
  });

  it('refuses a home directory, and does not run the program', async () => {
    const { code, err } = await project.cli(['run', '--', 'touch', 'ran'], project.user);
    expect(code).toBe(2);
    expect(err).toContain('cannot be a project');
    expect(existsSync(join(project.user, 'ran'))).toBe(false);
  });

  it('works from a folder below the project, and runs the program there', async () => {
    await project.run(['true']);
    const before = project.picture();
    const { out } = await project.cli(
      ['run', '--', 'sh', '-c', 'pwd; rm main.txt'],
      project.at('src'),
    );
    expect(out).toBe(`${project.at('src')}\n`);
    await project.cli(['undo']);
    expect(project.picture()).toEqual(before);
  });

  it('goes on after its stat index was lost', async () => {
    await project.run(['true']);
    rmSync(join(project.storeFolder, 'scan.index'));
    await project.run(['printf x > src/main.txt']);
    await project.cli(['undo']);
    expect(project.read('src/main.txt')).toBe('one\ntwo\nthree\nfour\nfive\n');
  });

  it('lets status and materialize tell of the tree before it', async () => {
    const before = project.picture();
    await project.run(['rm -r src']);
    const { out } = await project.cli(['status', '--json']);
    expect(JSON.parse(out)).toMatchObject({
      worktree: { unrecorded: [], pending: 0 },
      running: [],
    });
    const target = join(project.scratch, 'written');
    expect((await project.cli(['materialize', 'latest', target])).code).toBe(0);
    expect(pictureOf(target)).toEqual(before);
  });
});
