import { appendFileSync, chmodSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  expectDifferences,
  type Found,
  pathsIn,
  ScanPlace,
} from '../../../test/scan/scan-place.ts';
import { WatchedFileSystem } from '../../../test/scan/watched-file-system.ts';
import type { TrackedPath } from '../../model/path.ts';
import { MAX_RESTAMPED } from './index-columns.ts';
import { decodeIndex, encodeIndex } from './kept-index.ts';
import type { ScanIndex } from './scan-index.ts';

let place: ScanPlace;
let disk: WatchedFileSystem;
beforeEach(() => {
  place = new ScanPlace();
  disk = new WatchedFileSystem(place.root);
  for (const name of ['a', 'b/é', 'z']) place.write(name);
});
afterEach(() => place.remove());

const scan = (previous: ScanIndex | null): Promise<Found> =>
  place.scan(previous, { fileSystem: disk });

describe('an index in which only stats changed', () => {
  it('shares the columns of the previous index, which does not change', async () => {
    const first = await scan(null);
    appendFileSync(place.at('a'), 'more');
    const second = await scan(first.index);
    expect(second.index.columns).toBe(first.index.columns);
    expect([sizeOf(first.index, 'a'), sizeOf(second.index, 'a')]).toEqual([1, 5]);
    expectDifferences(await scan(second.index), {});
    expectDifferences(await scan(first.index), { touched: ['a'] });
  });

  it('comes back from its bytes', async () => {
    const { index } = await edited('b/é');
    const copy = decodeIndex(Buffer.concat(encodeIndex(index)));
    expect(copy?.restamped).toEqual(index.restamped);
    expect(copy && pathsIn(copy)).toEqual(pathsIn(index));
    expect(copy && sizeOf(copy, 'b/é')).toBe(sizeOf(index, 'b/é'));
  });

  it('passes its stats on to the next index when names change', async () => {
    const { index } = await edited('b/é');
    place.write('b/new');
    const next = await scan(index);
    expectDifferences(next, { appeared: ['b/new'] });
    expect(pathsIn(next.index)).toEqual(['a', 'b', 'b/new', 'b/é', 'z']);
    expect(sizeOf(next.index, 'b/é')).toBe(sizeOf(index, 'b/é'));
    expectDifferences(await scan(next.index), {});
  });

  it('gets columns of its own when very many stats changed', async () => {
    for (let nth = 0; nth <= MAX_RESTAMPED; nth += 1) place.write(`many/${nth}`);
    const first = await scan(null);
    for (let nth = 0; nth <= MAX_RESTAMPED; nth += 1) chmodSync(place.at(`many/${nth}`), 0o600);
    const second = await scan(first.index);
    expect(second.differences.touched).toHaveLength(MAX_RESTAMPED + 1);
    expect(second.index.restamped.size).toBe(0);
    expectDifferences(await scan(second.index), {});
  });

  it('makes the next scan read a folder again that could not be read completely', async () => {
    place.write('b/c/file');
    const first = await scan(null);
    disk.refuse('lstat', 'b/c/file', 'EACCES');
    const second = await scan(first.index);
    expectDifferences(second, { unreadable: ['b/c'] });
    disk.refuse('lstat', 'b/c/file', null);
    const third = await scan(second.index);
    expectDifferences(third, {});
    expect(third.index.covers('b/c/other' as TrackedPath)).toBe(true);
  });
});

/** The index after a scan and an edit. */
async function edited(path: string): Promise<Found> {
  const { index } = await scan(null);
  appendFileSync(place.at(path), 'more');
  return scan(index);
}

function sizeOf(index: ScanIndex, path: string): number {
  return index.stampOf(index.find(path as TrackedPath)).stat.size;
}
