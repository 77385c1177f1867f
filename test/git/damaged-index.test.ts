import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { parseIndex } from '../../src/capture/git/git-index.ts';
import { Refusal } from '../../src/capture/git/refusal.ts';
import { type GitRepository, withGitRepository } from './git-repository.ts';
import { refusalFrom, takenFrom } from './taken.ts';

const FILES = { 'a/one': '1\n', 'a/two': '2\n', 'a/two-more': '3\n', b: '4\n' };

describe.each([2, 4])('a damaged index of version %d', (version) => {
  it('is refused wherever it is cut off', () =>
    withIndex(version, async (_, bytes) => {
      for (let length = 0; length < bytes.length; length += 1) {
        assert.throws(() => parseIndex(bytes.subarray(0, length)), Refusal);
        // The same with a checksum that fits, so that it is the parser which has to notice.
        if (length < 12) continue;
        const cut = tryParse(withHash(bytes.subarray(0, length)));
        assert.ok(cut === null || cut === Object.keys(FILES).length, `${length}`);
      }
    }));

  it('is refused for any flipped bit', () =>
    withIndex(version, async (repository, bytes) => {
      for (let at = 0; at < bytes.length; at += 1) {
        const damaged = flip(bytes, at, at % 8);
        assert.throws(() => parseIndex(damaged), Refusal);
      }
      replaceIndex(repository, flip(bytes, 100, 3));
      assert.equal(await refusalFrom(repository), 'index-damaged');
    }));

  it('does not crash or hang on flipped bits under a sound checksum', () =>
    withIndex(version, async (_, bytes) => {
      for (let at = 0; at < bytes.length - 20; at += 1) {
        for (let bit = 0; bit < 8; bit += 1) {
          tryParse(withHash(flip(bytes, at, bit).subarray(0, -20)));
        }
      }
    }));

  it('never leads to a file that does not hold its object', () =>
    withIndex(version, async (repository, bytes) => {
      const random = numbersFrom(20_240_607 + version);
      let taken = 0;
      for (let round = 0; round < 40; round += 1) {
        let damaged = bytes;
        for (let flips = 0; flips <= round % 3; flips += 1) {
          damaged = flip(damaged, random(bytes.length - 20), random(8));
        }
        replaceIndex(repository, withHash(damaged.subarray(0, -20)));
        // What is taken is compared with the files by `takenFrom` itself.
        if ((await refusalFrom(repository)) === null) taken += (await takenFrom(repository)).length;
      }
      assert.ok(taken > 0);
    }));
});

describe('a hostile index', () => {
  it('is refused when it claims more entries than it can hold', () =>
    withIndex(2, async (_, bytes) => {
      const hostile = Buffer.from(bytes);
      hostile.writeUInt32BE(0xffff_ffff, 8);
      assert.throws(() => parseIndex(withHash(hostile.subarray(0, -20))), Refusal);
    }));

  it('is refused when an extension is longer than the file', () =>
    withIndex(2, async (_, bytes) => {
      const extension = Buffer.from('TREE\0\0\0\x01', 'latin1');
      const body = bytes.subarray(0, -20);
      assert.throws(() => parseIndex(withHash(Buffer.concat([body, extension]))), Refusal);
      const whole = Buffer.concat([body, extension, Buffer.alloc(1)]);
      assert.equal(tryParse(withHash(whole)), Object.keys(FILES).length);
    }));

  it('is refused when its entries are not in order, or one comes twice', () =>
    withIndex(2, async (_, bytes) => {
      for (const [from, to] of [
        ['a/one', 'c/one'],
        ['a/one', 'a/two'],
      ] as const) {
        const hostile = Buffer.from(bytes);
        hostile.write(to, hostile.indexOf(from));
        assert.throws(() => parseIndex(withHash(hostile.subarray(0, -20))), Refusal);
      }
    }));
});

function withIndex(
  version: number,
  body: (repository: GitRepository, bytes: Buffer) => Promise<void>,
): Promise<void> {
  return withGitRepository(async (repository) => {
    await repository.commit(FILES);
    repository.git('update-index', '--index-version', String(version));
    assert.deepEqual(await takenFrom(repository), Object.keys(FILES));
    await body(repository, readFileSync(join(repository.root, '.git/index')));
  });
}

/** How many entries it has; null when it was refused. Anything else that is thrown is a bug. */
function tryParse(bytes: Buffer): number | null {
  try {
    return parseIndex(bytes).paths.length;
  } catch (error) {
    assert.ok(error instanceof Refusal, `${error}`);
    return null;
  }
}

function withHash(body: Buffer): Buffer {
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

function flip(bytes: Buffer, at: number, bit: number): Buffer {
  const damaged = Buffer.from(bytes);
  damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
  return damaged;
}

function replaceIndex({ root }: GitRepository, bytes: Buffer): void {
  writeFileSync(join(root, '.git/index'), bytes);
}

/** The same numbers each time: a failure can be looked at again. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
