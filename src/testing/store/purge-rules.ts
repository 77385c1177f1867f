import assert from 'node:assert/strict';
import { Manifest, ManifestWriter } from '../../model/manifest.ts';
import type { TrackedPath } from '../../model/path.ts';
import { unknown } from '../../model/state.ts';
import { blobOf } from '../../store/blob.ts';
import { findHead } from '../../store/find.ts';
import type { Blob } from '../../store/store.ts';
import {
  assertReadable,
  baselineOf,
  changeOf,
  fileOf,
  groupsOf,
  journalOf,
  noiseBlob,
  pathOf,
  rejectsWith,
  textBlob,
} from './samples.ts';
import type { StoreTests } from './test-store.ts';

const PURGED = unknown('purged');

export function purgeRules({ test, testTwo }: StoreTests): void {
  testTwo('makes the states of a path unknown, and those of no other', async (store, other) => {
    const [secret, plain] = [textBlob('secret'), textBlob('plain')];
    const changes = [
      changeOf(1, 'key', { after: fileOf(secret) }),
      changeOf(2, 'plain', { after: fileOf(plain) }),
      changeOf(3, 'key', { before: fileOf(secret) }),
      changeOf(4, 'key', { after: null }),
    ];
    await store.timeline.commit({ base: 0, blobs: [secret, plain], changes });
    await store.maintain('purge', [pathOf('key')]);
    const states = (await other.timeline.changes({})).map(({ before, after }) => [before, after]);
    assert.deepEqual(states, [
      [PURGED, PURGED],
      [changes[1]?.before, changes[1]?.after],
      [PURGED, PURGED],
      [PURGED, null],
    ]);
    assert.deepEqual((await findHead(other, pathOf('key')))?.state, PURGED);
    assert.deepEqual((await findHead(other, pathOf('plain')))?.state, fileOf(plain));
    await rejectsWith(other.blobs.read(secret.id), 'blob-missing');
    await assertReadable(other, plain);
    assert.equal((await other.state()).needsScrub, false);
  });

  test('keeps bytes that another path has, and what was compressed against a secret', async (store) => {
    const secret = textBlob(`secret ${'and the same words again and again '.repeat(20)}`);
    const clean = textBlob(`plain ${'and the same words again and again '.repeat(20)}`);
    const shared = noiseBlob(300 * 1024);
    const changes = [
      changeOf(1, 'key', { after: fileOf(secret) }),
      changeOf(2, 'key', { before: fileOf(secret), after: fileOf(clean) }),
      changeOf(3, 'copy', { after: fileOf(clean) }),
      changeOf(4, 'key', { before: fileOf(clean), after: fileOf(shared) }),
      changeOf(5, 'large', { after: fileOf(shared) }),
    ];
    await store.timeline.commit({ base: 0, blobs: [secret, clean, shared], changes });
    await store.maintain('compact', Number.POSITIVE_INFINITY);
    await store.maintain('purge', [pathOf('key')]);
    await rejectsWith(store.blobs.read(secret.id), 'blob-missing');
    await assertReadable(store, clean);
    await assertReadable(store, shared);
  });

  testTwo('takes a path out of the baseline and its packs', async (store, other) => {
    const [secret, plain] = [textBlob('secret'), textBlob('plain')];
    const { packs } = await store.blobs.putMany(groupsOf([secret, plain]));
    const manifest = manifestOf([
      ['key', secret],
      ['plain', plain],
    ]);
    await store.timeline.commit({
      base: 0,
      blobs: [manifest],
      baseline: baselineOf(1, manifest, packs),
    });
    await store.maintain('purge', [pathOf('key')]);
    const baseline = (await other.state()).baseline;
    assert.ok(baseline !== null && baseline.manifest !== manifest.id);
    assert.deepEqual(
      [...new Manifest(await other.blobs.read(baseline.manifest))],
      [
        ['key', PURGED],
        ['plain', fileOf(plain)],
      ],
    );
    await rejectsWith(other.blobs.read(secret.id), 'blob-missing');
    assert.deepEqual(await other.blobs.read(plain.id), Uint8Array.from(plain.bytes));
    await rejectsWith(other.blobs.read(manifest.id), 'blob-missing');
  });

  test('is refused while a restore is unfinished', async (store) => {
    const secret = textBlob('secret');
    const changes = [changeOf(1, 'key', { after: fileOf(secret) })];
    await store.timeline.commit({ base: 0, blobs: [secret], changes, journal: journalOf() });
    await rejectsWith(store.maintain('purge', [pathOf('key')]), 'restore-unfinished');
    await assertReadable(store, secret);
  });

  test('can be done again, and of paths that are not there', async (store) => {
    await store.maintain('purge', [pathOf('key')]);
    const secret = textBlob('secret');
    await store.timeline.commit({
      base: 0,
      blobs: [secret],
      changes: [changeOf(1, 'key', { after: fileOf(secret) })],
    });
    for (let turn = 0; turn < 2; turn += 1) await store.maintain('purge', [pathOf('key')]);
    await store.maintain('scrub');
    await rejectsWith(store.blobs.read(secret.id), 'blob-missing');
  });
}

function manifestOf(entries: readonly (readonly [string, Blob])[]): Blob {
  const writer = new ManifestWriter(entries.length);
  for (const [at, [, blob]] of entries.entries()) writer.set(at, fileOf(blob));
  return blobOf(writer.finish((at) => (entries[at]?.[0] ?? '') as TrackedPath));
}
