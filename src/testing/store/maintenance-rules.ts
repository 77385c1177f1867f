import assert from 'node:assert/strict';
import { Manifest, ManifestWriter } from '../../model/manifest.ts';
import type { TrackedPath } from '../../model/path.ts';
import { unknown } from '../../model/state.ts';
import { blobOf } from '../../store/blob.ts';
import { currentSeq, findHead } from '../../store/find.ts';
import type { Blob, Store } from '../../store/store.ts';
import type { Tests } from '../suite.ts';
import {
  assertMissing,
  assertReadable,
  baselineOf,
  changeOf,
  checkpointOf,
  commit,
  commitVersions,
  fileOf,
  groupsOf,
  journalOf,
  noiseBlob,
  pathOf,
  rejectsWith,
  seqsOf,
  textBlob,
  textVersion,
  times,
} from './samples.ts';

const LARGE = 300 * 1024;
const FOREVER = Number.POSITIVE_INFINITY;
const [ONE, TWO, THREE] = [textBlob('one'), textBlob('two'), textBlob('three')];

export function pruneRules({ test, testTwo }: Tests<Store>): void {
  test('drops changes below the floor, and blobs that nothing reaches', async (store) => {
    await commitVersions(store, [ONE, TWO, THREE]);
    const { bytes, ...counts } = await store.maintain('prune', 3);
    assert.deepEqual(seqsOf(await store.timeline.changes({})), [3]);
    assert.deepEqual(counts, { changes: 2, blobs: 1 });
    assert.ok(bytes > 0);
    await assertMissing(store, ONE);
    await assertReadable(store, TWO, THREE);
  });

  test('says beforehand what would go, and lets it stay', async (store) => {
    await commitVersions(store, [ONE, TWO, THREE]);
    const before = await store.maintain('stats');
    const foretold = await store.maintain('prunable', 3);
    assert.deepEqual(await store.maintain('stats'), before);
    await assertReadable(store, ONE);
    const result = await store.maintain('prune', 3);
    assert.deepEqual({ ...foretold, bytes: 0 }, { ...result, bytes: 0 });
    assert.ok(foretold.bytes >= result.bytes);
    assert.deepEqual(await store.maintain('prunable', 3), { changes: 0, blobs: 0, bytes: 0 });
  });

  test('takes up less room when much has gone', async (store) => {
    await commitVersions(
      store,
      times(20, (at) => noiseBlob(50_000, at + 1)),
    );
    await store.maintain('compact', FOREVER);
    const before = await store.maintain('diskBytes');
    assert.ok(before >= 20 * 50_000);
    await store.maintain('prune', 99);
    assert.ok(before - (await store.maintain('diskBytes')) >= 18 * 50_000);
  });

  test('keeps the head of a path whose changes are gone, and its blob', async (store) => {
    await commitVersions(store, [ONE, TWO, THREE]);
    await store.maintain('prune', 99);
    assert.deepEqual(await store.timeline.changes({}), []);
    const [path, state] = [pathOf('a'), fileOf(THREE)];
    assert.deepEqual(await findHead(store, path), { path, seq: 3, state, open: false });
    await assertReadable(store, THREE);
    assert.equal((await store.maintain('stats')).blobs, 1);
  });

  test('lets open changes stay, with their blobs', async (store) => {
    const open = changeOf(1, 'a', { before: fileOf(ONE), after: null });
    const newer = changeOf(2, 'a', { before: fileOf(TWO), after: fileOf(TWO) });
    await commit(store, { blobs: [ONE, TWO], changes: [open, newer] });
    assert.equal((await store.maintain('prune', 99)).changes, 1);
    assert.deepEqual(await store.timeline.changes({}), [open]);
    await assertReadable(store, ONE, TWO);
  });

  test('drops cancellations with either of their changes, and no others', async (store) => {
    const changes = [changeOf(1, 'a', { after: null }), ...times(4, (at) => changeOf(at + 2, 'b'))];
    const kept = [
      { by: 5, change: 1, inPart: false },
      { by: 5, change: 4, inPart: false },
    ];
    const cancellations = [
      { by: 3, change: 2, inPart: false },
      { by: 3, change: 1, inPart: false },
      ...kept,
    ];
    await commit(store, { changes, cancellations });
    await store.maintain('prune', 4);
    assert.deepEqual(await store.timeline.cancellations([1, 2, 3, 4, 5]), kept);
  });

  test('lets changes stay that a newer one takes back, until that one goes', async (store) => {
    const cancellations = [1, 2].map((change) => ({ by: 3, change, inPart: false }));
    await commit(store, { changes: times(4, (at) => changeOf(at + 1, 'a')), cancellations });
    await store.maintain('prune', 3);
    assert.deepEqual(seqsOf(await store.timeline.changes({})), [1, 2, 3, 4]);
    assert.deepEqual(await store.timeline.cancellations([1, 2]), cancellations);
    await store.maintain('prune', 4);
    assert.deepEqual(seqsOf(await store.timeline.changes({})), [4]);
    assert.deepEqual(await store.timeline.cancellations([1, 2]), []);
  });

  test('keeps what a journal needs, until it is cleared', async (store) => {
    const four = textBlob('four');
    const blobs = [ONE, TWO, THREE, four];
    const names = { stageFolder: null, stagedName: 'staged', stashName: 'stash' };
    const states = { from: fileOf(ONE), to: fileOf(TWO) };
    const steps = [{ path: pathOf('a'), how: 'replace' as const, ...states, ...names }];
    const change = changeOf(1, 'a', { before: fileOf(THREE), after: fileOf(four) });
    await commit(store, { blobs, journal: journalOf({ steps, changes: [change] }) });
    assert.equal((await store.maintain('prune', 99)).blobs, 0);
    await assertReadable(store, ...blobs);
    await commit(store, { journal: null });
    assert.equal((await store.maintain('prune', 99)).blobs, 4);
  });

  test('drops blobs that no row ever named, small and large', async (store) => {
    const blobs = [ONE, noiseBlob(LARGE)];
    await commit(store, { blobs });
    assert.equal((await store.maintain('prune', 0)).blobs, 2);
    await assertMissing(store, ...blobs);
    await commit(store, { blobs });
    await assertReadable(store, ...blobs);
  });

  test('does not count blobs that were never there', async (store) => {
    const never = fileOf(ONE);
    const changes = [changeOf(1, 'a', { before: never }), changeOf(2, 'b', { after: never })];
    await commit(store, { changes });
    assert.deepEqual(await store.maintain('prune', 99), { changes: 2, blobs: 0, bytes: 0 });
    assert.deepEqual((await findHead(store, pathOf('b')))?.state, never);
  });

  test('leaves everything else alone, and does nothing the second time', async (store) => {
    await commitVersions(store, [ONE, TWO, THREE]);
    await commit(store, { checkpoints: [checkpointOf(4)] });
    await store.maintain('prune', 3);
    assert.deepEqual(await store.maintain('prune', 3), { changes: 0, blobs: 0, bytes: 0 });
    assert.equal(await currentSeq(store), 4);
    assert.deepEqual(seqsOf(await store.timeline.checkpoints({})), [4]);
  });

  testTwo('keeps every live version readable when its base goes', async (store, other) => {
    const blobs = times(40, (at) => textBlob(textVersion(at)));
    await commitVersions(store, blobs);
    await store.maintain('compact', FOREVER);
    for (const floor of [5, 17, 18, 30]) {
      await store.maintain('prune', floor);
      await assertReadable(other, ...blobs.slice(floor - 2));
    }
    await store.maintain('prune', 99);
    await assertReadable(other, ...blobs.slice(-1));
    assert.equal((await store.maintain('stats')).blobs, 1);
  });
}

const PURGED = unknown('purged');
const KEY = pathOf('key');
const [SECRET, PLAIN] = [textBlob('secret'), textBlob('plain')];

export function purgeRules({ test, testTwo }: Tests<Store>): void {
  testTwo('makes the states of a path unknown, and those of no other', async (store, other) => {
    const plain = changeOf(2, 'plain', { after: fileOf(PLAIN) });
    const changes = [
      changeOf(1, 'key', { after: fileOf(SECRET) }),
      plain,
      changeOf(3, 'key', { before: fileOf(SECRET) }),
      changeOf(4, 'key', { after: null }),
    ];
    await commit(store, { blobs: [SECRET, PLAIN], changes });
    await store.maintain('purge', [KEY]);
    const states = (await other.timeline.changes({})).map(({ before, after }) => [before, after]);
    const gone = [PURGED, PURGED];
    assert.deepEqual(states, [gone, [plain.before, plain.after], gone, [PURGED, null]]);
    assert.deepEqual((await findHead(other, KEY))?.state, PURGED);
    assert.deepEqual((await findHead(other, pathOf('plain')))?.state, fileOf(PLAIN));
    await assertMissing(other, SECRET);
    await assertReadable(other, PLAIN);
    assert.equal((await other.state()).needsScrub, false);
  });

  test('keeps bytes that another path has, and what was compressed against a secret', async (store) => {
    const words = 'and the same words again and again '.repeat(20);
    const [secret, clean] = [textBlob(`secret ${words}`), textBlob(`plain ${words}`)];
    const shared = noiseBlob(LARGE);
    const changes = [
      changeOf(1, 'key', { after: fileOf(secret) }),
      changeOf(2, 'key', { before: fileOf(secret), after: fileOf(clean) }),
      changeOf(3, 'copy', { after: fileOf(clean) }),
      changeOf(4, 'key', { before: fileOf(clean), after: fileOf(shared) }),
      changeOf(5, 'large', { after: fileOf(shared) }),
    ];
    await commit(store, { blobs: [secret, clean, shared], changes });
    await store.maintain('compact', FOREVER);
    await store.maintain('purge', [KEY]);
    await assertMissing(store, secret);
    await assertReadable(store, clean, shared);
  });

  testTwo('takes a path out of the baseline and its packs', async (store, other) => {
    const { packs } = await store.blobs.putMany(groupsOf([SECRET, PLAIN]));
    const manifest = manifestOf({ key: SECRET, plain: PLAIN });
    await commit(store, { blobs: [manifest], baseline: baselineOf(1, manifest, packs) });
    await store.maintain('purge', [KEY]);
    const { baseline } = await other.state();
    assert.ok(baseline !== null && baseline.manifest !== manifest.id);
    const entries = [...new Manifest(await other.blobs.read(baseline.manifest))];
    assert.deepEqual(Object.fromEntries(entries), { key: PURGED, plain: fileOf(PLAIN) });
    await assertMissing(other, SECRET, manifest);
    await assertReadable(other, PLAIN);
  });

  test('is refused while a restore is unfinished', async (store) => {
    const changes = [changeOf(1, 'key', { after: fileOf(SECRET) })];
    await commit(store, { blobs: [SECRET], changes, journal: journalOf() });
    await rejectsWith(store.maintain('purge', [KEY]), 'restore-unfinished');
    await assertReadable(store, SECRET);
  });

  test('can be done again, and of paths that are not there', async (store) => {
    await store.maintain('purge', [KEY]);
    const changes = [changeOf(1, 'key', { after: fileOf(SECRET) })];
    await commit(store, { blobs: [SECRET], changes });
    for (let turn = 0; turn < 2; turn += 1) await store.maintain('purge', [KEY]);
    await store.maintain('scrub');
    await assertMissing(store, SECRET);
  });
}

function manifestOf(entries: Readonly<Record<string, Blob>>): Blob {
  const paths = Object.keys(entries);
  const writer = new ManifestWriter(paths.length);
  for (const [at, blob] of Object.values(entries).entries()) writer.set(at, fileOf(blob));
  return blobOf(writer.finish((at) => paths[at] as TrackedPath));
}

export function compactRules({ test, testTwo }: Tests<Store>): void {
  testTwo('keeps every version of a file readable, and gets no larger', async (store, other) => {
    const versions = times(50, (at) => edited(noiseBlob(8_000), at));
    await commitVersions(store, versions);
    const before = await store.maintain('stats');
    await store.maintain('compact', FOREVER);
    const after = await store.maintain('stats');
    assert.equal(after.blobBytes, before.blobBytes);
    assert.ok(after.storedBytes <= before.storedBytes);
    for (const reader of [store, other]) await assertReadable(reader, ...versions);
  });

  test('keeps versions of a large file readable', async (store) => {
    const versions = times(4, (at) => edited(noiseBlob(400 * 1024), at));
    versions.push(blobOf(new Uint8Array(500 * 1024)), noiseBlob(LARGE, 9));
    await commitVersions(store, versions);
    await store.maintain('compact', FOREVER);
    await assertReadable(store, ...versions);
    await store.maintain('prune', versions.length);
    await assertReadable(store, ...versions.slice(-2));
  });

  test('keeps contents readable that come and go', async (store) => {
    const [one, two] = [textBlob('one '.repeat(500)), textBlob('two '.repeat(500))];
    const empty = textBlob('');
    const versions = [one, two, one, empty, two, one, two, empty];
    await commitVersions(store, versions);
    await store.maintain('compact', FOREVER);
    await assertReadable(store, ...versions);
    await store.maintain('prune', versions.length);
    await assertReadable(store, two, empty);
  });

  test('takes up what an earlier run had no time for', async (store) => {
    const versions = times(20, (at) => edited(noiseBlob(2_000), at));
    await commitVersions(store, versions);
    await store.maintain('compact', 0);
    await assertReadable(store, ...versions);
    for (const budget of [1, FOREVER, FOREVER]) await store.maintain('compact', budget);
    await assertReadable(store, ...versions);
  });

  test('leaves a blob alone that is put again after it was compressed', async (store) => {
    const texts = [textBlob('text '.repeat(90_000)), textBlob('t '.repeat(99))];
    const versions = [noiseBlob(LARGE), ...texts];
    await commitVersions(store, versions);
    await store.maintain('compact', FOREVER);
    await commit(store, { blobs: versions });
    await assertReadable(store, ...versions);
    assert.equal((await store.maintain('stats')).blobs, 3);
  });
}

function edited({ bytes }: Blob, at: number): Blob {
  const copy = Uint8Array.from(bytes);
  copy.set(new TextEncoder().encode(`edit number ${at}`), at * 10);
  return blobOf(copy);
}
