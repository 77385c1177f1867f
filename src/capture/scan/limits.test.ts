import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectDifferences, pathsIn, ScanPlace } from '../../../test/scan/scan-place.ts';
import type { TrackedPath } from '../../model/path.ts';
import { Scanner } from './scanner.ts';

let place: ScanPlace;
beforeEach(() => {
  place = new ScanPlace();
});
afterEach(() => place.remove());

/** A clock that is a millisecond further at each look. */
function ticking() {
  let now = 0;
  return { now: () => now++, wallMs: () => Date.now() + 3_600_000 };
}

describe('a deadline', () => {
  beforeEach(() => {
    for (let folder = 0; folder < 30; folder += 1) place.write(`folder-${folder}/file`);
  });

  it('ends a first scan', async () => {
    const outcome = place.scanner.scan(place.request(null, { deadline: 20, clock: ticking() }));
    expect(await outcome).toEqual({ kind: 'gave-up', reason: 'deadline' });
  });

  it('ends a later scan', async () => {
    const { index } = await place.scan(null);
    place.write('.gitignore', 'nothing\n');
    const request = place.request(index, { deadline: 20, clock: ticking() });
    expect(await place.scanner.scan(request)).toEqual({ kind: 'gave-up', reason: 'deadline' });
  });

  it('does not end a scan that is in time', async () => {
    const request = place.request(null, { deadline: 1000, clock: ticking() });
    expect((await place.scanner.scan(request)).kind).toBe('complete');
  });

  it('in the past lets no scan begin', async () => {
    const request = place.request(null, { deadline: performance.now() - 1 });
    expect(await place.scanner.scan(request)).toEqual({ kind: 'gave-up', reason: 'deadline' });
  });
});

describe('a limit on entries', () => {
  const tooMany = { kind: 'gave-up', reason: 'too-many-entries' };

  it('counts files and folders in scope, and no others', async () => {
    place.write('.gitignore', '*.log\n');
    for (const file of ['a/b/c', 'a/d', 'x.log', 'a/y.log']) place.write(file);
    expect((await place.scan(null, { maxEntries: 5 })).index.count).toBe(5);
    expect(await place.scanner.scan(place.request(null, { maxEntries: 4 }))).toEqual(tooMany);
  });

  it.each([
    ['a new file', 'b/new'],
    ['a new folder', 'b/new/below'],
    ['the last file', 'z'],
  ])('holds for later scans: %s', async (_what, file) => {
    for (const old of ['a/x', 'b/y', 'c/z']) place.write(old);
    const { index } = await place.scan(null, { maxEntries: 6 });
    place.write(file);
    expect(await place.scanner.scan(place.request(index, { maxEntries: 6 }))).toEqual(tooMany);
    const more = await place.scan(index, { maxEntries: 8 });
    expect(more.index.count).toBeGreaterThan(6);
  });
});

describe('files that git ignores, and a limit on entries', () => {
  const global = { excludesFile: null, infoExclude: null, keepIgnored: true };
  beforeEach(() => {
    place.write('.gitignore', '*.o\n.env\n');
    for (const file of ['.env', 'a.c', 'sub/b.c']) place.write(file);
  });

  it.each([0, 2])('are left out with %i threads where they are too many', async (workers) => {
    for (const file of ['a.o', 'sub/b.o']) place.write(file);
    const scanner = new Scanner({ workers, largeTree: 0 });
    const request = place.request(null, { global, maxEntries: 4 });
    const found = await scanner.scan(request).finally(() => scanner.close());
    if (found.kind !== 'complete') throw new Error('the scan gave up');
    expect(pathsIn(found.index)).toEqual(['.gitignore', 'a.c', 'sub', 'sub/b.c']);
    for (const path of ['.env', 'a.o', 'sub/b.o'])
      expect(found.index.covers(path as TrackedPath)).toBe(false);
  });

  it('stay in scope if they were kept before, and do not count', async () => {
    const privates = { onRecord: new Set(['.env']), takesNew: true };
    const { index } = await place.scan(null, { global, maxEntries: 5 });
    for (const file of ['a.o', 'sub/c.c']) place.write(file);
    const second = await place.scan(index, { global, privates, maxEntries: 5 });
    expectDifferences(second, { appeared: ['sub/c.c'] });
    expect(pathsIn(second.index)).toContain('.env');
    place.write('d.c');
    const request = place.request(second.index, { global, privates, maxEntries: 5 });
    expect((await place.scanner.scan(request)).kind).toBe('gave-up');
  });

  it('do not count either if they were in scope before a rule hid them', async () => {
    const { index } = await place.scan(null, { global, maxEntries: 5 });
    place.write('sub/.gitignore', 'b.c\n');
    const second = await place.scan(index, { global, maxEntries: 4 });
    expectDifferences(second, { appeared: ['sub/.gitignore'], touched: ['sub/b.c'] });
  });

  it('enter when there is room for them', async () => {
    const { index } = await place.scan(null, { global, maxEntries: 4 });
    expectDifferences(await place.scan(index, { global, maxEntries: 5 }), { entered: ['.env'] });
  });
});

describe('a deep tree', () => {
  it('is walked to its end', async () => {
    const deep = Array.from({ length: 1900 }, () => 'd').join('/');
    mkdirSync(place.at(deep), { recursive: true });
    const first = await place.scan(null);
    expect(first.index.count).toBe(1900);
    place.write(`${deep}/new`);
    const second = await place.scan(first.index);
    expectDifferences(second, { appeared: [`${deep}/new`] });
    place.write('.gitignore', 'new\n');
    const third = await place.scan(second.index);
    expectDifferences(third, { appeared: ['.gitignore'], left: [`${deep}/new`] });
  });

  it('that is deeper than paths can be is unreadable below there', async () => {
    const name = 'n'.repeat(200);
    const script = `for (let i = 0; i < 30; i += 1) {
      require('node:fs').mkdirSync('${name}');
      process.chdir('${name}');
    }`;
    execFileSync(process.execPath, ['-e', script], { cwd: place.root, env: {} });
    try {
      const { index, differences } = await place.scan(null);
      const paths = pathsIn(index);
      expect(paths.length).toBeGreaterThan(15);
      expect(paths.length).toBeLessThan(30);
      expect(differences.unreadable).toEqual(paths.slice(-1));
      expectDifferences(await place.scan(index), { unreadable: paths.slice(-1) });
    } finally {
      // Only a program that goes down step by step can remove it.
      execFileSync('rm', ['-rf', place.root], { env: { PATH: process.env.PATH } });
    }
  });
});
