import { chmodSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Found, ScanPlace } from '../../../test/scan/scan-place.ts';
import { WatchedFileSystem } from '../../../test/scan/watched-file-system.ts';
import type { TrackedPath } from '../../model/path.ts';
import { IndexFile, KeptIndex } from './kept-index.ts';
import type { ScanIndex } from './scan-index.ts';
import type { ScanRequest } from './scanner.ts';

let place: ScanPlace;
let store: ScanPlace;
let disk: WatchedFileSystem;
let kept: KeptIndex;
let seq: number;
beforeEach(async () => {
  [place, store] = [new ScanPlace(), new ScanPlace()];
  disk = new WatchedFileSystem(place.root);
  for (const file of ['a', 'folder/b', 'folder/hidden.log']) place.write(file);
  place.write('.gitignore', '*.log\n');
  kept = new KeptIndex(file());
  seq = 0;
  await scan();
});
afterEach(async () => {
  await place.remove();
  await store.remove();
});

describe('an index that was kept', () => {
  it('is in the file at once, the first time', () => {
    expect(saved()?.stamp.seq).toBe(1);
  });

  it('waits until the end where only stats moved', async () => {
    place.write('a', 'longer than before');
    chmodSync(place.at('folder/b'), 0o600);
    touchFolder('folder');
    expect((await scan()).differences.touched).toEqual(['a', 'folder/b']);
    expect(saved()?.stamp.seq).toBe(1);
    expect(kept.find(() => true)?.stamp.seq).toBe(2);
    kept.close();
    expect(saved()?.stamp.seq).toBe(2);
    expect(sizeIn(saved(), 'a')).toBe(18);
  });

  it('waits no longer when very many stats have moved', async () => {
    for (let nth = 0; nth < 300; nth += 1) place.write(`many/${nth}`);
    await scan();
    for (let nth = 0; nth < 200; nth += 1) chmodSync(place.at(`many/${nth}`), 0o600);
    await scan();
    expect(saved()?.stamp.seq).toBe(2);
    for (let nth = 200; nth < 300; nth += 1) chmodSync(place.at(`many/${nth}`), 0o600);
    await scan();
    expect(saved()?.stamp.seq).toBe(4);
  });

  it.each<[string, () => void]>([
    ['a file came', () => place.write('new')],
    ['a file went', () => place.delete('a')],
    ['a file went and another of the same length came', () => swap('a', 'c')],
    ['a file became a folder', () => swap('a', 'a/b')],
    ['a rule changed that hides nothing', () => place.write('.gitignore', '*.log\n*.tmp\n')],
    ['a rule changed', () => place.write('.gitignore', '*.txt\n')],
    ['a folder got rules', () => place.write('folder/.savepointignore', 'x\n')],
    ['a folder cannot be read', () => closeFolder('folder')],
    ['a name in the root cannot be looked at', () => disk.refuse('lstat', 'a', 'EACCES')],
  ])('is written at once when %s', async (_what, work) => {
    work();
    await scan();
    expect(saved()?.stamp.seq).toBe(2);
  });

  it('is written at once when a folder can be read again', async () => {
    closeFolder('folder');
    await scan();
    disk.refuse('list', 'folder', null);
    await scan();
    expect(saved()?.stamp.seq).toBe(3);
  });

  it('is written at once when rules from outside changed', async () => {
    await scan({ global: { excludesFile: 'secret\n', infoExclude: null, above: [] } });
    expect(saved()?.stamp.seq).toBe(2);
  });

  it('is written at once when that is said to be urgent', async () => {
    await scan({}, true);
    expect(saved()?.stamp.seq).toBe(2);
  });

  it.each<[string, () => void]>([
    ['is gone', () => rmSync(file())],
    ['is another process’s', () => new IndexFile(file()).save(required(saved()))],
  ])('is written at once when the file %s', async (_what, work) => {
    work();
    await scan();
    expect(saved()?.stamp.seq).toBe(2);
  });

  it('does not replace a newer one at the end', async () => {
    place.write('a', 'longer than before');
    await scan();
    const newer = required(saved()).stamped({ storeId: 'dummy', seq: 9, open: [], newest: null });
    new IndexFile(file()).save(newer);
    kept.close();
    expect(saved()?.stamp.seq).toBe(9);
  });

  it('replaces an older one at the end, and one of another store', async () => {
    place.write('a', 'longer than before');
    await scan();
    for (const stamp of [
      { storeId: 'dummy', seq: 1, open: [], newest: null },
      { storeId: 'other', seq: 9, open: [], newest: null },
    ]) {
      new IndexFile(file()).save(required(saved()).stamped(stamp));
      kept.close();
      expect(saved()?.stamp).toEqual({ storeId: 'dummy', seq: 2, open: [], newest: null });
    }
  });

  it('is not written again where nothing waits', async () => {
    const before = readFileSync(file());
    kept.close();
    await scan();
    kept.close();
    expect(readFileSync(file()).equals(before)).toBe(true);
  });

  it('stays in memory where it cannot be written', async () => {
    kept = new KeptIndex(store.at('missing/index'));
    await scan();
    expect(kept.find(() => true)?.stamp.seq).toBe(2);
    expect(() => kept.close()).not.toThrow();
  });

  it('is found by the next process, unless it does not fit', async () => {
    const other = new KeptIndex(file());
    expect(other.find(() => false)).toBeNull();
    expect(other.find(({ stamp }) => stamp.storeId === 'dummy')?.stamp.seq).toBe(1);
  });
});

/** A scan and what the worktree does after it. */
async function scan(request: Partial<ScanRequest> = {}, urgent = false): Promise<Found> {
  const previous = kept.find(() => true);
  const found = await place.scan(previous, { fileSystem: disk, ...request });
  seq += 1;
  const index = found.index.stamped({ storeId: 'dummy', seq, open: [], newest: null });
  const touched = found.differences.touched.length;
  kept.keep({ index, previous, touched, urgent });
  return found;
}

function file(): string {
  return store.at('index');
}

function saved(): ScanIndex | null {
  return new IndexFile(file()).load();
}

function required(index: ScanIndex | null): ScanIndex {
  if (index === null) throw new Error('there is no index');
  return index;
}

function sizeIn(index: ScanIndex | null, path: string): number | undefined {
  return index === null ? undefined : index.stampOf(index.find(path as TrackedPath)).stat.size;
}

function swap(from: string, to: string): void {
  place.delete(from);
  place.write(to);
}

/** It is read again, because its stamp moves, and cannot be. */
function closeFolder(path: string): void {
  touchFolder(path);
  disk.refuse('list', path, 'EACCES');
}

/** Its stamp moves, and all that it holds stays. */
function touchFolder(path: string): void {
  mkdirSync(place.at(`${path}/passing`));
  rmSync(place.at(`${path}/passing`), { recursive: true });
}
