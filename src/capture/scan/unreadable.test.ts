import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  expectDifferences,
  type Found,
  pathsIn,
  ScanPlace,
} from '../../../test/scan/scan-place.ts';
import { WatchedFileSystem } from '../../../test/scan/watched-file-system.ts';
import type { TrackedPath } from '../../model/path.ts';
import type { ScanIndex } from './scan-index.ts';

let place: ScanPlace;
let disk: WatchedFileSystem;
beforeEach(() => {
  place = new ScanPlace();
  disk = new WatchedFileSystem(place.root);
});
afterEach(() => place.remove());

const scan = (previous: ScanIndex | null): Promise<Found> =>
  place.scan(previous, { fileSystem: disk });
const path = (text: string): TrackedPath => text as TrackedPath;

describe('a folder that cannot be read', () => {
  it('is in the index, but its entries are not covered', async () => {
    place.write('closed/secret');
    place.write('open/file');
    disk.refuse('list', 'closed', 'EACCES');
    const first = await scan(null);
    expectDifferences(first, { unreadable: ['closed'] });
    expect(pathsIn(first.index)).toEqual(['closed', 'open', 'open/file']);
    expect(first.index.covers(path('closed/secret'))).toBe(false);
    expect(first.index.covers(path('closed/secret/below'))).toBe(false);
    expect(first.index.covers(path('open/other'))).toBe(true);
  });

  it('is tried again each time, and its entries count as having been there before', async () => {
    place.write('closed/secret/deep');
    disk.refuse('list', 'closed', 'EACCES');
    const first = await scan(null);
    const second = await scan(first.index);
    expectDifferences(second, { unreadable: ['closed'] });
    disk.refuse('list', 'closed', null);
    expectDifferences(await scan(second.index), {
      entered: ['closed/secret', 'closed/secret/deep'],
    });
  });

  it('keeps the known entries below it', async () => {
    place.write('closed/a/file');
    place.write('closed/b');
    place.write('closed/.gitignore', 'hidden\n');
    const first = await scan(null);
    place.write('closed/new');
    place.delete('closed/b');
    disk.refuse('list', 'closed', 'EACCES');
    const second = await scan(first.index);
    expectDifferences(second, { unreadable: ['closed'] });
    expect(pathsIn(second.index)).toEqual(pathsIn(first.index));
    expect(second.index.covers(path('closed/a/hidden'))).toBe(false);
    disk.refuse('list', 'closed', null);
    const third = await scan(second.index);
    expectDifferences(third, { entered: ['closed/new'], gone: ['closed/b'] });
    expect(pathsIn(third.index)).toEqual(pathsIn((await scan(null)).index));
  });
});

describe('an entry for which lstat fails', () => {
  it('stays in the index as it was, with all below', async () => {
    place.write('folder/closed/file');
    place.write('folder/other');
    const first = await scan(null);
    for (const name of ['folder/closed', 'folder/closed/file'])
      disk.refuse('lstat', name, 'EACCES');
    place.write('folder/other', 'changed meanwhile');
    const second = await scan(first.index);
    expectDifferences(second, { unreadable: ['folder'], touched: ['folder/other'] });
    expect(pathsIn(second.index)).toEqual(pathsIn(first.index));
    expect(second.index.covers(path('folder/absent'))).toBe(false);
  });

  it('does not count as absent when it is new', async () => {
    place.write('folder/first');
    place.write('folder/strange');
    disk.refuse('lstat', 'folder/strange', 'EIO');
    const first = await scan(null);
    expectDifferences(first, { unreadable: ['folder'] });
    expect(first.index.covers(path('folder/strange'))).toBe(false);
    disk.refuse('lstat', 'folder/strange', null);
    expectDifferences(await scan(first.index), { entered: ['folder/strange'] });
  });
});

it('does not report a lack of descriptors as a problem of the project', async () => {
  place.write('folder/file');
  disk.refuse('list', 'folder', 'EMFILE');
  const request = place.request(null, { fileSystem: disk });
  await expect(place.scanner.scan(request)).rejects.toMatchObject({ code: 'EMFILE' });
});

it('leaves names in the root alone for which lstat fails', async () => {
  for (const file of ['dead/below', 'live']) place.write(file);
  disk.refuse('lstat', 'dead', 'ENOTCONN');
  const first = await scan(null);
  expectDifferences(first, { unreadable: ['dead'] });
  expect(first.index.covers(path('dead/below'))).toBe(false);
  disk.refuse('lstat', 'dead', null);
  const second = await scan(first.index);
  expectDifferences(second, { entered: ['dead', 'dead/below'] });
  disk.refuse('lstat', 'dead', 'ENOTCONN');
  const third = await scan(second.index);
  expectDifferences(third, { unreadable: ['dead'] });
  expect(pathsIn(third.index)).toEqual(pathsIn(second.index));
  expect(third.index.covers(path('other'))).toBe(false);
});

it('fails when the project cannot be read', async () => {
  place.write('file');
  disk.refuse('list', '', 'EACCES');
  const request = place.request(null, { fileSystem: disk });
  await expect(place.scanner.scan(request)).rejects.toMatchObject({ code: 'capture-failed' });
});
