import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import { type GitBaseline, startGitBaseline } from '../../src/capture/git/baseline.ts';
import type { GitRefusal, RefusedByGit } from '../../src/capture/git/refusal.ts';
import type { EntryStat } from '../../src/capture/scan/entry-stat.ts';
import { pathToBytes, type TrackedPath } from '../../src/model/path.ts';
import type { GitRepository } from './git-repository.ts';

/** What a test makes `lstat` say of a path. */
export type ChangedStat = (path: string, stat: EntryStat) => EntryStat;

/**
 * The paths that the baseline takes. Whatever a test is about: what git holds of each of them must be
 * the bytes of its file.
 */
export async function takenFrom(
  repository: GitRepository,
  changed?: ChangedStat,
  root: string = repository.root,
): Promise<string[]> {
  const baseline = await baselineOf(repository, changed, root);
  const entries = [...baseline.entries];
  assert.equal(entries.length, baseline.count);
  for (const { path, oid, size } of entries) {
    const held = execFileSync('git', ['cat-file', 'blob', oid.toString('hex')], {
      cwd: repository.root,
      env: repository.environment,
    });
    assert.ok(held.equals(readFileSync(locate(root, path))), path);
    assert.equal(size, held.length);
  }
  return entries.map(({ path }) => path);
}

export async function baselineOf(
  repository: GitRepository,
  changed?: ChangedStat,
  root: string = repository.root,
): Promise<GitBaseline> {
  const found = await readBaseline(repository, changed, root);
  if ('refused' in found) throw new Error(`refused: ${found.refused}`);
  return found;
}

/** Why everything is refused; null when it is not. */
export async function refusalFrom(
  repository: GitRepository,
  root: string = repository.root,
): Promise<GitRefusal | null> {
  const found = await readBaseline(repository, undefined, root);
  return 'refused' in found ? found.refused : null;
}

function readBaseline(
  { environment }: GitRepository,
  changed: ChangedStat = (_, stat) => stat,
  root: string,
): Promise<GitBaseline | RefusedByGit> {
  const statOf = (path: TrackedPath): EntryStat | null => {
    const stats = lstatSync(locate(root, path), { throwIfNoEntry: false });
    return stats === undefined ? null : changed(path, stats);
  };
  return startGitBaseline(root, environment).finish(statOf);
}

function locate(root: string, path: TrackedPath): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), pathToBytes(path)]);
}
