import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliProject, type Json, MAIN } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';
import { Terminal } from './terminal.ts';

describe('savepoint diff', () => {
  const project = new CliProject({
    'src/a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n9\n',
    'gone.txt': 'bye\n',
    'run.sh': 'echo\n',
  });
  let first: string;
  let second: string;

  beforeAll(async () => {
    chmodSync(project.path('run.sh'), 0o644);
    first = await project.agent({
      message: 'm1',
      paths: ['src/a.txt', 'gone.txt', 'run.sh', 'link', 'data.bin', 'out/new.txt'],
      work: () => {
        project.write('src/a.txt', '1\n2\n3\n4\nFIVE\n6\n7\n8\n9\n');
        rmSync(project.path('gone.txt'));
        chmodSync(project.path('run.sh'), 0o755);
        symlinkSync('src/a.txt', project.path('link'));
        writeFileSync(project.path('data.bin'), Buffer.from([1, 0, 2]));
        mkdirSync(project.path('out'));
        project.write('out/new.txt', 'no newline');
      },
    });
    second = await project.agentWrites('m2', 'src/a.txt', '1\n2\n3\n4\nFIVE\n6\n7\n8\nNINE\n');
  });
  afterAll(() => project.remove());

  it('shows what was created, deleted, modified, linked and made executable since', async () => {
    const { code, out, err } = await project.run(['diff', first]);
    expect(code).toBe(0);
    expect(blockOf(out, 'src/a.txt').slice(0, -1)).toEqual([
      '--- a/src/a.txt',
      '+++ b/src/a.txt',
      '@@ -2,8 +2,8 @@',
      ' 2',
      ' 3',
      ' 4',
      '-5',
      '+FIVE',
      ' 6',
      ' 7',
      ' 8',
      '-9',
      '+NINE',
    ]);
    expect(blockOf(out, 'gone.txt')).toEqual([
      'deleted file mode 100644',
      '--- a/gone.txt',
      '+++ /dev/null',
      '@@ -1,1 +0,0 @@',
      '-bye',
    ]);
    expect(blockOf(out, 'run.sh')).toEqual(['old mode 100644', 'new mode 100755']);
    expect(blockOf(out, 'link')).toContain('new file mode 120000');
    expect(blockOf(out, 'data.bin')).toContain('Binary files /dev/null and b/data.bin differ');
    expect(blockOf(out, 'out/new.txt').slice(-2)).toEqual([
      '+no newline',
      '\\ No newline at end of file',
    ]);
    expect(summaryOf(out)).toBe(
      '7 paths changed, 4 insertions(+), 3 deletions(-), 4 created, 1 deleted',
    );
    expect(err).toBe(
      'savepoint: this is no patch for git: data.bin is binary\n' +
        `hint: take it back with: savepoint rewind ${first}\n`,
    );
  });

  it('compares two checkpoints, in either direction', async () => {
    const forward = await project.run(['diff', first, second, '--', 'src']);
    expect(forward.out).toContain('-5\n+FIVE\n');
    expect(forward.out).not.toContain('NINE');
    const backward = await project.run(['diff', second, first, 'src/a.txt']);
    expect(backward.out).toContain('-FIVE\n+5\n');
  });

  it('takes paths from where the person stands', async () => {
    const { out } = await project.run(['diff', first, 'a.txt'], { cwd: project.path('src') });
    expect(out).toContain('b/src/a.txt');
    expect(summaryOf(out)).toContain('1 path changed');
    const whole = await project.run(['diff', first, '--', '..'], { cwd: project.path('src') });
    expect(summaryOf(whole.out)).toContain('7 paths changed');
  });

  it('gives programs the hunks', async () => {
    const { code, out: printed } = await project.run([
      'diff',
      '--json',
      first,
      '--',
      'src/a.txt',
      'data.bin',
    ]);
    expect(code).toBe(0);
    expectSchema('diff', printed);
    const value = JSON.parse(printed) as Json;
    expect(value).toMatchObject({
      version: 1,
      from: first,
      to: null,
      insertions: 2,
      deletions: 2,
      pathBytes: {},
    });
    const [binary, text] = value.files as Record<string, unknown>[];
    expect(binary).toMatchObject({
      path: 'data.bin',
      status: 'created',
      before: null,
      binary: true,
      hunks: [],
    });
    expect(text).toMatchObject({
      path: 'src/a.txt',
      status: 'modified',
      after: { type: 'file', size: 24 },
    });
    expect(text).toMatchObject({
      hunks: [{ lines: expect.arrayContaining([{ kind: 'add', text: 'FIVE' }]) }],
    });
  });

  it('sums up in a line for each file, for people and for programs', async () => {
    const { code, out } = await project.run(['diff', first, '--stat']);
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      ' data.bin    | bin (created)',
      ' gone.txt    |   1 -',
      ' link        |   1 +',
      ' out         |   0 (created)',
      ' out/new.txt |   1 +',
      ' run.sh      |   0',
      ' src/a.txt   |   4 ++--',
      '7 paths changed, 4 insertions(+), 3 deletions(-), 4 created, 1 deleted',
      '',
    ]);
    const programs = await project.run(['diff', first, '--stat', '--json']);
    expectSchema('diff', programs.out);
    expect(programs.out).not.toContain('hunks');
  });

  it('takes a word for a path that once was one, although it looks like an id', async () => {
    const place = new CliProject({ makefile: 'all:\n' });
    const work = () => rmSync(place.path('makefile'));
    const id = await place.agent({ message: 'm1', paths: ['makefile', 'b.txt'], work });
    const { code, out } = await place.run(['diff', id, 'makefile', 'b.txt']);
    expect(code).toBe(0);
    expect(summaryOf(out)).toBe('1 path changed, 0 insertions(+), 1 deletion(-), 1 deleted');
    place.remove();
  });

  it('shows a new mode along with a new name', async () => {
    const place = new CliProject({ 'old.sh': 'echo\n' });
    chmodSync(place.path('old.sh'), 0o644);
    const work = () => {
      renameSync(place.path('old.sh'), place.path('new.sh'));
      chmodSync(place.path('new.sh'), 0o755);
    };
    const id = await place.agent({ message: 'm1', paths: ['old.sh', 'new.sh'], work });
    const { out } = await place.run(['diff', id]);
    expect(out).toContain(
      [
        'diff --git a/old.sh b/new.sh',
        'old mode 100644',
        'new mode 100755',
        'similarity index 100%',
        'rename from old.sh',
        'rename to new.sh',
      ].join('\n'),
    );
    const programs = await place.run(['diff', id, '--json']);
    expectSchema('diff', programs.out);
    expect(JSON.parse(programs.out).files).toMatchObject([
      { status: 'renamed', from: 'old.sh', before: { mode: '644' }, after: { mode: '755' } },
    ]);
    place.remove();
  });

  it('is read in colours and page by page at a terminal', async () => {
    const place = { cwd: project.root, env: project.env() };
    const terminal = new Terminal([MAIN, 'diff', first], { ...place, rows: 12 });
    await terminal.until((screen) => screen.endsWith(':'));
    expect(terminal.raw).toContain('\x1b[1mdiff --git a/data.bin b/data.bin');
    terminal.type('G');
    await terminal.until('7 paths changed');
    expect(terminal.raw).toContain('\x1b[32m+FIVE');
    terminal.type('q');
    expect(await terminal.exit()).toBe(0);
    await terminal.close();
  });

  it('explains itself', async () => {
    expect((await project.run(['diff', '--help'])).out).toMatchInlineSnapshot(`
      "usage: savepoint diff ID [ID2] [PATH...] [options]

      Shows what changed in the recorded files since a checkpoint, whoever changed it, as a unified diff.
      With a second checkpoint, what is different between the two. ID is the beginning of an id from
      \`savepoint list\`, a label, \`latest\`, or \`~N\` for the Nth before the latest; also the id of a prompt,
      and that of an operation for what was there before it. PATHs follow; after a \`--\`, a word that could
      be an ID is a path as well. \`git apply\` takes the output, unless there are binary files in it, or
      characters that are shown as their numbers because they could steer a terminal.

      options:
        --stat         only how many lines changed in which file
        --no-pager     print everything at once (at a terminal, what is longer than the screen goes
                       through PAGER, or less)
        --project DIR  the project; by default the one around the current folder
        --json         print JSON for programs, and nothing else, on standard output
        --quiet        print results and problems, no remarks and no hints
        --no-color     no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
        --help         show this help

      examples:
        savepoint diff latest            what the last message did
        savepoint diff k3m9 src          only below src
        savepoint diff ~5 --stat         an overview
        savepoint diff k3m9 x7ab --json  between two checkpoints, with hunks as JSON
      "
    `);
  });

  it('names the paths of which nothing is on record', async () => {
    project.write('untouched.txt', 'mine\n');
    const typo = await project.run(['diff', first, 'nonexist.txt']);
    expect(typo).toMatchObject({ code: 4, out: 'nonexist.txt: nothing on record\n', err: '' });
    const untouched = await project.run(['diff', first, 'untouched.txt']);
    expect(untouched).toMatchObject({ code: 0, out: 'untouched.txt: no change on record\n' });
    const same = await project.run(['diff', second, 'gone.txt']);
    expect(same).toMatchObject({ code: 0, out: 'No differences.\n' });
    const { code, value } = await project.json(['diff', first, '--', 'nonexist.txt', 'src']);
    expect(code).toBe(0);
    expect(value).toMatchObject({ files: [{ path: 'src/a.txt' }], notOnRecord: ['nonexist.txt'] });
  });

  it('says which checkpoint it does not know, and takes no path for one', async () => {
    const unknown = await project.run(['diff', 'zzzz']);
    expect(unknown).toMatchObject({ code: 4, out: '' });
    expect(unknown.err).toBe(
      'savepoint: no checkpoint "zzzz"\nhint: see what there is with: savepoint list\n',
    );
    expect((await project.run(['diff', first, 'zzzz'])).code).toBe(4);
    const { code, value } = await project.json(['diff', 'zzzz']);
    expect(code).toBe(4);
    expect(value).toEqual({
      version: 1,
      error: {
        code: 'checkpoint-not-found',
        message: 'no checkpoint "zzzz"',
        path: null,
        hint: 'see what there is with: savepoint list',
      },
    });
  });
});

describe('savepoint diff where the worktree is scanned', () => {
  it('shows what happened since the last scan, too', async () => {
    const project = new CliProject({ 'a.txt': 'old\n' });
    expect((await project.run(['run', '--', 'true'])).code).toBe(0);
    project.write('a.txt', 'new\n');
    const { out } = await project.run(['diff', 'latest']);
    expect(out).toContain('-old\n+new\n');
    project.remove();
  });
});

/** The lines under a file's heading, up to the next one. */
function blockOf(out: string, name: string): string[] {
  const lines = out.trimEnd().split('\n');
  const from = lines.indexOf(`diff --git a/${name} b/${name}`) + 1;
  const length = lines.slice(from).findIndex((line) => line.startsWith('diff --git'));
  return lines.slice(from, length === -1 ? undefined : from + length);
}

function summaryOf(out: string): string {
  return out.trimEnd().split('\n').at(-1) ?? '';
}
