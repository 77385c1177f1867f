import { symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  expectDifferences,
  type Found,
  pathsIn,
  ScanPlace,
} from '../../../test/scan/scan-place.ts';
import { WatchedFileSystem } from '../../../test/scan/watched-file-system.ts';
import type { TrackedPath } from '../../model/path.ts';
import { MAX_IGNORED_BYTES, MAX_IGNORED_ENTRIES } from './ignored-entries.ts';
import type { ScanIndex } from './scan-index.ts';

let place: ScanPlace;
let disk: WatchedFileSystem;
beforeEach(() => {
  place = new ScanPlace();
  disk = new WatchedFileSystem(place.root);
});
afterEach(() => place.remove());

const GLOBAL = { excludesFile: null, infoExclude: null, keepIgnored: true };

function scan(previous: ScanIndex | null, holdsKnown = false): Promise<Found> {
  return place.scan(previous, { global: GLOBAL, fileSystem: disk, holdsKnown });
}

function fill(folder: string, count: number): void {
  for (let number = 0; number < count; number += 1) place.write(`${folder}/${number}`);
}

/** The paths of an index that are private. */
function privateIn(index: ScanIndex): string[] {
  return pathsIn(index).filter((_, entry) => index.isPrivate(entry));
}

describe('a file that git ignores', () => {
  it('is kept and private if it is small', async () => {
    place.write('.gitignore', '.env\n*.pem\n/local/\n');
    for (const file of ['.env', 'sub/key.pem', 'local/a/b', 'other']) place.write(file);
    const { index } = await scan(null);
    expect(privateIn(index)).toEqual(['.env', 'local', 'local/a', 'local/a/b', 'sub/key.pem']);
    expect(pathsIn(index)).toContain('other');
  });

  it('is left out if it is large, and enters when it has become small', async () => {
    place.write('.gitignore', 'big\n');
    place.write('big', 'x'.repeat(MAX_IGNORED_BYTES + 1));
    const first = await scan(null);
    expect(pathsIn(first.index)).toEqual(['.gitignore']);
    expect(first.index.covers('big' as TrackedPath)).toBe(false);
    place.write('big', 'x');
    expectDifferences(await scan(first.index), { entered: ['big'] });
  });

  it('leaves, and is not gone, when it grows too large in a folder that did not change', async () => {
    place.write('.gitignore', 'sub/big\n');
    place.write('sub/big', 'small');
    const { index } = await scan(null);
    place.write('sub/big', 'x'.repeat(MAX_IGNORED_BYTES + 1));
    const second = await scan(index);
    expectDifferences(second, { left: ['sub/big'] });
    expectDifferences(await scan(second.index), {});
    expect(second.index.covers('sub/big' as TrackedPath)).toBe(false);
  });

  it('really appears and is really gone', async () => {
    place.write('.gitignore', '.env\nlocal/\n');
    const first = await scan(null);
    place.write('.env');
    place.write('local/settings');
    const second = await scan(first.index);
    expectDifferences(second, { appeared: ['.env', 'local', 'local/settings'] });
    place.delete('.env');
    place.delete('local');
    expectDifferences(await scan(second.index), { gone: ['.env', 'local', 'local/settings'] });
  });

  it('is left out among many of its kind, and those that were known before stay', async () => {
    place.write('.gitignore', '*.tmp\n.env\n');
    place.write('.env');
    const first = await scan(null);
    for (let number = 0; number <= MAX_IGNORED_ENTRIES; number += 1) place.write(`${number}.tmp`);
    const second = await scan(first.index);
    expectDifferences(second, {});
    expect(privateIn(second.index)).toEqual(['.env']);
    place.delete('.env');
    expectDifferences(await scan(second.index), { gone: ['.env'] });
  });

  it('comes back into scope among many of its kind if it was kept before', async () => {
    place.write('.gitignore', '*.tmp\n.env\n');
    for (let number = 0; number <= MAX_IGNORED_ENTRIES; number += 1) place.write(`${number}.tmp`);
    const { index } = await scan(null);
    place.write('.env');
    const privates = { onRecord: new Set(['.env']), takesNew: true };
    const found = await place.scan(index, { global: GLOBAL, privates });
    // Nobody knows whether it was there all the time, so it did not appear.
    expectDifferences(found, { entered: ['.env'] });
    expect(privateIn(found.index)).toEqual(['.env']);
  });

  it('is lost if it is large and goes, alone or with its folder', async () => {
    const large = 'x'.repeat(MAX_IGNORED_BYTES + 1);
    place.write('.gitignore', '*.bin\ndata/\ndist\n');
    for (const file of ['a.bin', 'stays.bin', 'sub/b.bin']) place.write(file, large);
    fill('data', MAX_IGNORED_ENTRIES + 1);
    place.write('dist/output');
    const { index } = await scan(null);
    for (const name of ['a.bin', 'sub', 'data', 'dist']) place.delete(name);
    const lost = ['a.bin', 'data', 'sub/b.bin'];
    expectDifferences(await scan(index), { gone: ['sub'], lost });
  });

  it('is kept among many if it is a new file of a database that was known before', async () => {
    place.write('.gitignore', '*.tmp\n*.db*\n');
    place.write('a.db');
    const first = await scan(null);
    for (let number = 0; number <= MAX_IGNORED_ENTRIES; number += 1) place.write(`${number}.tmp`);
    place.write('a.db-wal');
    place.write('b.db');
    expect(privateIn((await scan(first.index)).index)).toEqual(['a.db', 'a.db-wal']);
  });

  it('stays out where only .savepointignore names it', async () => {
    place.write('.savepointignore', 'secret\n');
    place.write('secret');
    expect(pathsIn((await scan(null)).index)).toEqual(['.savepointignore']);
  });

  it('is private where .savepointignore brings it back, whatever its size, and so is all below a folder', async () => {
    place.write('.gitignore', '.env\ndist/\n');
    place.write('.savepointignore', '!.env\n!dist/\n');
    place.write('.env', 'x'.repeat(MAX_IGNORED_BYTES + 1));
    place.write('dist/deep/file', 'x'.repeat(MAX_IGNORED_BYTES + 1));
    place.write('dist/.gitignore', 'big\n');
    place.write('dist/big', 'x'.repeat(MAX_IGNORED_BYTES + 1));
    const first = await scan(null);
    const kept = ['.env', 'dist', 'dist/.gitignore', 'dist/deep', 'dist/deep/file'];
    expect(privateIn(first.index)).toEqual(kept);
    place.write('dist/deep/new', 'x'.repeat(MAX_IGNORED_BYTES + 1));
    const second = await scan(first.index);
    expectDifferences(second, { appeared: ['dist/deep/new'] });
    expect(privateIn(second.index)).toEqual([...kept, 'dist/deep/new']);
    expect(privateIn((await scan(null)).index)).toEqual([...kept, 'dist/deep/new']);
  });

  it('leaves when ignored files are kept no longer', async () => {
    place.write('.gitignore', '.env\n');
    place.write('.env');
    const { index } = await scan(null);
    const off = await place.scan(index, { global: { ...GLOBAL, keepIgnored: false } });
    expectDifferences(off, { left: ['.env'] });
  });

  it('may be a link, and is never followed', async () => {
    place.write('.gitignore', 'link\n');
    symlinkSync('/etc', place.at('link'));
    expect(privateIn((await scan(null)).index)).toEqual(['link']);
  });
});

describe('a folder that git ignores', () => {
  it('is left out whole if it holds many entries, counted only as far as needed', async () => {
    place.write('.gitignore', 'data/\nnested/\n');
    fill('data', MAX_IGNORED_ENTRIES + 1);
    fill('nested/a', MAX_IGNORED_ENTRIES / 2);
    fill('nested/b', MAX_IGNORED_ENTRIES / 2);
    const { index } = await scan(null);
    expect(pathsIn(index)).toEqual(['.gitignore']);
    expect(disk.listed).not.toContain('data');
  });

  it('leaves whole when it grows too large, and nothing of it is gone', async () => {
    place.write('.gitignore', 'data/\n');
    fill('data/deep', 3);
    const { index } = await scan(null);
    fill('data/deep', MAX_IGNORED_ENTRIES + 1);
    const second = await scan(index);
    expectDifferences(second, {
      left: ['data', 'data/deep', 'data/deep/0', 'data/deep/1', 'data/deep/2'],
    });
    place.delete('data/deep');
    expectDifferences(await scan(second.index), { entered: ['data'] });
  });

  it.each(['data', 'data/new'])('leaves whole when %s is filled', async (folder) => {
    place.write('.gitignore', 'data/\n');
    place.write('data/known');
    const { index } = await scan(null);
    fill(folder, MAX_IGNORED_ENTRIES + 1);
    expectDifferences(await scan(index), { left: ['data', 'data/known'] });
  });

  it('leaves whole when it is filled in a folder that did not change', async () => {
    place.write('.gitignore', 'data/\n');
    place.write('sub/data/known');
    const { index } = await scan(null);
    fill('sub/data', MAX_IGNORED_ENTRIES + 1);
    expectDifferences(await scan(index), { left: ['sub/data', 'sub/data/known'] });
  });

  it.each(['node_modules', 'dist', 'build', 'target', '.venv', '__pycache__', '.cache', '.next'])(
    'is not even counted if it is called %s',
    async (name) => {
      place.write('.gitignore', `${name}/\n/kept/\n`);
      place.write(`${name}/file`);
      place.write(`kept/${name}/file`);
      const { index } = await scan(null);
      expect(privateIn(index)).toEqual(['kept']);
      for (const seen of [...disk.listed, ...disk.counted]) expect(seen).not.toContain(name);
    },
  );

  it('never has git’s own folder in it, which is left out and can be lost', async () => {
    place.write('.gitignore', 'checkout/\n');
    place.write('checkout/.git/config');
    place.write('checkout/file');
    place.write('.git/config');
    const { index } = await scan(null);
    expect(privateIn(index)).toEqual(['checkout', 'checkout/file']);
    expect(index.hasLeftOut).toBe(true);
    place.delete('checkout');
    place.delete('.git');
    const gone = ['checkout', 'checkout/file'];
    expectDifferences(await scan(index), { gone, lost: ['checkout/.git'] });
  });
});

describe('a rule that comes', () => {
  it('makes known files private, and they stay', async () => {
    for (const file of ['.env', 'sub/a']) place.write(file);
    const { index } = await scan(null);
    place.write('.gitignore', '.env\nsub/\n');
    const second = await scan(index);
    expect(privateIn(second.index)).toEqual(['.env', 'sub', 'sub/a']);
    place.delete('sub/a');
    expectDifferences(await scan(second.index), { gone: ['sub/a'] });
  });

  it('while an agent works leaves known files as they were', async () => {
    for (const file of ['.env', 'sub/a']) place.write(file);
    const { index } = await scan(null);
    place.write('.gitignore', '*\n');
    const second = await scan(index, true);
    expect(privateIn(second.index)).toEqual(['.gitignore']);
    place.write('sub/new');
    const third = await scan(second.index, true);
    expectDifferences(third, { appeared: ['sub/new'] });
    expect(privateIn(third.index)).toEqual(['.gitignore', 'sub/new']);
  });
});

describe('a file that says what is recorded', () => {
  const SCOPE_FILES = ['.gitignore', '.savepointignore', 'savepoint.config.json'];

  it('is in scope although rules hide every name, in folders that are in scope too', async () => {
    place.write('sub/file');
    const first = await scan(null);
    for (const file of SCOPE_FILES) place.write(`sub/${file}`, '*\n');
    for (const file of SCOPE_FILES) place.write(file, '*\n');
    const second = await scan(first.index, true);
    const found = [...SCOPE_FILES, ...SCOPE_FILES.map((file) => `sub/${file}`)].sort();
    expectDifferences(second, { appeared: found });
    place.delete('savepoint.config.json');
    const third = await scan(second.index, true);
    place.write('savepoint.config.json', '{}\n');
    expectDifferences(await scan(third.index, true), { appeared: ['savepoint.config.json'] });
  });

  it('is in scope among many ignored names, and private only where git ignores it', async () => {
    place.write('.gitignore', '*\n!/.savepointignore\n');
    place.write('.savepointignore', '.savepointignore\n');
    for (let number = 0; number <= MAX_IGNORED_ENTRIES; number += 1) place.write(`${number}`);
    const { index } = await scan(null);
    expect(pathsIn(index)).toEqual(['.gitignore', '.savepointignore']);
    expect(privateIn(index)).toEqual(['.gitignore']);
  });
});

it('finds the same whether it walks for the first time or goes on from an index', async () => {
  place.write('.gitignore', '.env\nlocal/\nbig/\n');
  for (const file of ['.env', 'local/a', 'sub/.env', 'plain']) place.write(file);
  const first = await scan(null);
  place.write('local/b/c');
  place.write('sub/deep/.env');
  fill('big', MAX_IGNORED_ENTRIES + 1);
  const next = await scan(first.index);
  const anew = await scan(null);
  expect(pathsIn(next.index)).toEqual(pathsIn(anew.index));
  expect(privateIn(next.index)).toEqual(privateIn(anew.index));
});
