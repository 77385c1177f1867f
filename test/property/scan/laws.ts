import { type BigIntStats, lstatSync, readdirSync } from 'node:fs';
import { expect } from 'vitest';
import type { ScanDifferences } from '../../../src/capture/scan/differences.ts';
import type { ScanIndex } from '../../../src/capture/scan/scan-index.ts';
import { bytesToPath, pathToBytes, type TrackedPath } from '../../../src/model/path.ts';

/** Everything on disk below a folder, ignored or not, with its stat. */
export type Disk = ReadonlyMap<TrackedPath, BigIntStats>;

export function readDisk(root: string): Disk {
  const found = new Map<TrackedPath, BigIntStats>();
  const open = [''];
  for (let prefix = open.pop(); prefix !== undefined; prefix = open.pop()) {
    const folder = Buffer.from(pathToBytes(`${root}/${prefix}`));
    for (const name of readdirSync(folder, { encoding: 'buffer' })) {
      const stat = lstatSync(Buffer.concat([folder, name]), { bigint: true });
      const path = (prefix + bytesToPath(name)) as TrackedPath;
      found.set(path, stat);
      if (stat.isDirectory()) open.push(`${path}/`);
    }
  }
  return found;
}

export interface Moment {
  readonly index: ScanIndex;
  readonly disk: Disk;
}

/** The differences as a comparison of everything with everything gives them. */
export function differencesBetween(before: Moment, after: Moment): ScanDifferences {
  const was = entriesOf(before.index);
  const is = entriesOf(after.index);
  const news = [...is.keys()].filter((path) => !was.has(path));
  const out = [...was.keys()].filter((path) => !is.has(path));
  return {
    touched: [...is.keys()].filter((path) => was.has(path) && isTouched(path, before, after)),
    appeared: news.filter((path) => before.index.covers(path)),
    entered: news.filter((path) => !before.index.covers(path)),
    gone: out.filter((path) => !after.disk.has(path)),
    left: out.filter((path) => after.disk.has(path)),
    unreadable: [],
    // Without `keepIgnored` everything that is left out counts as build output.
    lost: [],
  };
}

function isTouched(path: TrackedPath, before: Moment, after: Moment): boolean {
  const [was, is] = [before.disk.get(path), after.disk.get(path)];
  if (was === undefined || is === undefined) return true;
  if (was.isDirectory() && is.isDirectory()) return was.mode !== is.mode;
  const same = (['mode', 'ino', 'size', 'mtimeMs', 'ctimeMs'] as const).every(
    (field) => was[field] === is[field],
  );
  // What git begins to ignore is looked at again, so that it is marked.
  return !same || isPrivate(path, before) !== isPrivate(path, after) || isRacy(path, before);
}

function isPrivate(path: TrackedPath, { index }: Moment): boolean {
  return index.isPrivate(index.find(path));
}

function isRacy(path: TrackedPath, { index }: Moment): boolean {
  return index.isRacy(index.find(path));
}

/** What has to be true of any two scans, whatever was done in between. */
export function expectLaws(found: ScanDifferences, before: Moment, after: Moment): void {
  expect(sortAll(found)).toEqual(sortAll(differencesBetween(before, after)));
  expectPromise(found, before);
}

/** The promise that a rewind relies on: what appeared can be deleted, because it was not there. */
export function expectPromise(found: ScanDifferences, before: Moment): void {
  for (const path of found.appeared) expect(before.disk.has(path), path).toBe(false);
  for (const path of before.disk.keys()) {
    if (before.index.find(path) === -1) expect(before.index.covers(path), path).toBe(false);
  }
}

/** Two indices of the same entries. When they were looked at may differ, and so what is racy. */
export function expectSameEntries(a: ScanIndex, b: ScanIndex): void {
  expect([...entriesOf(a)]).toEqual([...entriesOf(b)]);
  const rulesOf = ({ meta }: ScanIndex) =>
    [...meta.rules]
      .sort(([one], [other]) => one - other)
      .map(([folder, { gitignore, savepointignore, markers }]) => [
        folder,
        gitignore?.text,
        savepointignore?.text,
        markers,
      ]);
  expect(rulesOf(a)).toEqual(rulesOf(b));
}

function entriesOf(index: ScanIndex): Map<TrackedPath, object> {
  const entries = new Map<TrackedPath, object>();
  for (let entry = 0; entry < index.count; entry += 1) {
    entries.set(index.path(entry), index.stampOf(entry).stat);
  }
  return entries;
}

function sortAll(lists: ScanDifferences): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(lists).map(([name, paths]: [string, string[]]) => [name, paths.toSorted()]),
  );
}
