import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { ChildScript } from '../../../../test/setup/child-script.ts';
import { withTemporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import { isSavepointError } from '../../../model/errors.ts';
import {
  baselineOf,
  groupsOf,
  noiseBlob,
  rejectsWith,
  textBlob,
} from '../../../testing/store/samples.ts';
import type { Blob, Store } from '../../store.ts';
import { sqliteStore } from '../sqlite-store.ts';

const FRAME_BYTES = 256 * 1024;
const MANIFEST = textBlob('manifest');

describe('a pack', () => {
  it('takes little more room than zstd would, and never more than the bytes and their index', () =>
    withStore(async (store, folder) => {
      const texts = Array.from({ length: 200 }, (_, at) => textBlob(`line ${at}\n`.repeat(500)));
      await store.blobs.putMany(groupsOf(texts));
      assert.ok(sizeOf(folder, '.pack') < 20_000, `${sizeOf(folder, '.pack')} bytes`);
      rmSync(join(folder, 'packs'), { recursive: true });
      const noise = Array.from({ length: 100 }, (_, at) => noiseBlob(20_000, at + 1));
      await store.blobs.putMany(groupsOf(noise));
      assert.equal(sizeOf(folder, '.pack'), 8 + 100 * 20_000);
      assert.equal(
        (await store.maintain('stats')).packedBytes,
        sizeOf(folder, '.pack') + sizeOf(folder, '.idx'),
      );
    }));

  it('is readable by its user alone', () =>
    withStore(async (store, folder) => {
      const mask = process.umask(0);
      try {
        await store.blobs.putMany(groupsOf([textBlob('secret')]));
      } finally {
        process.umask(mask);
      }
      const packs = join(folder, 'packs');
      assert.equal(statSync(packs).mode & 0o777, 0o700);
      const modes = readdirSync(packs).map((name) => statSync(join(packs, name)).mode & 0o777);
      assert.deepEqual(modes, [0o600, 0o600]);
    }));

  it('asks for more only when what came before is nearly written', () =>
    withStore(async (store, folder) => {
      let [given, ahead] = [0, 0];
      const groups = async function* (): AsyncGenerator<readonly Blob[]> {
        for (let round = 0; round < 60; round += 1) {
          ahead = Math.max(ahead, given - sizeOf(folder, '.pack'));
          given += FRAME_BYTES;
          yield [noiseBlob(FRAME_BYTES, round + 1)];
        }
      };
      await store.blobs.putMany(groups());
      assert.ok(ahead <= 6 * FRAME_BYTES, `${ahead} bytes were under way`);
    }));

  it('is read from another where one of two is damaged', () =>
    withStore(async (store, folder) => {
      const blob = noiseBlob(1_000);
      await store.blobs.putMany(groupsOf([blob]));
      const [index, pack] = filesOf(folder);
      assert.ok(index && pack);
      await store.blobs.putMany(groupsOf([blob, textBlob('and more')]));
      for (const file of [pack, index]) {
        const whole = readFileSync(file);
        writeFileSync(file, whole.subarray(0, 20));
        await withSecond(folder, (second) => assertPacked(second, blob));
        writeFileSync(file, whole);
      }
    }));
});

describe('damage to a pack', () => {
  it('never gives other bytes, wherever it is', () =>
    withStore(async (store, folder) => {
      const blobs = Array.from({ length: 60 }, (_, at) =>
        at % 2 === 0 ? noiseBlob(9_000, at + 1) : textBlob(`text ${at} `.repeat(1_500)),
      );
      await store.blobs.putMany(groupsOf(blobs));
      let failures = 0;
      for (const file of filesOf(folder)) {
        const whole = readFileSync(file);
        for (let round = 0; round < 40; round += 1) {
          writeFileSync(file, damaged(whole));
          await withSecond(folder, async (second) => {
            failures += await countFailures(second, blobs);
          });
        }
        writeFileSync(file, whole);
      }
      assert.ok(failures > 100, `only ${failures} reads failed`);
      await withSecond(folder, async (second) => {
        assert.equal(await countFailures(second, blobs), 0);
      });
    }));

  it('is forgotten when somebody puts the index right', () =>
    withStore(async (store, folder) => {
      const blob = noiseBlob(1_000);
      await store.blobs.putMany(groupsOf([blob]));
      const [index] = filesOf(folder);
      assert.ok(index);
      const whole = readFileSync(index);
      writeFileSync(index, whole.subarray(1));
      await rejectsWith(store.blobs.read(blob.id), 'blob-corrupt');
      writeFileSync(index, whole);
      await assertPacked(store, blob);
    }));

  it('is said of a pack that is cut short, or lost without its index', () =>
    withStore(async (store, folder) => {
      const blob = noiseBlob(50_000);
      await store.blobs.putMany(groupsOf([blob]));
      const [index, pack] = filesOf(folder);
      assert.ok(index && pack);
      writeFileSync(pack, readFileSync(pack).subarray(0, 40_000));
      await rejectsWith(store.blobs.read(blob.id), 'blob-corrupt');
      rmSync(pack);
      await rejectsWith(store.blobs.read(blob.id), 'blob-corrupt');
      rmSync(index);
      await rejectsWith(store.blobs.read(blob.id), 'blob-missing');
    }));
});

// Keeps packs without a pause, and never commits what it kept.
const WRITER = `
  const [, module, samplesModule, directory] = process.argv;
  const { sqliteStore } = await import(module);
  const samples = await import(samplesModule);
  const store = await sqliteStore({ directory });
  async function* groups(round) {
    for (let at = 0; at < 40; at += 1) yield [samples.noiseBlob(100_000, round * 100 + at)];
  }
  for (let round = 1; ; round += 1) {
    await store.blobs.putMany(groups(round));
    if (round === 2) console.log('at work');
  }
`;

describe('a process that is killed while it keeps a pack', () => {
  it('leaves only what the next prune removes', () =>
    withStore(async (store, folder) => {
      const kept = noiseBlob(300_000);
      const { packs } = await store.blobs.putMany(groupsOf([kept]));
      const baseline = baselineOf(1, MANIFEST, packs);
      await store.timeline.commit({ base: 0, blobs: [MANIFEST], baseline });
      const modules = ['../sqlite-store.ts', '../../../testing/store/samples.ts'];
      const urls = modules.map((module) => new URL(module, import.meta.url).href);
      for (let round = 0; round < 4; round += 1) {
        const writer = new ChildScript(WRITER, ...urls, folder);
        await writer.says('at work');
        await writer.kill();
        assert.ok(filesOf(folder).length > 2);
        await store.maintain('prune', 0);
        assert.deepEqual(
          filesOf(folder),
          ['.idx', '.pack'].map((ending) => join(folder, 'packs', packs[0] + ending)),
        );
        await assertPacked(store, kept);
      }
    }));

  it('leaves alone what is not of our making', () =>
    withStore(async (store, folder) => {
      await store.blobs.putMany(groupsOf([textBlob('orphan')]));
      for (const name of ['README', 'my.pack', '.0123456789abcdef.tmp']) {
        writeFileSync(join(folder, 'packs', name), 'x');
      }
      await store.maintain('prune', 0);
      assert.deepEqual(readdirSync(join(folder, 'packs')).sort(), ['README', 'my.pack']);
    }));
});

/** A bit, some bytes, or the end. Random, because what matters holds for every damage. */
function damaged(whole: Buffer): Buffer {
  const bytes = Buffer.from(whole);
  const at = randomInt(bytes.length);
  const how = randomInt(3);
  if (how === 0) bytes[at] = (bytes[at] ?? 0) ^ (1 << randomInt(8));
  if (how === 1) bytes.subarray(at, at + 50).fill(randomInt(256));
  return how === 2 ? bytes.subarray(0, at) : bytes;
}

async function countFailures(store: Store, blobs: readonly Blob[]): Promise<number> {
  let failures = 0;
  for (const blob of blobs) {
    try {
      await assertPacked(store, blob);
    } catch (error) {
      if (!isSavepointError(error, 'blob-corrupt')) throw error;
      failures += 1;
    }
  }
  return failures;
}

async function assertPacked(store: Store, blob: Blob): Promise<void> {
  assert.deepEqual(await store.blobs.read(blob.id), Uint8Array.from(blob.bytes));
}

function filesOf(folder: string): string[] {
  const packs = join(folder, 'packs');
  return readdirSync(packs)
    .sort()
    .map((name) => join(packs, name));
}

function sizeOf(folder: string, ending: string): number {
  const files = filesOf(folder).filter((file) => file.endsWith(ending));
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}

/** A store that has not looked at anything yet. */
async function withSecond(folder: string, body: (store: Store) => Promise<void>): Promise<void> {
  const store = await sqliteStore({ directory: folder });
  try {
    await body(store);
  } finally {
    await store.close();
  }
}

function withStore(body: (store: Store, folder: string) => Promise<void>): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const store = await sqliteStore({ directory: folder });
    try {
      await body(store, folder);
    } finally {
      await store.close();
    }
  });
}
