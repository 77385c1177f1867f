import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { GitRepository } from '../../../test/setup/git-repository.ts';
import { withTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { isSavepointError } from '../../model/errors.ts';
import { noiseBlob } from '../../testing/store/samples.ts';
import { GitObjects } from './git-objects.ts';

const MIB = 1024 * 1024;
const OFFSETS = '--delta-base-offset';

describe('objects of git', () => {
  it('are read from a pack in which each stands for itself', () =>
    withRepository((repository) => {
      const kept = samples().map((bytes) => ({ bytes, id: repository.addBlob(bytes) }));
      const ids = kept.map(({ id }) => id);
      const pack = repository.pack(ids, '--window=0');
      assert.equal(repository.depthOf(pack), 0);
      const objects = new GitObjects(repository.path);
      for (const { id, bytes } of kept) assertRead(objects, id, bytes);
    }));

  for (const [how, options] of [
    ['by the place of what it is made from', [OFFSETS]],
    ['by the id of what it is made from', []],
  ] as const) {
    it(`are made from one another, each ${how}`, () =>
      withRepository((repository) => {
        const kept = addVersions(repository, 60);
        const ids = kept.map(({ id }) => id);
        const pack = repository.pack(ids, ...options, '--depth=50', '--window=20');
        assert.ok(repository.depthOf(pack) > 20, `${repository.depthOf(pack)} deep`);
        const objects = new GitObjects(repository.path);
        for (const { id, bytes } of kept) assertRead(objects, id, bytes);
      }));
  }

  it('are made from one another in longer chains than git makes today', () =>
    withRepository((repository) => {
      const kept = addVersions(repository, 300);
      const ids = kept.map(({ id }) => id);
      const pack = repository.pack(ids, OFFSETS, '--depth=250', '--window=5');
      assert.ok(repository.depthOf(pack) > 100, `${repository.depthOf(pack)} deep`);
      const objects = new GitObjects(repository.path);
      for (const { id, bytes } of kept) assertRead(objects, id, bytes);
    }));

  it('are made from large ones', () =>
    withRepository((repository) => {
      const base = noiseBlob(5 * MIB).bytes;
      const kept = [0, 1, 2].map((at) => {
        const bytes = Buffer.concat([base, Buffer.from(`and ${at}`)]);
        bytes[at * MIB] = at;
        return { bytes, id: repository.addBlob(bytes) };
      });
      const pack = repository.pack(
        kept.map(({ id }) => id),
        OFFSETS,
      );
      assert.ok(repository.depthOf(pack) > 0);
      for (const { id, bytes } of kept) assertRead(new GitObjects(repository.path), id, bytes);
    }));

  it('are found past 2 GiB, where an index has a second table', () =>
    withRepository((repository) => {
      const kept = addVersions(repository, 40);
      const pack = repository.pack(
        kept.map(({ id }) => id),
        OFFSETS,
      );
      rmSync(`${pack}.idx`);
      // Git can be told to use that table for every object past the first bytes.
      repository.run(['index-pack', '--index-version=2,0x20', `${pack}.pack`]);
      for (const { id, bytes } of kept) assertRead(new GitObjects(repository.path), id, bytes);
    }));

  it('are found in any of several packs, also one that came after the first look', () =>
    withRepository((repository) => {
      const objects = new GitObjects(repository.path);
      const rounds = ['one', 'two', 'three'].map((text) => {
        const bytes = Buffer.from(text.repeat(100));
        const id = repository.packBlob(bytes);
        assertRead(objects, id, bytes);
        return { id, bytes };
      });
      for (const { id, bytes } of rounds) assertRead(objects, id, bytes);
    }));

  it('that are not there are said to be missing', () =>
    withRepository((repository) => {
      const objects = new GitObjects(repository.path);
      assertFails(objects, Buffer.alloc(20, 7), 'blob-missing');
      const loose = repository.addBlob(Buffer.from('in no pack'));
      const id = repository.packBlob(Buffer.from('one'));
      for (const key of [
        Buffer.alloc(20),
        Buffer.alloc(20, 255),
        Buffer.alloc(0),
        id.subarray(1),
        loose,
      ]) {
        assertFails(objects, key, 'blob-missing');
      }
      rmSync(repository.path, { recursive: true });
      assertFails(new GitObjects(repository.path), id, 'blob-missing');
    }));

  it('that are no blobs are refused', () =>
    withRepository((repository) => {
      const blob = repository.addBlob(Buffer.from('in a tree'));
      const entry = `100644 blob ${blob.toString('hex')}\tname\n`;
      const tree = Buffer.from(repository.run(['mktree'], entry).toString('latin1').trim(), 'hex');
      repository.pack([tree, blob]);
      assertFails(new GitObjects(repository.path), tree, 'blob-corrupt');
    }));

  it('do not make anybody wait for a pack that is a pipe', () =>
    withRepository((repository) => {
      const id = repository.addBlob(Buffer.from('content'));
      const pack = repository.pack([id]);
      rmSync(`${pack}.pack`);
      execFileSync('mkfifo', [`${pack}.pack`]);
      assertFails(new GitObjects(repository.path), id, 'blob-corrupt');
    }));
});

describe('damage to objects of git', () => {
  it('in one place does not matter where there is another', () =>
    withRepository((repository) => {
      const kept = addVersions(repository, 10);
      const ids = kept.map(({ id }) => id);
      const packs = [
        repository.pack(ids, '--window=0'),
        repository.pack([...ids, extra(repository)]),
      ];
      for (const file of packs.flatMap((pack) => [`${pack}.pack`, `${pack}.idx`])) {
        const whole = readFileSync(file);
        chmodSync(file, 0o600);
        truncateSync(file, 40);
        for (const { id, bytes } of kept) assertRead(new GitObjects(repository.path), id, bytes);
        writeFileSync(file, whole);
      }
      rmSync(`${packs[0]}.pack`);
      rmSync(`${packs[1]}.pack`);
      for (const { id } of kept) assertFails(new GitObjects(repository.path), id, 'blob-corrupt');
    }));

  it('never gives other bytes: anywhere in a pack or its index', () =>
    withRepository((repository) => {
      const kept = addVersions(repository, 30);
      const pack = repository.pack(
        kept.map(({ id }) => id),
        OFFSETS,
      );
      let failures = 0;
      for (const file of [`${pack}.pack`, `${pack}.idx`]) {
        chmodSync(file, 0o600);
        const whole = readFileSync(file);
        for (let round = 0; round < ROUNDS; round += 1) {
          damage(file, whole);
          failures += countFailures(new GitObjects(repository.path), kept);
        }
        writeFileSync(file, whole);
      }
      assert.ok(failures > ROUNDS, `only ${failures} reads failed`);
      assert.equal(countFailures(new GitObjects(repository.path), kept), 0);
    }));

  it('is noticed when a pack or its index goes away under a reader', () =>
    withRepository((repository) => {
      const [one, two] = addVersions(repository, 2);
      assert.ok(one && two);
      const pack = repository.pack([one.id, two.id]);
      const objects = new GitObjects(repository.path);
      assertRead(objects, one.id, one.bytes);
      renameSync(`${pack}.pack`, `${pack}.away`);
      assertFails(objects, one.id, 'blob-corrupt');
      rmSync(`${pack}.idx`);
      assertFails(objects, one.id, 'blob-missing');
    }));
});

const ROUNDS = 60;

interface Kept {
  readonly id: Buffer;
  readonly bytes: Uint8Array;
}

function samples(): Uint8Array[] {
  const text = Buffer.from('a line of text\n'.repeat(400_000));
  return [
    Buffer.alloc(0),
    Buffer.from('a'),
    noiseBlob(3_000).bytes,
    noiseBlob(5 * MIB).bytes,
    text,
  ];
}

/** Versions of one file, each a little different from the one before. */
function addVersions(repository: GitRepository, count: number): Kept[] {
  const lines =
    Buffer.from(noiseBlob(6_000).bytes)
      .toString('base64')
      .match(/.{1,40}/g) ?? [];
  const contents = Array.from({ length: count }, (_, at) => {
    lines[(at * 7) % lines.length] = `line of version ${at}`;
    return Buffer.from(lines.join('\n'));
  });
  const ids = repository.addBlobs(contents);
  return contents.map((bytes, at) => ({ bytes, id: ids[at] ?? Buffer.alloc(0) }));
}

function extra(repository: GitRepository): Buffer {
  return repository.addBlob(Buffer.from('makes it another pack'));
}

/** A bit, some bytes, or the end of a file. Random, because what matters holds for every damage. */
function damage(file: string, whole: Buffer): void {
  const bytes = Buffer.from(whole);
  const at = randomInt(bytes.length);
  const how = randomInt(3);
  if (how === 0) bytes[at] = (bytes[at] ?? 0) ^ (1 << randomInt(8));
  if (how === 1) bytes.subarray(at, at + 50).fill(randomInt(256));
  writeFileSync(file, how === 2 ? bytes.subarray(0, at) : bytes);
}

function countFailures(objects: GitObjects, kept: readonly Kept[]): number {
  let failures = 0;
  for (const { id, bytes } of kept) {
    try {
      assertRead(objects, id, bytes);
    } catch (error) {
      const expected = ['blob-corrupt', 'blob-missing'] as const;
      if (!expected.some((code) => isSavepointError(error, code))) throw error;
      failures += 1;
    }
  }
  return failures;
}

function assertRead(objects: GitObjects, id: Buffer, bytes: Uint8Array): void {
  const read = objects.read(id);
  assert.equal(Object.getPrototypeOf(read), Uint8Array.prototype);
  assert.ok(Buffer.compare(read, bytes) === 0, `${id.toString('hex')} has other bytes`);
}

function assertFails(objects: GitObjects, id: Buffer, code: 'blob-missing' | 'blob-corrupt'): void {
  assert.throws(
    () => objects.read(id),
    (error) => isSavepointError(error, code),
  );
}

function withRepository(body: (repository: GitRepository) => void): Promise<void> {
  return withTemporaryFolder(async (folder) => body(new GitRepository(folder)));
}
