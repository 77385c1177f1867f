import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectDifferences, type Found, ScanPlace } from '../../../test/scan/scan-place.ts';
import { WatchedFileSystem } from '../../../test/scan/watched-file-system.ts';
import { RacyRule } from './entry-stat.ts';
import type { ScanIndex } from './scan-index.ts';

const BEGAN_MS = 1_800_000_000_000;
const BEGAN_NS = BigInt(BEGAN_MS) * 1_000_000n;
const MS = 1_000_000n;

let place: ScanPlace;
let disk: WatchedFileSystem;
beforeEach(() => {
  place = new ScanPlace();
  disk = new WatchedFileSystem(place.root);
});
afterEach(() => place.remove());

function scan(previous: ScanIndex | null): Promise<Found> {
  const clock = { now: () => 0, wallMs: () => BEGAN_MS };
  return place.scan(previous, { fileSystem: disk, clock });
}

describe('a file whose stat stays the same', () => {
  it.each([
    ['mtime', 'just before the scan', { mtimeNs: BEGAN_NS - 15n * MS + 7n }],
    ['ctime', 'just before the scan', { ctimeNs: BEGAN_NS - 15n * MS + 7n }],
    ['mtime', 'during the scan', { mtimeNs: BEGAN_NS + 1n }],
    ['mtime', 'in the future', { mtimeNs: BEGAN_NS * 2n + 1n }],
    ['mtime', 'at a whole second not long ago', { mtimeNs: BEGAN_NS - 1000n * MS }],
  ])('is touched if its %s was %s', async (_which, _when, stat) => {
    place.write('file', 'aaaa');
    place.write('quiet');
    disk.pretend('file', { mtimeNs: 1n, ctimeNs: 1n, ...stat });
    const { index } = await scan(null);
    expect(index.isRacy(0)).toBe(true);
    expectDifferences(await scan(index), { touched: ['file'] });
  });

  it.each([
    ['long before', { mtimeNs: BEGAN_NS - 3000n * MS, ctimeNs: BEGAN_NS - 3000n * MS }],
    ['a while before, at a fine stamp', { mtimeNs: BEGAN_NS - 100n * MS + 7n, ctimeNs: 1n }],
  ])('is left alone if it was written %s', async (_when, stat) => {
    place.write('file', 'aaaa');
    disk.pretend('file', stat);
    const { index } = await scan(null);
    expect(index.isRacy(0)).toBe(false);
    expectDifferences(await scan(index), {});
  });

  it('is touched once and then trusted', async () => {
    place.write('file');
    disk.pretend('file', { mtimeNs: BEGAN_NS - 7n, ctimeNs: 1n });
    const first = await scan(null);
    const later = { now: () => 0, wallMs: () => BEGAN_MS + 50 };
    const second = await place.scan(first.index, { fileSystem: disk, clock: later });
    expectDifferences(second, { touched: ['file'] });
    expectDifferences(await place.scan(second.index, { fileSystem: disk, clock: later }), {});
  });
});

it.each([
  ['mtime', { mtimeNs: 11n }],
  ['ctime', { ctimeNs: 11n }],
  ['size', { size: 11n }],
  ['inode', { ino: 11n }],
  ['mode', { mode: 0o100711n }],
])('touches a file of which only the %s moved', async (_which, moved) => {
  const stat = { mtimeNs: 1n, ctimeNs: 1n, size: 1n, ino: 1n, mode: 0o100644n };
  place.write('file');
  disk.pretend('file', stat);
  const { index } = await scan(null);
  disk.pretend('file', { ...stat, ...moved });
  expectDifferences(await scan(index), { touched: ['file'] });
});

describe('a folder whose stat stays the same', () => {
  it('is read again if it was racily clean', async () => {
    place.write('folder/old');
    disk.pretend('folder', { mtimeNs: BEGAN_NS - 7n, ctimeNs: 1n });
    const { index } = await scan(null);
    place.write('folder/new');
    expectDifferences(await scan(index), { appeared: ['folder/new'] });
  });

  it('is not read otherwise', async () => {
    for (const file of ['quiet/deep/x', 'busy/x', 'y']) place.write(file);
    const { index } = await scan(null);
    place.write('busy/new');
    disk.listed.length = 0;
    expectDifferences(await scan(index), { appeared: ['busy/new'] });
    // The root is always read: it costs one call and saves keeping its stat.
    expect(disk.listed).toEqual(['', 'busy']);
  });
});

it.each([
  ['reads rule files again that were racily clean', BEGAN_NS - 7n, ['aaa'], ['bbb']],
  ['trusts the stat of other rule files', BEGAN_NS - 5000n * MS, [], []],
])('%s', async (_title, mtimeNs, entered, left) => {
  disk.pretend('.gitignore', { mtimeNs, ctimeNs: 1n, ino: 1n });
  for (const name of ['aaa', 'bbb']) place.write(name);
  place.write('.gitignore', 'aaa\n');
  const { index } = await scan(null);
  place.write('.gitignore', 'bbb\n');
  const second = await scan(index);
  expect(second.differences).toMatchObject({ entered, left });
});

it('takes the time of the scan’s beginning, less a tick of the clock', () => {
  const rule = new RacyRule(BEGAN_MS);
  const at = (mtimeNs: bigint) => ({ mode: 0n, ino: 0n, size: 0n, ctimeNs: 1n, mtimeNs });
  expect(rule.isRacy(at(BEGAN_NS - 20n * MS))).toBe(true);
  expect(rule.isRacy(at(BEGAN_NS - 20n * MS - 1n))).toBe(false);
  expect(rule.isRacy(at(BEGAN_NS - 2000n * MS))).toBe(true);
  expect(rule.isRacy(at(BEGAN_NS - 2001n * MS))).toBe(false);
});
