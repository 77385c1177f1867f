import { mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from './engine-bed.ts';
import { canaryOf, type Tree } from './tree-of.ts';

let bed: Bed;
let canary: Tree;
beforeEach(async () => {
  bed = await makeBed();
  writeFileSync(join(bed.outside, 'secret'), 'not yours');
  canary = canaryOf(bed.outside);
});
afterEach(async () => {
  expect(canaryOf(bed.outside)).toEqual(canary);
  await bed.remove();
});

describe('symbolic links', () => {
  const targets: [name: string, target: () => string][] = [
    ['to a file', () => 'file'],
    ['dangling', () => 'nowhere/at/all'],
    ['absolute, out of the project', () => join(bed.outside, 'secret')],
    ['to a folder', () => 'folder'],
    ['to itself', () => 'link'],
    ['with spaces, newlines and emoji in its target', () => 'a b\nc 🙂'],
  ];
  it.each(targets)('come back as links when they were removed: %s', async (_name, target) => {
    bed.put('file', 'content');
    mkdirSync(bed.at('folder'));
    symlinkSync(target(), bed.at('link'));
    const start = bed.tree();
    await bed.tool('m1', ['link'], () => rmSync(bed.at('link')));
    expect((await bed.rewind('m1')).restoredFiles).toContain('link');
    expect(bed.tree()).toEqual(start);
  });

  it.each(targets)('go when the agent made them: %s', async (_name, target) => {
    bed.put('file', 'content');
    mkdirSync(bed.at('folder'));
    const start = bed.tree();
    await bed.tool('m1', ['link'], () => symlinkSync(target(), bed.at('link')));
    expect((await bed.rewind('m1')).deletedFiles).toEqual(['link']);
    expect(bed.tree()).toEqual(start);
  });

  it('get their old target back, byte for byte', async () => {
    const target = Buffer.from([0x61, 0xff, 0x62]);
    symlinkSync(target, bed.at('link'));
    await bed.tool('m1', ['link'], () => {
      rmSync(bed.at('link'));
      symlinkSync('elsewhere', bed.at('link'));
    });
    await bed.rewind('m1');
    expect(readlinkSync(bed.at('link'), { encoding: 'buffer' }).equals(target)).toBe(true);
  });

  it('are replaced by the file that was there, and what they point to stays', async () => {
    bed.put('file', 'content');
    const start = bed.tree();
    await bed.tool('m1', ['file'], () => {
      rmSync(bed.at('file'));
      symlinkSync(join(bed.outside, 'secret'), bed.at('file'));
    });
    expect((await bed.rewind('m1')).success).toBe(true);
    expect(bed.tree()).toEqual(start);
  });

  it('replace the file that an agent put in their place', async () => {
    symlinkSync('target', bed.at('link'));
    const start = bed.tree();
    await bed.tool('m1', ['link'], () => {
      rmSync(bed.at('link'));
      bed.put('link', 'a file now');
    });
    expect((await bed.rewind('m1')).restoredFiles).toEqual(['link']);
    expect(bed.tree()).toEqual(start);
  });

  it('are written through by a tool: the file behind them comes back, the link stays', async () => {
    bed.put('real.txt', 'before');
    symlinkSync('real.txt', bed.at('alias.txt'));
    const start = bed.tree();
    await bed.tool('m1', ['alias.txt'], () => writeFileSync(bed.at('alias.txt'), 'after'));
    expect(bed.text('real.txt')).toBe('after');
    expect((await bed.rewind('m1')).restoredFiles).toEqual(['real.txt']);
    expect(bed.tree()).toEqual(start);
  });

  it('on the way to a file are resolved: the real file is the one on record', async () => {
    bed.put('real/file', 'before');
    symlinkSync('real', bed.at('alias'));
    const start = bed.tree();
    const capture = await bed.write('m1', 'alias/file', 'after');
    expect(capture.changes.map((change) => change.path)).toEqual(['real/file']);
    await bed.rewind('m1');
    expect(bed.tree()).toEqual(start);
  });

  it('that replaced a folder since are never gone through', async () => {
    bed.put('folder/secret', 'before');
    await bed.write('m1', 'folder/secret', 'after');
    rmSync(bed.at('folder'), { recursive: true });
    symlinkSync(bed.outside, bed.at('folder'));
    const left = await bed.rewind('m1');
    expect(left).toMatchObject({ success: false, conflicts: [{ reason: 'modify-delete' }] });
    const forced = await bed.rewind('m1', { onConflict: 'restore' });
    expect(forced.skipped).toEqual([{ path: 'folder/secret', reason: 'symlinked-parent' }]);
    expect(readFileSync(join(bed.outside, 'secret'), 'utf8')).toBe('not yours');
  });
});
