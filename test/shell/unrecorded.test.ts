import { describe, expect, it } from 'vitest';
import type { Receipt } from '../../src/index.ts';
import { changedPaths, command, message, withProject } from './agent-work.ts';
import { type Picture, pictureOf } from './picture.ts';

const place = withProject({ extra: 'truncate -s 11M old.dat; truncate -s 12M edited.dat' });

/** The tree without the paths that a rewind must leave alone. */
function without(picture: Picture, ...paths: string[]): Picture {
  return Object.fromEntries(Object.entries(picture).filter(([path]) => !paths.includes(path)));
}

function named({ conflicts, skipped, errors }: Receipt): string[] {
  return [...conflicts, ...skipped, ...errors]
    .map(({ path, reason }) => `${path}: ${reason}`)
    .sort();
}

/** Runs a script that makes things nobody can record, and takes the rest of it back. */
async function takeBackAllBut(script: string, ...left: string[]): Promise<string[]> {
  const { project, savepoint } = place;
  const { id } = await message(savepoint);
  const before = project.picture();
  const report = await command(savepoint, () => project.sh(script));
  expect(report.coverage).toBe('scanned');
  const after = project.picture();
  const receipt = await savepoint.rewind({ to: id });
  const kept = left.map((path) => [path, after[path]]).filter(([, line]) => line !== undefined);
  expect(project.picture()).toEqual({ ...without(before, ...left), ...Object.fromEntries(kept) });
  await savepoint.undo();
  expect(project.picture()).toEqual(after);
  return named(receipt);
}

describe('a rewind leaves as it is, and names,', () => {
  it('a new file past the size limit', async () => {
    const lines = await takeBackAllBut('printf x > small; truncate -s 11M huge', 'huge');
    expect(lines).toEqual(['huge: after-unknown']);
  });

  it('a file past the size limit that was edited', async () => {
    const lines = await takeBackAllBut('printf x >> edited.dat; rm src/main.txt', 'edited.dat');
    expect(lines).toEqual(['edited.dat: before-unknown-too-large']);
    expect((await place.savepoint.status()).worktree?.unrecorded).toContainEqual({
      path: 'edited.dat',
      reason: 'too-large',
    });
  });

  it('a file past the size limit that was deleted: its bytes are nowhere', async () => {
    const lines = await takeBackAllBut('rm old.dat; printf x > src/main.txt', 'old.dat');
    expect(lines).toEqual(['old.dat: before-unknown-too-large']);
  });

  it('a file that grew past the size limit', async () => {
    const lines = await takeBackAllBut('rm link; truncate -s 11M src/main.txt', 'src/main.txt');
    expect(lines).toEqual(['src/main.txt: after-unknown']);
  });

  it('a named pipe', async () => {
    const lines = await takeBackAllBut('mkfifo pipe; printf x > src/main.txt', 'pipe');
    expect(lines).toEqual(['pipe: current-unknown']);
  });

  it('a socket', async () => {
    const listen = `require('node:net').createServer().listen('sock', () => process.kill(process.pid, 'SIGKILL'))`;
    const script = `printf x > new.txt; node -e "${listen}" || true; [ -S sock ]`;
    expect(await takeBackAllBut(script, 'sock')).toEqual(['sock: current-unknown']);
  });

  it('a named pipe that stands where a file was', async () => {
    const lines = await takeBackAllBut('rm link src/main.txt; mkfifo src/main.txt', 'src/main.txt');
    expect(lines).toEqual(['src/main.txt: current-unknown']);
  });

  it('a folder in which something is left', async () => {
    const lines = await takeBackAllBut(
      'mkdir new; mkfifo new/pipe; printf x > new/x',
      'new',
      'new/pipe',
    );
    expect(lines).toEqual(['new/pipe: current-unknown', 'new: directory-not-empty']);
  });

  it('the .git of a repository that the command made', async () => {
    const script = 'git init --quiet --template= module; printf x > module/file';
    expect(await takeBackAllBut(script, 'module')).toEqual(['module: directory-not-empty']);
  });
});

describe('what could not be recorded', () => {
  it('is named by the report of the command and by the status', async () => {
    const { project, savepoint } = place;
    await message(savepoint);
    const report = await command(savepoint, () => project.sh('truncate -s 11M huge; mkfifo pipe'));
    expect([...report.unrecorded].sort()).toEqual(['huge', 'pipe']);
    expect(changedPaths(report)).toEqual(['huge', 'pipe']);
    const { worktree } = await savepoint.status();
    expect(worktree?.unrecorded.map(({ path }) => String(path)).sort()).toEqual([
      'edited.dat',
      'huge',
      'old.dat',
      'pipe',
    ]);
  });

  it('is named by a materialized tree, which holds the rest', async () => {
    const { project, savepoint } = place;
    const { id } = await message(savepoint);
    const written = await savepoint.materialize(id, `${project.scratch}/written`);
    expect(written.skipped.map(({ path }) => String(path))).toEqual(['edited.dat', 'old.dat']);
    const tree = without(project.picture(), 'edited.dat', 'old.dat');
    expect(pictureOf(written.directory)).toEqual(tree);
  });

  it('is on record once it is small enough', async () => {
    const { project, savepoint } = place;
    await message(savepoint);
    await command(savepoint, () => project.sh('printf small > old.dat'));
    const { id } = await message(savepoint, 'm2');
    await command(savepoint, () => project.sh('rm old.dat'), { message: 'm2' });
    await savepoint.rewind({ to: id });
    expect(project.read('old.dat')).toBe('small');
  });
});
