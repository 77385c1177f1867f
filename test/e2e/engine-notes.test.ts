import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSavepoint, type RewindPlan } from '../../src/index.ts';
import { GitRepository } from '../git/git-repository.ts';
import { type Bed, makeBed } from './engine-bed.ts';
import { canaryOf } from './tree-of.ts';

let bed: Bed;
beforeEach(async () => {
  bed = await makeBed();
});
afterEach(() => bed.remove());

function git(folder: string, ...args: string[]): string {
  const { PATH = '' } = process.env;
  const who = ['-c', 'user.name=dummy', '-c', 'user.email=dummy@example.invalid'];
  const env = { PATH, HOME: bed.base, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', [...who, ...args], { cwd: folder, env, encoding: 'utf8' }).trim();
}

/** A repository with one commit. */
function makeRepository(): void {
  git(bed.root, 'init', '--quiet', '--initial-branch=main');
  bed.put('tracked', '1');
  commit('first');
}

function commit(message: string, folder: string = bed.root): string {
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--allow-empty', '--message', message);
  return git(folder, 'rev-parse', 'HEAD');
}

function codes(plan: Pick<RewindPlan, 'notes'>): string[] {
  return plan.notes.map((note) => note.code);
}

describe('git', () => {
  it('commits made since are noted, and never moved', async () => {
    makeRepository();
    await bed.write('m1', 'file', 'agent');
    const head = commit('by the agent');
    const receipt = await bed.rewind('m1');
    expect(codes(receipt)).toEqual(['commits-since']);
    expect(receipt.notes[0]?.message).toContain(head.slice(0, 12));
    expect(git(bed.root, 'rev-parse', 'HEAD')).toBe(head);
  });

  it('is noted as HEAD then and now by exact', async () => {
    makeRepository();
    await bed.write('m1', 'file', 'agent');
    commit('by the agent');
    expect(codes(await bed.rewind('m1', { take: 'exact' }))).toEqual(['git-head']);
  });

  it('is not noted when nothing was committed', async () => {
    makeRepository();
    await bed.write('m1', 'file', 'agent');
    expect(codes(await bed.rewind('m1'))).toEqual([]);
  });

  const forms: [what: string, change: () => string][] = [
    ['a branch', () => git(bed.root, 'rev-parse', 'HEAD')],
    ['packed references', () => git(bed.root, 'pack-refs', '--all')],
    ['a detached HEAD', () => git(bed.root, 'checkout', '--quiet', '--detach')],
    ['a branch with slashes', () => git(bed.root, 'checkout', '--quiet', '-b', 'a/b/c')],
  ];
  it.each(forms)('HEAD is known by its files alone: %s', async (_what, change) => {
    makeRepository();
    const head = git(bed.root, 'rev-parse', 'HEAD');
    change();
    const repository = canaryOf(bed.at('.git'));
    expect((await bed.savepoint.checkpoint({})).gitHead).toBe(head);
    expect(canaryOf(bed.at('.git'))).toEqual(repository);
  });

  it('HEAD of another worktree is its own', async () => {
    makeRepository();
    const folder = join(bed.base, 'worktree');
    git(bed.root, 'worktree', 'add', '--quiet', folder, '-b', 'side');
    const head = commit('on the side', folder);
    const other = await openSavepoint({ project: folder, home: bed.home });
    expect((await other.checkpoint({})).gitHead).toBe(head);
    await other.close();
  });

  it('HEAD before the first commit, and without git, is none', async () => {
    expect((await bed.savepoint.checkpoint({})).gitHead).toBeNull();
    git(bed.root, 'init', '--quiet');
    expect((await bed.savepoint.checkpoint({})).gitHead).toBeNull();
  });
});

describe('what a person should know', () => {
  it.each(['package-lock.json', 'sub/Cargo.lock', 'go.sum'])(
    'a lock file changes: %s',
    async (path) => {
      bed.put(path, 'before');
      await bed.write('m1', path, 'after');
      expect((await bed.rewind('m1')).notes).toMatchObject([
        { code: 'lock-file-changed', paths: [path] },
      ]);
    },
  );

  it('a lock file that stays as it is gives no note', async () => {
    bed.put('.vscode/package-lock.json', 'before');
    await bed.write('m1', '.vscode/package-lock.json', 'after');
    expect((await bed.rewind('m1')).notes).toEqual([]);
  });

  it('a file with several names is replaced under this one: the others keep what they have', async () => {
    bed.put('file', 'before');
    await bed.write('m1', 'file', 'after');
    const other = join(bed.outside, 'other');
    linkSync(bed.at('file'), other);
    const receipt = await bed.rewind('m1');
    expect(receipt.notes).toMatchObject([{ code: 'hard-links', paths: ['file'] }]);
    expect([bed.text('file'), readFileSync(other, 'utf8')]).toEqual(['before', 'after']);
  });

  it('the mode of a file with several names goes back under this one alone', async () => {
    bed.put('file', 'same', 0o644);
    await bed.tool('m1', ['file'], () => chmodSync(bed.at('file'), 0o755));
    const other = join(bed.outside, 'other');
    linkSync(bed.at('file'), other);
    const receipt = await bed.rewind('m1');
    expect(receipt.notes).toMatchObject([{ code: 'hard-links', paths: ['file'] }]);
    const modes = [bed.at('file'), other].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o644, 0o755]);
  });

  it('a file of another user will be our own', async ({ skip }) => {
    if (process.geteuid?.() !== 0) skip('only the administrator can give files away');
    bed.put('file', 'before');
    await bed.write('m1', 'file', 'after');
    chownSync(bed.at('file'), 65534, 65534);
    const receipt = await bed.rewind('m1');
    expect(receipt.notes).toMatchObject([{ code: 'owner-changes', paths: ['file'] }]);
  });

  const deletions: [how: string, scan: boolean, held: boolean][] = [
    ['that a tool named', false, false],
    ['that a scan found gone', true, false],
    ['that git holds, and a scan found gone', true, true],
  ];
  it.for(deletions)(
    'a file of another user %s comes back as our own',
    async ([, scan, held], { skip }) => {
      if (process.geteuid?.() !== 0) skip('only the administrator can give files away');
      bed.put('file', 'before');
      bed.put('own', 'before');
      chownSync(bed.at('file'), 65534, 65534);
      const repository = new GitRepository(bed.root, bed.base);
      if (held) {
        repository.git('init', '--quiet');
        await repository.commit();
      }
      const remove = (): void => {
        for (const name of ['file', 'own']) rmSync(bed.at(name));
      };
      if (scan) {
        await bed.reopen({ scan: true, environment: repository.environment });
        const window = await bed.savepoint.openWindow({
          sessionId: 'agent',
          messageId: 'm1',
          description: 'rm',
        });
        expect((await bed.savepoint.status()).worktree?.fromGit).toBe(held ? 2 : 0);
        remove();
        await bed.savepoint.closeWindow(window.id);
      } else await bed.tool('m1', ['file', 'own'], remove);
      const receipt = await bed.rewind('m1');
      expect(receipt.notes.at(-1)).toMatchObject({ code: 'owner-changes', paths: ['file'] });
      expect(statSync(bed.at('file')).uid).toBe(0);
      // It is ours now: another deletion is nothing to speak of.
      await bed.tool('m2', ['file'], () => rmSync(bed.at('file')));
      expect((await bed.rewind('m2')).notes).toEqual([]);
    },
  );

  it('set-user-id and set-group-id bits of files never come back', async () => {
    bed.put('tool', 'before', 0o4755);
    bed.put('gone', 'before', 0o2755);
    bed.put('plain', 'before', 0o755);
    await bed.tool('m1', ['tool', 'gone', 'plain'], () => {
      bed.put('tool', 'after', 0o755);
      rmSync(bed.at('gone'));
      bed.put('plain', 'after', 0o755);
    });
    const receipt = await bed.rewind('m1');
    expect(receipt.notes).toMatchObject([{ code: 'set-id', paths: ['gone', 'tool'] }]);
    for (const name of ['tool', 'gone', 'plain']) {
      expect(statSync(bed.at(name)).mode & 0o7777).toBe(0o755);
    }
    await bed.savepoint.undo();
    expect(statSync(bed.at('tool')).mode & 0o7777).toBe(0o755);
  });

  it('a rename by the agent over a hard link leaves the other name alone', async () => {
    const other = join(bed.outside, 'other');
    writeFileSync(other, 'outside');
    linkSync(other, bed.at('file'));
    const before = canaryOf(bed.outside);
    await bed.tool('m1', ['file'], () => {
      bed.put('new', 'agent');
      renameSync(bed.at('new'), bed.at('file'));
    });
    await bed.rewind('m1');
    expect(bed.text('file')).toBe('outside');
    expect(readFileSync(other, 'utf8')).toBe('outside');
    expect(Object.keys(canaryOf(bed.outside))).toEqual(Object.keys(before));
  });
});
