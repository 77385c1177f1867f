import { renameSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectDifferences, pathsIn, ScanPlace } from '../../../test/scan/scan-place.ts';
import { WatchedFileSystem } from '../../../test/scan/watched-file-system.ts';
import type { TrackedPath } from '../../model/path.ts';

let place: ScanPlace;
beforeEach(() => {
  place = new ScanPlace();
});
afterEach(() => place.remove());

const path = (text: string): TrackedPath => text as TrackedPath;

describe('a rule that comes', () => {
  it('makes files leave, not vanish', async () => {
    for (const file of ['a.log', 'sub/b.log', 'sub/deep/c.log', 'kept']) place.write(file);
    const { index } = await place.scan(null);
    place.write('.gitignore', '*.log\n');
    const second = await place.scan(index);
    expectDifferences(second, {
      appeared: ['.gitignore'],
      left: ['a.log', 'sub/b.log', 'sub/deep/c.log'],
    });
    expect(pathsIn(second.index)).toEqual(['.gitignore', 'kept', 'sub', 'sub/deep']);
  });

  it('makes whole folders leave, and still reports files that were deleted', async () => {
    for (const file of ['out/a', 'out/b', 'out/c/d']) place.write(file);
    const { index } = await place.scan(null);
    place.write('.gitignore', 'out/\n');
    place.delete('out/b');
    place.delete('out/c');
    expectDifferences(await place.scan(index), {
      appeared: ['.gitignore'],
      left: ['out', 'out/a'],
      gone: ['out/b', 'out/c', 'out/c/d'],
    });
  });

  it('does not look through a link that took the place of a folder', async () => {
    for (const file of ['folder/x', 'elsewhere/x']) place.write(file);
    const { index } = await place.scan(null);
    place.delete('folder');
    symlinkSync('elsewhere', place.at('folder'));
    place.write('.gitignore', 'folder\n');
    expectDifferences(await place.scan(index), {
      appeared: ['.gitignore'],
      left: ['folder'],
      gone: ['folder/x'],
    });
  });

  it('counts from its own folder on', async () => {
    for (const file of ['x', 'a/x', 'a/b/x', 'c/x']) place.write(file);
    const { index } = await place.scan(null);
    place.write('a/.savepointignore', 'x\n');
    expectDifferences(await place.scan(index), {
      appeared: ['a/.savepointignore'],
      left: ['a/x', 'a/b/x'],
    });
  });

  it('counts even if its file is ignored itself', async () => {
    place.write('.gitignore', '.gitignore\n');
    place.write('sub/.gitignore', 'old\n');
    for (const file of ['sub/old', 'sub/new']) place.write(file);
    const { index } = await place.scan(null);
    expect(pathsIn(index)).toEqual(['.gitignore', 'sub', 'sub/.gitignore', 'sub/new']);
    place.write('sub/.gitignore', 'new file\nnew\n');
    expectDifferences(await place.scan(index), {
      touched: ['sub/.gitignore'],
      entered: ['sub/old'],
      left: ['sub/new'],
    });
  });
});

describe('a rule that goes', () => {
  it('makes files enter, not appear', async () => {
    place.write('.gitignore', '*.log\nout/\n');
    for (const file of ['a.log', 'sub/b.log', 'out/x', 'out/y/z']) place.write(file);
    const { index } = await place.scan(null);
    place.delete('.gitignore');
    const second = await place.scan(index);
    expectDifferences(second, {
      gone: ['.gitignore'],
      entered: ['a.log', 'sub/b.log', 'out', 'out/x', 'out/y', 'out/y/z'],
    });
    expect(pathsIn(second.index)).toEqual(pathsIn((await place.scan(null)).index));
  });

  it('lets really new files appear beside those that enter', async () => {
    place.write('sub/.gitignore', '*.log\n');
    place.write('sub/old.log');
    const { index } = await place.scan(null);
    place.write('sub/.gitignore', '# nothing\n');
    place.write('sub/new.txt');
    place.write('sub/new.log');
    expectDifferences(await place.scan(index), {
      touched: ['sub/.gitignore'],
      appeared: ['sub/new.txt'],
      // Whether it was there under the old rule cannot be told.
      entered: ['sub/old.log', 'sub/new.log'],
    });
  });

  it('lets everything below a new folder appear, because nothing can have been there', async () => {
    place.write('.gitignore', '*.log\n');
    const { index } = await place.scan(null);
    place.write('fresh/.gitignore', '!*.log\n');
    place.write('fresh/x.log');
    expect(index.covers(path('fresh/x.log'))).toBe(true);
    expectDifferences(await place.scan(index), {
      appeared: ['fresh', 'fresh/.gitignore', 'fresh/x.log'],
    });
  });

  it('brings back what only .savepointignore names', async () => {
    place.write('.gitignore', '.env\n');
    place.write('.env', 'KEY=dummy');
    const { index } = await place.scan(null);
    place.write('.savepointignore', '!.env\n');
    const second = await place.scan(index);
    expectDifferences(second, { appeared: ['.savepointignore'], entered: ['.env'] });
    place.delete('.savepointignore');
    expectDifferences(await place.scan(second.index), {
      gone: ['.savepointignore'],
      left: ['.env'],
    });
  });
});

describe('a marker', () => {
  it('hides build output when it comes and shows it when it goes', async () => {
    place.write('app/target/x');
    const first = await place.scan(null);
    place.write('app/Cargo.toml');
    const second = await place.scan(first.index);
    expectDifferences(second, {
      appeared: ['app/Cargo.toml'],
      left: ['app/target', 'app/target/x'],
    });
    place.delete('app/Cargo.toml');
    expectDifferences(await place.scan(second.index), {
      gone: ['app/Cargo.toml'],
      entered: ['app/target', 'app/target/x'],
    });
  });
});

describe('rules from outside', () => {
  it('judge everything anew when they change', async () => {
    for (const file of ['a.tmp', 'sub/b.tmp', 'sub/c']) place.write(file);
    const { index } = await place.scan(null);
    const global = { excludesFile: '*.tmp\n', infoExclude: null };
    const second = await place.scan(index, { global });
    expectDifferences(second, { left: ['a.tmp', 'sub/b.tmp'] });
    expectDifferences(await place.scan(second.index), { entered: ['a.tmp', 'sub/b.tmp'] });
  });

  it('are kept in the index also when they concern nothing', async () => {
    place.write('file');
    const { index } = await place.scan(null);
    const global = { excludesFile: '*.tmp\n', infoExclude: null };
    const second = await place.scan(index, { global });
    expectDifferences(second, {});
    expect(second.index.covers(path('x.tmp'))).toBe(false);
  });
});

describe('a rule file', () => {
  it('that is a link or a folder says nothing', async () => {
    place.write('rules', 'x\n');
    symlinkSync('rules', place.at('.gitignore'));
    place.write('.savepointignore/x');
    place.write('x');
    const { index } = await place.scan(null);
    expect(index.find(path('x'))).not.toBe(-1);
    place.delete('.gitignore');
    renameSync(place.at('rules'), place.at('.gitignore'));
    expectDifferences(await place.scan(index), {
      touched: ['.gitignore'],
      gone: ['rules'],
      left: ['x', '.savepointignore/x'],
    });
  });

  it('that is too large says nothing', async () => {
    place.write('.gitignore', `x\n${'#'.repeat(1024 * 1024)}\n`);
    place.write('x');
    expect((await place.scan(null)).index.find(path('x'))).not.toBe(-1);
  });

  it('with a new stat and the same text causes no folder to be read', async () => {
    const disk = new WatchedFileSystem(place.root);
    place.write('sub/.gitignore', 'x\n');
    place.write('sub/deep/file');
    const { index } = await place.scan(null, { fileSystem: disk });
    place.write('sub/.gitignore', 'x\n');
    disk.listed.length = 0;
    const second = await place.scan(index, { fileSystem: disk });
    expectDifferences(second, { touched: ['sub/.gitignore'] });
    expect(disk.listed).toEqual(['']);
    const { stat } = second.index.stampOf(second.index.find(path('sub/.gitignore')));
    const [rules] = second.index.meta.rules.values();
    expect(rules?.gitignore?.stamp).toContain(`${stat.ctimeMs}`);
    expect((await place.scan(second.index)).index).toBe(second.index);
  });
});

describe('a name that changed its kind', () => {
  it('leaves when the rules hide the new kind', async () => {
    place.write('.gitignore', 'thing/\n');
    place.write('thing');
    const { index } = await place.scan(null);
    place.delete('thing');
    place.write('thing/x');
    expectDifferences(await place.scan(index), { left: ['thing'] });
  });

  it('enters when the rules hid the old kind', async () => {
    place.write('.gitignore', 'thing/\n');
    place.write('thing/x');
    const { index } = await place.scan(null);
    place.delete('thing');
    place.write('thing');
    expect(index.covers(path('thing'))).toBe(false);
    expectDifferences(await place.scan(index), { entered: ['thing'] });
  });

  it('enters alone when the rules hid only files of its name', async () => {
    place.write('.gitignore', 'thing\n!thing/\n');
    const { index } = await place.scan(null);
    place.write('thing/x');
    expect([index.covers(path('thing')), index.covers(path('thing/x'))]).toEqual([false, true]);
    expectDifferences(await place.scan(index), { entered: ['thing'], appeared: ['thing/x'] });
  });

  it('is judged by its kind at the time of the look', async () => {
    const disk = new WatchedFileSystem(place.root);
    place.write('.gitignore', 'thing\n!thing/\n');
    place.write('thing/x');
    disk.pretend('thing', { mode: 0o100644 });
    const { index } = await place.scan(null, { fileSystem: disk });
    expect(pathsIn(index)).toEqual(['.gitignore']);
  });
});
