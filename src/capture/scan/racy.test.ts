import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectDifferences, type Found, ScanPlace } from '../../../test/scan/scan-place.ts';
import { WatchedFileSystem } from '../../../test/scan/watched-file-system.ts';
import { RacyRule } from './entry-stat.ts';
import type { ScanIndex } from './scan-index.ts';

const BEGAN_MS = 1_800_000_000_000;

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
    ['mtime', 'just before the scan', { mtimeMs: BEGAN_MS - 15 + 0.001 }],
    ['ctime', 'just before the scan', { ctimeMs: BEGAN_MS - 15 + 0.001 }],
    ['mtime', 'during the scan', { mtimeMs: BEGAN_MS + 0.001 }],
    ['mtime', 'in the future', { mtimeMs: BEGAN_MS * 2 + 0.001 }],
    ['mtime', 'at a whole second not long ago', { mtimeMs: BEGAN_MS - 1000 }],
  ])('is touched if its %s was %s', async (_which, _when, stat) => {
    place.write('file', 'aaaa');
    place.write('quiet');
    disk.pretend('file', { mtimeMs: 1, ctimeMs: 1, ...stat });
    const { index } = await scan(null);
    expect(index.isRacy(0)).toBe(true);
    expectDifferences(await scan(index), { touched: ['file'] });
  });

  it.each([
    ['long before', { mtimeMs: BEGAN_MS - 3000, ctimeMs: BEGAN_MS - 3000 }],
    ['a while before, at a fine stamp', { mtimeMs: BEGAN_MS - 100 + 0.001, ctimeMs: 1 }],
  ])('is left alone if it was written %s', async (_when, stat) => {
    place.write('file', 'aaaa');
    disk.pretend('file', stat);
    const { index } = await scan(null);
    expect(index.isRacy(0)).toBe(false);
    expectDifferences(await scan(index), {});
  });

  it('is touched once and then trusted', async () => {
    place.write('file');
    disk.pretend('file', { mtimeMs: BEGAN_MS - 0.001, ctimeMs: 1 });
    const first = await scan(null);
    const later = { now: () => 0, wallMs: () => BEGAN_MS + 50 };
    const second = await place.scan(first.index, { fileSystem: disk, clock: later });
    expectDifferences(second, { touched: ['file'] });
    expectDifferences(await place.scan(second.index, { fileSystem: disk, clock: later }), {});
  });
});

it.each([
  ['mtime', { mtimeMs: 11 }],
  ['ctime', { ctimeMs: 11 }],
  ['size', { size: 11 }],
  ['inode', { ino: 11 }],
  ['mode', { mode: 0o100711 }],
])('touches a file of which only the %s moved', async (_which, moved) => {
  const stat = { mtimeMs: 1, ctimeMs: 1, size: 1, ino: 1, mode: 0o100644 };
  place.write('file');
  disk.pretend('file', stat);
  const { index } = await scan(null);
  disk.pretend('file', { ...stat, ...moved });
  expectDifferences(await scan(index), { touched: ['file'] });
});

describe('a folder whose stat stays the same', () => {
  it('is read again if it was racily clean', async () => {
    place.write('folder/old');
    disk.pretend('folder', { mtimeMs: BEGAN_MS - 0.001, ctimeMs: 1 });
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
  ['reads rule files again that were racily clean', BEGAN_MS - 0.001, ['aaa'], ['bbb']],
  ['trusts the stat of other rule files', BEGAN_MS - 5000, [], []],
])('%s', async (_title, mtimeMs, entered, left) => {
  disk.pretend('.gitignore', { mtimeMs, ctimeMs: 1, ino: 1 });
  for (const name of ['aaa', 'bbb']) place.write(name);
  place.write('.gitignore', 'aaa\n');
  const { index } = await scan(null);
  place.write('.gitignore', 'bbb\n');
  const second = await scan(index);
  expect(second.differences).toMatchObject({ entered, left });
});

it('counts stamps as racy from a tick before the start of the scan', () => {
  const rule = new RacyRule(BEGAN_MS);
  const at = (mtimeMs: number) => ({ mode: 0, ino: 0, size: 0, ctimeMs: 1, mtimeMs });
  expect(rule.isRacy(at(BEGAN_MS - 20))).toBe(true);
  expect(rule.isRacy(at(BEGAN_MS - 20 - 0.001))).toBe(false);
  expect(rule.isRacy(at(BEGAN_MS - 2000))).toBe(true);
  expect(rule.isRacy(at(BEGAN_MS - 2001))).toBe(false);
});
