import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { changedPaths, command, message, withProject } from './agent-work.ts';

const place = withProject({ keepIgnored: false });

/** Runs a script in a window of the first message, then rewinds to before it. */
async function runAndRewind(script: string): Promise<string[]> {
  const { project, savepoint } = place;
  const { id } = await message(savepoint);
  const report = await command(savepoint, () => project.sh(script));
  expect((await savepoint.rewind({ to: id })).success).toBe(true);
  return changedPaths(report);
}

describe('a rule that goes', () => {
  it('leaves the files that it ignored alone', async () => {
    const { project, savepoint } = place;
    const before = project.picture();
    const ignored = project.untouchable();
    const changed = await runAndRewind("sed -i '/local.env/d' .gitignore");
    expect(changed).toEqual(['.gitignore', 'local.env']);
    expect(project.untouchable()).toEqual(ignored);
    expect(project.picture()).toEqual(before);
    await savepoint.undo();
    expect(project.untouchable()).toEqual(ignored);
  });

  it('leaves a whole folder of ignored files alone', async () => {
    const { project } = place;
    const ignored = project.untouchable();
    await runAndRewind('rm .gitignore');
    expect(project.untouchable()).toEqual(ignored);
    expect(project.read('.gitignore')).toBe('local.env\nout/\n');
  });

  it('never has a file overwritten that was edited by the same command', async () => {
    const { project, savepoint } = place;
    await runAndRewind("sed -i '/local.env/d' .gitignore; printf 'edited\\n' > local.env");
    expect(project.read('local.env')).toBe('edited\n');
    await savepoint.undo();
    expect(project.read('local.env')).toBe('edited\n');
  });

  it('never has a file deleted that the same command made while it was ignored', async () => {
    const { project } = place;
    await runAndRewind("printf new > out/new.o; sed -i '/out/d' .gitignore");
    expect(project.read('out/new.o')).toBe('new');
  });

  it('lets later edits be taken back', async () => {
    const { project, savepoint } = place;
    await runAndRewind("sed -i '/local.env/d' .gitignore");
    await savepoint.undo();
    const { id } = await message(savepoint, 'm2');
    await command(savepoint, () => project.sh('rm local.env'), { message: 'm2' });
    await savepoint.rewind({ to: id });
    expect(project.read('local.env')).toBe('logged\n');
  });

  it('lets a file that is made later be taken back', async () => {
    const { project, savepoint } = place;
    await message(savepoint);
    await command(savepoint, () => project.sh("sed -i '/out/d' .gitignore"));
    const { id } = await message(savepoint, 'm2');
    await command(savepoint, () => project.sh('printf x > out/late.o'), { message: 'm2' });
    await savepoint.rewind({ to: id });
    expect(existsSync(project.at('out/late.o'))).toBe(false);
    expect(project.read('out/made.o')).toBe('made\n');
  });

  it('does not make a deletion of what went while it was ignored', async () => {
    const { project, savepoint } = place;
    await message(savepoint);
    project.sh("printf 'docs/\\n' >> .gitignore");
    await savepoint.scan();
    project.sh('printf edited > docs/guide.md');
    const { id } = await message(savepoint, 'm2');
    const report = await command(savepoint, () => project.sh("sed -i '/docs/d' .gitignore"), {
      message: 'm2',
    });
    // Somebody edited it while nobody looked: not this command.
    expect(report.changes.find(({ path }) => path === 'docs/guide.md')?.origin).toBe('outside');
    await savepoint.rewind({ to: id });
    expect(project.read('docs/guide.md')).toBe('edited');
  });

  it('never has a file deleted whose first life the session had begun and ended', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    await command(savepoint, () => project.sh('printf agent > report.txt'));
    await command(savepoint, () => project.sh('rm report.txt'));
    await command(savepoint, () => project.sh("printf 'report.txt\\n' >> .gitignore"));
    project.write('report.txt', 'a person’s');
    await command(savepoint, () => project.sh("sed -i '/report/d' .gitignore"));
    await savepoint.rewind({ to: id });
    expect(project.read('report.txt')).toBe('a person’s');
  });

  it('never has a file deleted, not even when the tree is wanted exactly as it was', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    const ignored = project.untouchable();
    await command(savepoint, () => project.sh('rm .gitignore'));
    const receipt = await savepoint.rewind({ to: id, take: 'exact' });
    const reason = 'before-unknown-not-seen';
    const paths = ['local.env', 'out', 'out/made.o'];
    expect(receipt.skipped).toEqual(paths.map((path) => ({ path, reason })));
    expect(project.untouchable()).toEqual(ignored);
  });
});

describe('a rule that comes', () => {
  it('deletes nothing and puts no deletion on record', async () => {
    const { project, savepoint } = place;
    const before = project.picture();
    expect(await runAndRewind("printf 'docs/\\n*.txt\\n' >> .gitignore")).toEqual(['.gitignore']);
    expect(project.picture()).toEqual(before);
    await savepoint.undo();
    expect(project.picture()).toEqual({
      ...before,
      '.gitignore': 'file 644 local.env\nout/\ndocs/\n*.txt\n',
    });
  });

  it('in a nested file counts below that folder alone', async () => {
    const { project } = place;
    const before = project.picture();
    const changed = await runAndRewind(
      "printf '*.txt\\n' > src/.gitignore; printf x > src/main.txt; printf x > docs/empty.txt",
    );
    // What the command wrote before the rule hid it is taken back as well.
    expect(changed).toEqual(['docs/empty.txt', 'src/.gitignore', 'src/main.txt']);
    expect(project.picture()).toEqual(before);
  });

  it('leaves a file that the command made and then ignored', async () => {
    const { project } = place;
    const changed = await runAndRewind("printf x > cache.bin; printf 'cache.bin\\n' >> .gitignore");
    expect(changed).toEqual(['.gitignore']);
    expect(project.read('cache.bin')).toBe('x');
  });

  it('still lets go what an earlier command made under the eyes of the scan', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    await command(savepoint, () => project.sh('printf x > cache.bin'));
    await command(savepoint, () => project.sh("printf 'cache.bin\\n' >> .gitignore"));
    await savepoint.rewind({ to: id });
    expect(existsSync(project.at('cache.bin'))).toBe(false);
  });

  it('as a marker of build output leaves the folder beside it alone', async () => {
    const { project, savepoint } = place;
    project.sh('mkdir dist; printf mine > dist/page.html');
    const before = project.picture();
    await runAndRewind("printf '{}\\n' > package.json");
    expect(project.picture()).toEqual(before);
    await savepoint.undo();
    expect(project.read('dist/page.html')).toBe('mine');
  });
});

describe('a rule of .savepointignore', () => {
  it('brings a file back that .gitignore leaves out', async () => {
    const { project, savepoint } = place;
    project.sh("printf 'KEY=dummy\\n' > .env; printf '.env\\n' >> .gitignore");
    project.sh("printf '!.env\\n' > .savepointignore");
    const changed = await runAndRewind("printf 'KEY=other\\n' > .env");
    expect(changed).toEqual(['.env']);
    expect(project.read('.env')).toBe('KEY=dummy\n');
    await savepoint.undo();
    expect(project.read('.env')).toBe('KEY=other\n');
  });

  it('that the command writes itself protects what it un-ignores', async () => {
    const { project } = place;
    project.sh("printf 'KEY=dummy\\n' > .env; printf '.env\\n' >> .gitignore");
    await runAndRewind("printf '!.env\\n' > .savepointignore; printf 'KEY=other\\n' > .env");
    expect(project.read('.env')).toBe('KEY=other\n');
    expect(existsSync(project.at('.savepointignore'))).toBe(false);
  });

  it('leaves out what git tracks', async () => {
    const { project } = place;
    project.sh("printf 'docs/\\n' > .savepointignore");
    expect(await runAndRewind('printf x > docs/guide.md; printf x > src/other.txt')).toEqual([
      'src/other.txt',
    ]);
    expect(project.read('docs/guide.md')).toBe('x');
  });
});

describe('rules outside of the worktree', () => {
  it('in .git/info/exclude come and go like any other', async () => {
    const { project, savepoint } = place;
    project.sh(
      'git init --quiet --template= .; mkdir .git/info; printf "*.tmp\\n" > .git/info/exclude',
    );
    project.write('a.tmp', 'old');
    const { id } = await message(savepoint);
    await command(savepoint, () => project.sh(': > .git/info/exclude; printf new > a.tmp'));
    await savepoint.rewind({ to: id });
    expect(project.read('a.tmp')).toBe('new');
    await command(savepoint, () => project.sh("printf 'docs/\\n' > .git/info/exclude"));
    await savepoint.rewind({ to: id });
    expect(project.read('docs/guide.md')).toBe('words\n');
  });

  it('in the user’s own file count in every folder of git', async () => {
    const { project } = place;
    project.sh('git init --quiet --template= .');
    project.sh('mkdir -p "$HOME/.config/git"; printf "*.bak\\n" > "$HOME/.config/git/ignore"');
    expect(await runAndRewind('printf x > a.bak; printf x > a.txt')).toEqual(['a.txt']);
    expect(project.read('a.bak')).toBe('x');
  });
});

describe('what is ignored all along', () => {
  it('is neither put on record nor touched', async () => {
    const { project } = place;
    const script = 'printf x >> local.env; rm out/made.o; printf x > node_modules/pkg/new.js';
    expect(await runAndRewind(script)).toEqual([]);
    expect(existsSync(project.at('out/made.o'))).toBe(false);
    expect(project.read('local.env')).toBe('logged\nx');
  });

  it('is named when it stands in the place of a file, which then stays away', async () => {
    const { project, savepoint } = place;
    project.sh("printf 'gen/\\n' >> .gitignore; printf 'made by hand\\n' > gen");
    const { id } = await message(savepoint);
    await command(savepoint, () => project.sh('rm gen; mkdir gen; printf x > gen/made'));
    const receipt = await savepoint.rewind({ to: id });
    expect(receipt.conflicts).toEqual([{ path: 'gen', reason: 'blocked' }]);
    expect(project.read('gen/made')).toBe('x');
  });

  it('and was moved into scope goes as a new file, and comes back with undo', async () => {
    const { project, savepoint } = place;
    expect(await runAndRewind('mv local.env kept.txt')).toEqual(['kept.txt']);
    expect(existsSync(project.at('kept.txt'))).toBe(false);
    await savepoint.undo();
    expect(project.read('kept.txt')).toBe('logged\n');
  });

  it('keeps a new folder alive that is to go', async () => {
    const { project } = place;
    await runAndRewind('mkdir new; printf x > new/local.env; printf x > new/file');
    expect(existsSync(project.at('new/file'))).toBe(false);
    expect(project.read('new/local.env')).toBe('x');
  });
});

describe('a file that was made while a rule hid its name', () => {
  it('is not deleted, even by an exact rewind to when another of that name had gone', async () => {
    const { project, savepoint } = place;
    await message(savepoint, 'before');
    await command(savepoint, () => project.sh('rm src/main.txt'));
    const { id } = await message(savepoint, 'gone');
    await command(savepoint, () => project.sh("printf 'main.txt\\n' > src/.gitignore"));
    await command(savepoint, () => project.sh('printf mine > src/main.txt'));
    await command(savepoint, () => project.sh('rm src/.gitignore'));
    const { skipped } = await savepoint.rewind({ to: id, take: 'exact' });
    expect(skipped).toContainEqual({ path: 'src/main.txt', reason: 'before-unknown-not-seen' });
    expect(project.read('src/main.txt')).toBe('mine');
  });
});
