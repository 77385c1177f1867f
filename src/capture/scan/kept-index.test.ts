import { mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScanPlace } from '../../../test/scan/scan-place.ts';
import type { TrackedPath } from '../../model/path.ts';
import { KeptIndex, loadIndex } from './kept-index.ts';
import type { ScanIndex } from './scan-index.ts';

let place: ScanPlace;
let store: ScanPlace;
let kept: KeptIndex;
beforeEach(() => {
  [place, store] = [new ScanPlace(), new ScanPlace()];
  for (const file of ['a', 'folder/b']) place.write(file);
  kept = new KeptIndex(file());
});
afterEach(async () => {
  await place.remove();
  await store.remove();
});

describe('an index that was kept', () => {
  it('is found by the same process and, in a private file, by the next one', async () => {
    await scan(1);
    place.write('a', 'longer than before');
    await scan(2);
    expect(kept.find(() => true)?.stamp.seq).toBe(2);
    const next = new KeptIndex(file()).find(() => true);
    expect(next?.stamp.seq).toBe(2);
    expect(next?.size(next.find('a' as TrackedPath))).toBe(18);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(readdirSync(store.root)).toEqual(['index']);
  });

  it('is not found if it does not fit', async () => {
    await scan(1);
    expect(kept.find(() => false)).toBeNull();
    expect(new KeptIndex(file()).find(({ stamp }) => stamp.storeId === 'other')).toBeNull();
  });

  it('gives way to one that another process left, if only that fits', async () => {
    await scan(1);
    await scan(2, new KeptIndex(file()));
    expect(kept.find(({ stamp }) => stamp.seq === 2)?.stamp.seq).toBe(2);
  });

  it('stays in memory where it cannot be written', async () => {
    mkdirSync(store.at('taken/x'), { recursive: true });
    for (const path of [store.at('missing/index'), store.at('taken'), null]) {
      const other = new KeptIndex(path);
      await scan(1, other);
      expect(other.find(() => true)?.stamp.seq).toBe(1);
    }
    expect(readdirSync(store.root)).toEqual(['taken']);
  });

  it('is not used from a file that is missing, damaged or a folder', async () => {
    expect(loadIndex(file())).toBeNull();
    await scan(1);
    truncateSync(file(), 100);
    expect(loadIndex(file())).toBeNull();
    writeFileSync(file(), '');
    expect(loadIndex(file())).toBeNull();
    expect(loadIndex(store.root)).toBeNull();
  });
});

/** A scan, and what the worktree does after it. */
async function scan(seq: number, by: KeptIndex = kept): Promise<ScanIndex> {
  const { index } = await place.scan(by.find(() => true));
  by.keep(index.stamped({ storeId: 'dummy', seq, open: [], newest: null }));
  return index;
}

function file(): string {
  return store.at('index');
}
