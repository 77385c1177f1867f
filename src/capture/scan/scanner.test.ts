import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectDifferences, pathsIn, ScanPlace } from '../../../test/scan/scan-place.ts';
import { pathToBytes, type TrackedPath } from '../../model/path.ts';
import { isFileMode, isLinkMode } from './entry-stat.ts';

let place: ScanPlace;
beforeEach(() => {
  place = new ScanPlace();
});
afterEach(() => place.remove());

const path = (text: string): TrackedPath => text as TrackedPath;

describe('a first scan', () => {
  it('finds everything in scope in the order of git', async () => {
    for (const file of ['a.txt', 'a/x', 'a-b', 'a0', 'a/b/c', 'Z']) place.write(file);
    const { index, differences } = await place.scan(null);
    expect(pathsIn(index)).toEqual(['Z', 'a-b', 'a.txt', 'a', 'a/b', 'a/b/c', 'a/x', 'a0']);
    expectDifferences({ index, differences }, {});
  });

  it('leaves out ignored files and git’s own', async () => {
    place.write('.gitignore', '*.log\n/out/\n');
    for (const file of ['x.log', 'out/y', '.git/config', 'sub/.git/HEAD', 'sub/out/z']) {
      place.write(file);
    }
    const { index } = await place.scan(null);
    expect(pathsIn(index)).toEqual(['.gitignore', 'sub', 'sub/out', 'sub/out/z']);
  });

  it('keeps the stat of each entry', async () => {
    place.write('file', 'four');
    place.chmod('file', 0o640);
    utimesSync(place.at('file'), 1_700_000_000.123456, 1_700_000_000.123456);
    const { index } = await place.scan(null);
    const entry = index.find(path('file'));
    const { stat } = index.stampOf(entry);
    expect(stat).toMatchObject({ mode: 0o100640, size: 4 });
    expect(index.isRacy(entry)).toBe(false);
    expect(stat.mtimeMs).toBeCloseTo(1_700_000_000_123.456, 3);
  });

  it('lists links, pipes and sockets and follows no link', async () => {
    place.write('folder/file');
    symlinkSync('folder', place.at('link'));
    symlinkSync('nowhere', place.at('dangling'));
    execFileSync('mkfifo', [place.at('pipe')], { env: { PATH: process.env.PATH } });
    const server = createServer().listen(place.at('socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    try {
      const { index } = await place.scan(null);
      expect(pathsIn(index)).toEqual([
        'dangling',
        'folder',
        'folder/file',
        'link',
        'pipe',
        'socket',
      ]);
      const modes = ['dangling', 'link', 'pipe', 'socket'].map((name) =>
        index.mode(index.find(path(name))),
      );
      expect(modes.map(isLinkMode)).toEqual([true, true, false, false]);
      expect(modes.map(isFileMode)).toEqual([false, false, false, false]);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('keeps names that are not UTF-8, byte for byte', async () => {
    // In the order of their bytes, which is not the order of their texts.
    const names = ['61ff', 'c328', 'ee8080', 'efbfbd', 'f09f9880', 'ff'];
    const folder = `${place.at('')}\udc80`;
    mkdirSync(bytes(folder));
    for (const name of names) writeFileSync(bytes(`${folder}/`, name), 'x');
    const { index } = await place.scan(null);
    const found = pathsIn(index).map((text) => Buffer.from(pathToBytes(text)).toString('hex'));
    expect(found).toEqual(['80', ...names.map((name) => `802f${name}`)]);
    const broken = path('\udc80/a\udcff');
    expect(index.path(index.find(broken))).toBe(broken);
    expect((await place.scan(index)).index).toBe(index);
    writeFileSync(bytes(`${folder}/`, 'ff'), 'longer');
    expectDifferences(await place.scan(index), { touched: ['\udc80/\udcff'] });
  });

  it('reports a missing project where there is no folder', async () => {
    const nowhere = place.request(null, { root: place.at('nowhere') });
    await expect(place.scanner.scan(nowhere)).rejects.toMatchObject({ code: 'project-missing' });
  });
});

describe('a later scan', () => {
  it('gives the very same index when nothing changed', async () => {
    for (const file of ['a', 'b/c', 'b/d/e']) place.write(file);
    const first = await place.scan(null);
    const second = await place.scan(first.index);
    expect(second.index).toBe(first.index);
    expectDifferences(second, {});
  });

  it('reports created, written and removed files', async () => {
    for (const file of ['kept', 'written', 'removed', 'sub/kept', 'sub/removed/x']) {
      place.write(file);
    }
    const first = await place.scan(null);
    place.write('written', 'something else');
    place.delete('removed');
    place.delete('sub/removed');
    place.write('sub/new/deep/file');
    const second = await place.scan(first.index);
    expectDifferences(second, {
      touched: ['written'],
      appeared: ['sub/new', 'sub/new/deep', 'sub/new/deep/file'],
      gone: ['removed', 'sub/removed', 'sub/removed/x'],
    });
    expect(pathsIn(second.index)).toEqual(pathsIn((await place.scan(null)).index));
  });

  it('sees an edit that keeps the size and puts the mtime back', async () => {
    place.write('file', 'aaaa');
    utimesSync(place.at('file'), 1_000_000_000, 1_000_000_000);
    const { index } = await place.scan(null);
    place.write('file', 'bbbb');
    utimesSync(place.at('file'), 1_000_000_000, 1_000_000_000);
    expectDifferences(await place.scan(index), { touched: ['file'] });
  });

  it('sees another file of the same size and times renamed over', async () => {
    place.write('file', 'aaaa');
    place.write('other', 'bbbb');
    linkSync(place.at('other'), place.at('twin'));
    const { index } = await place.scan(null);
    renameSync(place.at('other'), place.at('file'));
    expectDifferences(await place.scan(index), { touched: ['file', 'twin'], gone: ['other'] });
  });

  it('reports new modes of files and folders', async () => {
    place.write('file');
    place.write('folder/x');
    const { index } = await place.scan(null);
    place.chmod('file', 0o700);
    place.chmod('folder', 0o700);
    expectDifferences(await place.scan(index), { touched: ['file', 'folder'] });
  });

  it('does not list a folder only because a name in it came or went', async () => {
    place.write('folder/x');
    const { index } = await place.scan(null);
    place.write('folder/y');
    expectDifferences(await place.scan(index), { appeared: ['folder/y'] });
  });

  it('sees files become folders and folders files', async () => {
    place.write('file');
    place.write('folder/x/y');
    const { index } = await place.scan(null);
    place.delete('file');
    place.write('file/inside');
    place.delete('folder');
    place.write('folder', 'a file now');
    const second = await place.scan(index);
    expectDifferences(second, {
      touched: ['file', 'folder'],
      appeared: ['file/inside'],
      gone: ['folder/x', 'folder/x/y'],
    });
    expect(pathsIn(second.index)).toEqual(['file', 'file/inside', 'folder']);
  });

  it('does not look through a link that took the place of a folder', async () => {
    place.write('folder/x');
    place.write('elsewhere/x');
    const { index } = await place.scan(null);
    renameSync(place.at('folder'), place.at('moved'));
    symlinkSync('elsewhere', place.at('folder'));
    expectDifferences(await place.scan(index), {
      touched: ['folder'],
      appeared: ['moved', 'moved/x'],
      gone: ['folder/x'],
    });
  });
});

/** A path of the file system, with a last part in hexadecimal digits. */
function bytes(text: string, name = ''): Buffer {
  return Buffer.concat([pathToBytes(text), Buffer.from(name, 'hex')]);
}
