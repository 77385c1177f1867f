import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { relativePath } from '../../src/index.ts';
import { CliProject, type RunOptions } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';
import { treeOf } from './tree-of.ts';

const SECRET = 'KEY=dummy-4f1a\n';
let project: CliProject;
beforeEach(() => {
  project = new CliProject({
    'a.txt': 'one\n',
    '.gitignore': '.env\n/local/\n*.log\n*.sqlite*\n*.lock\nnode_modules/\ndist/\n/data/\n',
    '.env': SECRET,
    'local/settings.json': '{}\n',
    'local/deep/er.txt': 'deep\n',
  });
});
afterEach(() => project.remove());

async function runs(script: string, options: RunOptions = {}): Promise<string> {
  const { code, err } = await project.run(['run', '--', 'sh', '-c', script], options);
  expect(code).toBe(0);
  return err.replaceAll(/\s+/g, ' ');
}

function git(...args: string[]): void {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
  execFileSync('git', [...identity, ...args], { cwd: project.root, stdio: 'pipe' });
}

describe('git clean -fdx', () => {
  it('can be undone but for build output', async () => {
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--message', 'first');
    for (const file of ['untracked', 'app.log', 'dev.sqlite', 'node_modules/x/index.js', 'dist/o'])
      project.write(file, `${file}\n`);
    mkdirSync(project.path('local/empty'));
    const before = treeOf(project.root);
    await runs('git clean -fdx --quiet');
    expect(existsSync(project.path('.env'))).toBe(false);
    expect((await project.run(['undo'])).code).toBe(0);
    const left = (name: string): boolean => !/^(\.git|node_modules|dist)(\/|$)/.test(name);
    const kept = Object.entries(before).filter(([name]) => left(name));
    const after = Object.entries(treeOf(project.root)).filter(([name]) => left(name));
    expect(Object.fromEntries(after)).toEqual(Object.fromEntries(kept));
    expect(existsSync(project.path('dist'))).toBe(false);
  });
});

describe('an ignored file', () => {
  it('comes back when a run removed or changed it, and goes when the run made it', async () => {
    await runs('rm .env; echo changed > local/settings.json; echo new > local/new.json');
    expect((await project.run(['undo'])).code).toBe(0);
    expect(project.read('.env')).toBe(SECRET);
    expect(project.read('local/settings.json')).toBe('{}\n');
    expect(project.read('local/new.json')).toBe(null);
  });

  it('is neither deleted nor brought back because its folder has grown too large', async () => {
    project.write('data/mine', 'mine\n');
    await runs('i=0; while [ $i -lt 250 ]; do echo x > data/$i; i=$((i+1)); done; echo x >> a.txt');
    const before = treeOf(project.path('data'));
    expect((await project.run(['undo'])).code).toBe(0);
    expect(project.read('a.txt')).toBe('one\n');
    expect(treeOf(project.path('data'))).toEqual(before);
    expect((await project.run(['rewind', 'latest', '--exact', '--yes'])).code).not.toBe(1);
    expect(treeOf(project.path('data'))).toEqual(before);
  });

  it('is said to be kept once in a project, and listed by status', async () => {
    project.write('node_modules/x/index.js', 'x');
    const said = await runs('true');
    expect(said).toMatch(/small files that git ignores are recorded.*keepIgnored.*\.env/);
    expect(await runs('rm .env')).not.toContain('small files that git ignores');
    project.write('.env', SECRET);
    const { value } = await project.json(['status']);
    expectSchema('status', JSON.stringify(value));
    expect(value).toMatchObject({ worktree: { keptIgnored: 5, ignored: ['node_modules'] } });
    const { out } = await project.run(['status']);
    expect(out).toContain('Private      5 entries that git ignores');
    expect(out).toMatch(/Left out {5}1 name.*\n +node_modules/);
  });

  it('is not said to be in a checkpoint that leaves build output out', async () => {
    expect((await project.run(['save'])).out).toContain('the whole worktree');
    project.write('dist/o', 'x');
    const { out } = await project.run(['save']);
    expect(out).toContain(
      'the worktree except what is ignored and left out; see savepoint status.',
    );
  });

  it('goes when a run made it anew, also among many ignored names', async () => {
    await project.run(['save']);
    await runs('i=0; while [ $i -lt 250 ]; do echo x > $i.log; i=$((i+1)); done');
    await runs('rm .env');
    await runs('echo made > .env');
    const { value } = await project.json(['undo']);
    expect(value).toMatchObject({ deletedFiles: ['.env'] });
    expect((await project.run(['undo'])).code).toBe(0);
    expect(project.read('.env')).toBe(SECRET);
  });

  it('is what is left out where maxScanEntries has no room for all', async () => {
    const env = { SAVEPOINT_MAX_SCAN_ENTRIES: '3' };
    await runs('rm a.txt', { env });
    expect((await project.run(['undo'], { env })).code).toBe(0);
    expect(project.read('a.txt')).toBe('one\n');
    const { out } = await project.run(['status', '--json'], { env });
    const worktree = { keptIgnored: 0, ignored: ['.env', 'local'] };
    expect(JSON.parse(out)).toMatchObject({ worktree });
  });

  it('is named by a run that removes it although it is too large to be kept', async () => {
    const large = 'x'.repeat(2 ** 20 + 1);
    project.write('grown.log', 'small');
    await project.run(['save']);
    for (const name of ['large.log', 'grown.log']) project.write(name, large);
    project.write('dist/o', 'x');
    const said = await runs('rm -r large.log grown.log dist');
    expect(said).toMatch(/cannot be brought back[^:]*: large\.log $/);
    // Its growth is on record, and so is its content.
    expect((await project.run(['undo'])).code).toBe(0);
    expect(project.read('grown.log')).toBe(large);
    project.write('large.log', large);
    const { value } = await project.json(['run', '--', 'rm', 'large.log']);
    expectSchema('run', JSON.stringify(value));
    expect(value).toMatchObject({ changes: [], lost: ['large.log'] });
  });

  it('is left out with keepIgnored off, and no deletion for that', async () => {
    await project.run(['save']);
    const env = { SAVEPOINT_KEEP_IGNORED: 'false' };
    expect(await runs('rm .env; echo x > a.txt', { env })).toContain('1 path changed');
    await project.run(['undo'], { env });
    expect(project.read('a.txt')).toBe('one\n');
    expect(project.read('.env')).toBe(null);
  });

  it('is never read where exclude names it', async () => {
    const env = { SAVEPOINT_EXCLUDE: '.env' };
    await runs('echo changed > local/settings.json', { env });
    expect(isStored(SECRET)).toBe(false);
    expect(isStored('deep')).toBe(true);
  });
});

describe.each(['local', 'plain'])('a repository in the folder %s', (folder) => {
  it('comes back without its own .git, and every command says so before', async () => {
    project.write(`${folder}/file`, 'x\n');
    execFileSync('git', ['init', '--quiet', project.path(folder)], { stdio: 'pipe' });
    expect((await project.run(['save'])).out).toContain('except what is ignored and left out');
    const { value } = await project.json(['status']);
    expect(value).toMatchObject({ worktree: { ignored: [`${folder}/.git`] } });
    expect(await runs(`rm -r ${folder}`)).toContain(`left out of the record: ${folder}/.git`);
    expect((await project.run(['undo'])).code).toBe(0);
    expect(project.read(`${folder}/file`)).toBe('x\n');
    expect(existsSync(project.path(`${folder}/.git`))).toBe(false);
  });
});

describe('a database, log or lock file that is ignored', () => {
  it('is not written over while it is there, and the plan says why', async () => {
    for (const file of ['dev.sqlite', 'app.log', 'server.lock']) project.write(file, 'old\n');
    await runs('for f in dev.sqlite app.log server.lock a.txt; do echo new > $f; done');
    const { value } = await project.json(['undo', '--dry-run']);
    expect(value.skipped).toMatchObject([
      { path: 'app.log', reason: 'in-use' },
      { path: 'dev.sqlite', reason: 'in-use' },
      { path: 'server.lock', reason: 'in-use' },
    ]);
    const { out } = await project.run(['undo']);
    expect(out.replaceAll(/\s+/g, ' ')).toContain('a program may be using it');
    expect(project.read('a.txt')).toBe('one\n');
    expect(project.read('dev.sqlite')).toBe('new\n');
  });

  it('comes back when it is gone', async () => {
    for (const file of ['dev.sqlite', 'app.log']) project.write(file, 'old\n');
    await runs('rm dev.sqlite app.log');
    expect((await project.run(['undo'])).code).toBe(0);
    expect([project.read('dev.sqlite'), project.read('app.log')]).toEqual(['old\n', 'old\n']);
  });

  it('does not come back beside another part of the same database', async () => {
    for (const file of ['dev.sqlite', 'dev.sqlite-wal']) project.write(file, 'old\n');
    await runs('rm dev.sqlite-wal');
    const { value } = await project.json(['undo']);
    expect(value.skipped).toMatchObject([{ path: 'dev.sqlite-wal', reason: 'database-in-use' }]);
    expect(project.read('dev.sqlite-wal')).toBe(null);
  });

  it('comes back whole after somebody has moved the rest of the database away, as the plan asked', async () => {
    for (const file of ['dev.sqlite', 'dev.sqlite-wal']) project.write(file, 'old\0');
    await runs('rm dev.sqlite');
    project.write('dev.sqlite-wal', 'written since\0');
    const { out } = await project.run(['undo']);
    expect(out.replaceAll(/\s+/g, ' ')).toContain('move all files of the database away');
    expect(project.read('dev.sqlite')).toBe(null);
    renameSync(project.path('dev.sqlite-wal'), project.path('moved'));
    expect((await project.run(['undo'])).code).toBe(0);
    expect(project.read('dev.sqlite')).toBe('old\0');
    expect(project.read('dev.sqlite-wal')).toBe('old\0');
  });

  it.each(['since', 'not since'])(
    'comes back after it was moved away, written to %s',
    async (when) => {
      project.write('dev.sqlite', 'old\0');
      await runs('printf "new\\0" > dev.sqlite');
      if (when === 'since') project.write('dev.sqlite', 'mine\0');
      expect((await project.json(['undo'])).value.skipped).toMatchObject([{ reason: 'in-use' }]);
      renameSync(project.path('dev.sqlite'), project.path('moved'));
      expect((await project.run(['undo'])).code).toBe(0);
      expect(project.read('dev.sqlite')).toBe('old\0');
    },
  );

  it('does not come back because another file of the same database is to stay away', async () => {
    project.write('dev.sqlite', 'mine\0');
    await runs('echo new > dev.sqlite-journal');
    for (const file of ['dev.sqlite', 'dev.sqlite-journal']) rmSync(project.path(file));
    await project.run(['undo']);
    expect(project.read('dev.sqlite')).toBe(null);
  });

  it('is not written over by a merge either, when it is as it was before the oldest change', async () => {
    const start = '1\n2\n3\n4\n5\n';
    project.write('app.log', start);
    await runs('sed -i s/1/one/ app.log');
    project.write('app.log', 'one\n2\n3\n4\n5\n6\n');
    await runs('sed -i /6/d app.log');
    project.write('app.log', start);
    const { value } = await project.json(['rewind', '~1', '--yes']);
    expect(value.skipped).toMatchObject([{ path: 'app.log', reason: 'in-use' }]);
    expect(project.read('app.log')).toBe(start);
  });

  it('is taken back like any other file where it is the lock file of a package manager', async () => {
    project.write('yarn.lock', 'old\n');
    await runs('echo new > yarn.lock');
    expect((await project.run(['undo'])).code).toBe(0);
    expect(project.read('yarn.lock')).toBe('old\n');
  });
});

describe('half of an ignored database', () => {
  const LARGE = 'x'.repeat(1024 * 1024 + 1);
  const INCOMPLETE = 'database-incomplete';

  it.each([
    ['the log', { 'dev.sqlite': 'old', 'dev.sqlite-shm': 'x', 'dev.sqlite-wal': LARGE }],
    ['the database', { 'dev.sqlite': LARGE, 'dev.sqlite-shm': 'x', 'dev.sqlite-wal': 'old' }],
  ])('is lost and not brought back if %s was too large to be kept', async (_, files) => {
    for (const [name, content] of Object.entries(files)) project.write(name, content);
    await runs('rm dev.sqlite*; echo new > a.txt');
    const { code, out } = await project.run(['undo', '--json']);
    expect(code).toBe(1);
    const { restoredFiles, errors } = JSON.parse(out);
    expect(restoredFiles).toEqual(['a.txt']);
    const wanted = Object.entries(files).map(([path, content]) => {
      return { path, reason: content === LARGE ? 'before-unknown-not-seen' : INCOMPLETE };
    });
    expect(errors).toMatchObject(wanted);
    for (const name of Object.keys(files)) expect(project.read(name)).toBe(null);
  });

  it('is lost if only the database was removed, and its large log was moved away later', async () => {
    project.write('dev.sqlite', 'old');
    project.write('dev.sqlite-wal', LARGE);
    await runs('rm dev.sqlite');
    rmSync(project.path('dev.sqlite-wal'));
    const { value } = await project.json(['undo']);
    expect(value.errors).toMatchObject([
      { path: 'dev.sqlite', reason: INCOMPLETE },
      { path: 'dev.sqlite-wal', reason: 'before-unknown-not-seen' },
    ]);
    expect(project.read('dev.sqlite')).toBe(null);
  });

  it('is lost if the settings kept another file of it from being recorded', async () => {
    const env = { SAVEPOINT_MAX_FILE_SIZE: '1000' };
    project.write('dev.sqlite', 'old');
    project.write('dev.sqlite-wal', 'x'.repeat(2000));
    await runs('rm dev.sqlite*', { env });
    const { code, out } = await project.run(['undo', '--json'], { env });
    expect(code).toBe(1);
    expect(JSON.parse(out).errors).toMatchObject([
      { path: 'dev.sqlite', reason: INCOMPLETE },
      { path: 'dev.sqlite-wal', reason: 'before-unknown-too-large' },
    ]);
    expect(project.read('dev.sqlite')).toBe(null);
  });

  describe('by hunks', () => {
    /** The id of the one hunk of each file. */
    async function hunksOf(to: string): Promise<Map<string, string>> {
      const { value } = await project.json(['rewind', to, '--hunks', '--dry-run']);
      const files = value.hunks as { path: string; hunks: { id: string }[] }[];
      return new Map(files.map(({ path, hunks }) => [path, hunks[0]?.id ?? 'none']));
    }

    it.each([
      ['dev.sqlite', 'rm dev.sqlite*'],
      ['dev.sqlite-wal', 'rm dev.sqlite*'],
      // The run changed only one file of it, and the person moved the others away.
      ['dev.sqlite', 'printf "new\\0" > dev.sqlite'],
      ['dev.sqlite-wal', 'printf "new\\0" > dev.sqlite'],
    ])('is not brought back where only %s is chosen after %s', async (path, script) => {
      const files = ['dev.sqlite', 'dev.sqlite-wal'];
      for (const file of files) project.write(file, `${file}\0`);
      await runs(script);
      for (const file of files) rmSync(project.path(file), { force: true });
      const hunks = await hunksOf('latest');
      const one = ['rewind', 'latest', '--hunk', hunks.get(path) ?? ''];
      const { code, value } = await project.json(one);
      expect(code).toBe(5);
      expect(value).toMatchObject({ skipped: [{ path, reason: 'database-in-part' }], errors: [] });
      expect(files.map((file) => project.read(file))).toEqual([null, null]);
      const both = files.flatMap((file) => ['--hunk', hunks.get(file) ?? '']);
      expect((await project.run(['rewind', 'latest', ...both])).code).toBe(0);
      expect(files.map((file) => project.read(file))).toEqual(files.map((file) => `${file}\0`));
    });

    it('comes back where what is left out was not there then', async () => {
      project.write('dev.sqlite', 'old\0');
      await runs('printf "new\\0" > dev.sqlite; echo log > dev.sqlite-wal');
      await runs('rm dev.sqlite*');
      const hunks = await hunksOf('~1');
      expect([...hunks.keys()]).toEqual(['dev.sqlite']);
      const one = ['rewind', '~1', '--hunk', hunks.get('dev.sqlite') ?? ''];
      expect((await project.run(one)).code).toBe(0);
      expect(project.read('dev.sqlite')).toBe('old\0');
    });
  });

  it('is made whole if the run changed only that, and somebody moved all of it away', async () => {
    for (const file of ['dev.sqlite', 'dev.sqlite-wal']) project.write(file, 'old\0');
    await runs('printf "new\\0" > dev.sqlite-wal');
    for (const file of ['dev.sqlite', 'dev.sqlite-wal']) rmSync(project.path(file));
    expect((await project.run(['undo'])).code).toBe(0);
    expect(project.read('dev.sqlite')).toBe('old\0');
    expect(project.read('dev.sqlite-wal')).toBe('old\0');
  });

  it('has none of the rows missing that only its log holds', async () => {
    const made = join(project.scratch, 'dev.sqlite');
    const database = new DatabaseSync(made);
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)');
    // A program that closes it puts the log into the database.
    for (const suffix of ['', '-wal', '-shm']) {
      copyFileSync(`${made}${suffix}`, project.path(`dev.sqlite${suffix}`));
    }
    database.close();
    await runs('rm dev.sqlite');
    for (const suffix of ['-wal', '-shm']) rmSync(project.path(`dev.sqlite${suffix}`));
    expect((await project.run(['undo'])).code).toBe(0);
    const back = new DatabaseSync(project.path('dev.sqlite'));
    expect(back.prepare('SELECT count(*) AS rows FROM t').get()).toMatchObject({ rows: 2 });
    back.close();
  });

  it('is not made by a rewind to one of its files alone', async () => {
    for (const file of ['dev.sqlite', 'dev.sqlite-wal']) project.write(file, 'old\0');
    await runs('rm dev.sqlite*');
    expect((await project.run(['rewind', 'latest', 'dev.sqlite', '--yes'])).code).toBe(0);
    expect(project.read('dev.sqlite')).toBe('old\0');
    expect(project.read('dev.sqlite-wal')).toBe('old\0');
  });
});

describe('an export', () => {
  const file = (): string => join(project.scratch, 'out.savepoint');

  it('leaves ignored files behind unless they are named', async () => {
    await runs('echo more >> .env; echo more >> local/settings.json; echo more >> a.txt');
    const { out } = await project.run(['export', file()]);
    expect(out).toContain('2 paths that git ignores; --private PATHS takes them along');
    const without = await exported();
    expect(without).toEqual(['a.txt']);
    const named = ['export', file(), '--force', '--private', '.env:local'];
    expect((await project.run(named)).code).toBe(0);
    expect(await exported()).toEqual(['.env', 'a.txt', 'local/settings.json']);
  });

  it('leaves an ignored file behind that only a tool named', async () => {
    await project.agentWrites('m1', '.env', 'KEY=other\n');
    await project.agentWrites('m1', 'a.txt', 'two\n');
    const { value } = await project.json(['export', file()]);
    expectSchema('export', JSON.stringify(value));
    expect(value).toMatchObject({ privateOut: ['.env'] });
    expect(await exported()).toEqual(['a.txt']);
  });

  it('asks git alone whether a file is private, not .savepointignore or the list of build output', async () => {
    project.write('.gitignore', '.env\n.env2\ndist/\n');
    project.write('.savepointignore', '.env\n!.env2\n');
    for (const path of ['.env', '.env2', 'dist/key', 'a.txt'])
      await project.agentWrites('m1', path, 'KEY=other\n');
    const { value } = await project.json(['export', file()]);
    expect(value).toMatchObject({ privateOut: ['.env', '.env2', 'dist', 'dist/key'] });
    expect(await exported()).toEqual(['a.txt']);
  });

  it('leaves ignored files behind that .savepointignore brings back into scope', async () => {
    project.write('.savepointignore', '!.env\n!dist/\n');
    project.write('dist/key', SECRET);
    await runs(
      'echo more >> .env; echo more >> dist/key; echo more > dist/new; echo more >> a.txt',
    );
    const { value } = await project.json(['export', file()]);
    expect(value).toMatchObject({ privateOut: ['.env', 'dist/key', 'dist/new'] });
    expect(await exported()).toEqual(['a.txt']);
  });

  it('stays without a file that became ignored after it was recorded', async () => {
    project.write('late', 'x');
    await project.run(['save']);
    project.write('.gitignore', `${project.read('.gitignore')}late\n`);
    await runs('echo secret > late; echo more >> a.txt');
    await project.run(['export', file()]);
    expect(await exported()).toEqual(['a.txt']);
  });

  it('brings a file that is private again where git ignores it there too', async () => {
    await runs('echo more >> .env; echo more >> a.txt');
    await project.run(['export', file(), '--private', '.env']);
    const other = new CliProject({ '.gitignore': '.env\n' });
    try {
      expect((await other.run(['import', file()])).code).toBe(0);
      const { value } = await other.json(['export', join(other.scratch, 'again'), '--all']);
      expect(value).toMatchObject({ privateOut: ['.env'] });
    } finally {
      other.remove();
    }
  });

  /** The paths in the file, as another project gets them. */
  async function exported(): Promise<string[]> {
    const other = new CliProject({});
    try {
      expect((await other.run(['import', file()])).code).toBe(0);
      const changes = await other.open((savepoint) => savepoint.changes({}));
      return [...new Set(changes.map(({ path }) => String(path)))].sort();
    } finally {
      other.remove();
    }
  }
});

it('is private for whoever asks, below an ignored folder too, also when the rule has gone', async () => {
  await project.run(['save']);
  rmSync(project.path('.gitignore'));
  await project.run(['save']);
  await project.open(async (savepoint) => {
    const isPrivate = await savepoint.privatePaths();
    const asked = ['.env', 'local', 'local/deep/er.txt', 'local/never-seen', 'a.txt'];
    expect(asked.map((path) => isPrivate(relativePath(path)))).toEqual([
      ...[true, true, true, true],
      false,
    ]);
  });
});

/** Whether a text lies in any file of the store; nothing is compressed before a compaction. */
function isStored(text: string): boolean {
  return readdirSync(project.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(text));
}
