import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GitBaseline } from '../../src/capture/git/baseline.ts';
import { isSavepointError } from '../../src/model/errors.ts';
import { GitObjects } from '../../src/store/sqlite/git-objects.ts';
import type { GitRepository } from './git-repository.ts';
import { baselineOf, takenFrom } from './taken.ts';

export const FILES: Readonly<Record<'a/one' | 'a/two' | 'three', string>> = {
  'a/one': 'one\n'.repeat(500),
  'a/two': 'two\n'.repeat(500),
  three: 'three\n',
};

/** Commits `FILES`, has git pack them, and gives the baseline, which takes all of them. */
export async function packed(repository: GitRepository): Promise<GitBaseline> {
  await repository.commit(FILES);
  repository.git('repack', '--quiet', '-a', '-d');
  assert.deepEqual(await takenFrom(repository), Object.keys(FILES));
  return baselineOf(repository);
}

export async function assertReadable(
  repository: GitRepository,
  store: string,
  baseline: GitBaseline,
): Promise<void> {
  assert.equal(await countFailures(repository, store, baseline), 0);
}

/** Reads everything as the store does: each file's bytes, or an error with the object's name. */
export async function countFailures(
  { root }: GitRepository,
  store: string,
  baseline: GitBaseline,
): Promise<number> {
  const kept = new GitObjects(store);
  let failures = 0;
  for (const { path, oid } of baseline.entries) {
    try {
      assert.ok(readFileSync(join(root, path)).equals(kept.read(oid)), path);
    } catch (error) {
      assert.ok(isSavepointError(error, 'blob-corrupt'), `${error}`);
      assert.ok(error.message.includes(oid.toString('hex')));
      failures += 1;
    }
  }
  return failures;
}
