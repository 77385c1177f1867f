import { fstatSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { relativePath, type TrackedPath } from '../model/path.ts';
import { type SyncTarget, syncTogether } from './sync-together.ts';

let folder: string;
let opened: { fd: number; ino: bigint }[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'savepoint-sync-'));
  opened = [];
});

afterEach(() => rmSync(folder, { recursive: true }));

test('syncs many more files than it keeps open at once, and closes them all', async () => {
  let most = 0;
  const counted = names(100).map((path) => {
    const open = (): number => {
      const fd = openFile(path);
      most = Math.max(most, opened.filter(isOpen).length);
      return fd;
    };
    return { path, open };
  });
  await syncTogether(counted);
  expect(opened).toHaveLength(100);
  expect(opened.filter(isOpen)).toEqual([]);
  expect(most).toBe(32);
});

test('names the path whose sync failed, takes it away, and leaves the others', async () => {
  const removed: string[] = [];
  const targets = names(5).map((path, index) => ({
    ...target(path, () => (index === 2 ? openUnsyncable() : openFile(path))),
    remove: () => removed.push(path),
  }));
  await expect(syncTogether(targets)).rejects.toThrow(/^EINVAL: .*fsync 'file-2'$/);
  expect(removed).toEqual(['file-2']);
  expect(opened).toHaveLength(5);
  expect(opened.filter(isOpen)).toEqual([]);
});

test('tells of the failed sync, whatever becomes of taking its file away', async () => {
  const remove = (): never => {
    throw new Error('not to be removed');
  };
  const targets = [{ ...target(relativePath('file'), openUnsyncable), remove }];
  await expect(syncTogether(targets)).rejects.toThrow('EINVAL');
});

test('closes what waits for its sync when the next cannot be opened', async () => {
  const targets = [...names(3).map(file), target(relativePath('no'), failing('ENOSPC'))];
  await expect(syncTogether(targets)).rejects.toThrow('ENOSPC');
  expect(opened.filter(isOpen)).toEqual([]);
});

test('goes on when the descriptors run out, as long as it holds some itself', async () => {
  const [first, second, third] = names(3).map(file) as [SyncTarget, SyncTarget, SyncTarget];
  let tries = 0;
  const scarce = target(second.path, () => {
    tries += 1;
    return opened.some(isOpen) ? failing('EMFILE')() : second.open();
  });
  await syncTogether([first, scarce, third]);
  expect(tries).toBe(2);
  expect(opened).toHaveLength(3);
  await expect(syncTogether([target(first.path, failing('EMFILE')), second])).rejects.toThrow(
    'EMFILE',
  );
});

function names(count: number): TrackedPath[] {
  return Array.from({ length: count }, (_, index) => relativePath(`file-${index}`));
}

function file(path: TrackedPath): SyncTarget {
  return target(path, () => openFile(path));
}

function target(path: TrackedPath, open: SyncTarget['open']): SyncTarget {
  return { path, open };
}

function openFile(path: TrackedPath): number {
  return noted(openSync(join(folder, path), 'w'));
}

/** No device can be synced. */
function openUnsyncable(): number {
  return noted(openSync('/dev/null', 'r'));
}

function noted(fd: number): number {
  opened.push({ fd, ino: fstatSync(fd, { bigint: true }).ino });
  return fd;
}

function failing(code: string): () => never {
  return () => {
    throw Object.assign(new Error(code), { code });
  };
}

/** The number alone would not do: it goes to the next who opens something. */
function isOpen({ fd, ino }: { fd: number; ino: bigint }): boolean {
  try {
    return fstatSync(fd, { bigint: true }).ino === ino;
  } catch {
    return false;
  }
}
