import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from './engine-bed.ts';
import type { Tree } from './tree-of.ts';

const LINES = 'one\ntwo\nthree\nfour\nfive\nsix\n';
let bed: Bed;
let wrecked: Tree;
let good: Tree;

beforeEach(async () => {
  bed = await makeBed();
  bed.put('file', LINES);
  bed.put('gone', 'here');
  good = bed.tree();
  await bed.tool('m1', ['file', 'gone', 'made/new'], () => {
    bed.put('file', LINES.replace('two', 'AGENT'));
    rmSync(bed.at('gone'));
    bed.put('made/new', 'x');
  });
  wrecked = bed.tree();
});
afterEach(() => bed.remove());

describe('undo', () => {
  it('brings back everything that a rewind took', async () => {
    await bed.rewind('m1');
    expect(bed.tree()).toEqual(good);
    const receipt = await bed.savepoint.undo();
    expect(receipt).toMatchObject({ success: true, deletedFiles: ['gone'] });
    expect(bed.tree()).toEqual(wrecked);
  });

  it('keeps what was written after the rewind, by merge', async () => {
    await bed.rewind('m1');
    bed.put('file', bed.text('file').replace('five', 'LATER'));
    bed.put('new', 'work');
    const receipt = await bed.savepoint.undo();
    expect(receipt.mergedFiles).toEqual(['file']);
    expect(bed.text('file')).toBe(LINES.replace('two', 'AGENT').replace('five', 'LATER'));
    expect(bed.text('new')).toBe('work');
  });

  it('leaves a file that was edited after the rewind in the same lines', async () => {
    await bed.rewind('m1');
    bed.put('file', LINES.replace('two', 'PERSON'));
    const receipt = await bed.savepoint.undo();
    expect(receipt.conflicts).toEqual([{ path: 'file', reason: 'overlapping-edits' }]);
    expect(bed.text('file')).toBe(LINES.replace('two', 'PERSON'));
    expect(bed.text('made/new')).toBe('x');
  });

  it('that met conflicts can be repeated once they are out of the way', async () => {
    await bed.rewind('m1');
    bed.put('file', LINES.replace('two', 'PERSON'));
    await bed.savepoint.undo();
    bed.put('file', LINES);
    await bed.savepoint.undo();
    expect(bed.tree()).toEqual(wrecked);
  });

  it('makes the changes live again, so that they can be rewound again', async () => {
    for (let times = 0; times < 3; times += 1) {
      expect((await bed.rewind('m1')).success).toBe(true);
      expect(bed.tree()).toEqual(good);
      await bed.savepoint.undo();
      expect(bed.tree()).toEqual(wrecked);
    }
  });

  it('twice is refused: there is nothing left to undo', async () => {
    await bed.rewind('m1');
    await bed.savepoint.undo();
    await expect(bed.savepoint.undo()).rejects.toMatchObject({ code: 'nothing-to-undo' });
    expect(bed.tree()).toEqual(wrecked);
  });

  it('takes rewinds back one after the other, newest first', async () => {
    await bed.write('m2', 'second', 'y');
    await bed.rewind('m2');
    await bed.rewind('m1');
    expect(bed.tree()).toEqual(good);
    await bed.savepoint.undo();
    expect(bed.tree()).toEqual(wrecked);
    await bed.savepoint.undo();
    expect(bed.tree()).toEqual({ ...wrecked, second: 'file 644 y' });
  });

  it('of an operation by its id leaves later ones in effect', async () => {
    await bed.write('m2', 'second', 'y');
    const first = await bed.rewind('m1', { paths: ['file'] });
    await bed.rewind('m2');
    await bed.savepoint.undo({ operationId: first.operationId ?? '' });
    expect(bed.tree()).toEqual(wrecked);
  });

  it('of an operation that was undone already is refused', async () => {
    const { operationId } = await bed.rewind('m1');
    await bed.savepoint.undo();
    const again = bed.savepoint.undo({ operationId: operationId ?? '' });
    await expect(again).rejects.toMatchObject({ code: 'nothing-to-undo' });
  });

  it('without any rewind is refused', async () => {
    await expect(bed.savepoint.undo()).rejects.toMatchObject({ code: 'nothing-to-undo' });
  });
});

describe('redo', () => {
  it('takes the undo back', async () => {
    await bed.rewind('m1');
    await bed.savepoint.undo();
    expect((await bed.savepoint.redo()).success).toBe(true);
    expect(bed.tree()).toEqual(good);
  });

  it('twice is refused', async () => {
    await bed.rewind('m1');
    await bed.savepoint.undo();
    await bed.savepoint.redo();
    await expect(bed.savepoint.redo()).rejects.toMatchObject({ code: 'nothing-to-redo' });
    expect(bed.tree()).toEqual(good);
  });

  it('and undo go to and fro', async () => {
    await bed.rewind('m1');
    for (let times = 0; times < 3; times += 1) {
      await bed.savepoint.undo();
      expect(bed.tree()).toEqual(wrecked);
      await bed.savepoint.redo();
      expect(bed.tree()).toEqual(good);
    }
  });

  it('is no longer possible after a new rewind', async () => {
    await bed.write('m2', 'second', 'y');
    await bed.rewind('m2');
    await bed.savepoint.undo();
    await bed.rewind('m1');
    await expect(bed.savepoint.redo()).rejects.toMatchObject({ code: 'nothing-to-redo' });
  });

  it('without an undo is refused', async () => {
    await bed.rewind('m1');
    await expect(bed.savepoint.redo()).rejects.toMatchObject({ code: 'nothing-to-redo' });
  });
});

describe('a safety checkpoint', () => {
  it('is made before each rewind and can be returned to', async () => {
    const { safetyCheckpointId } = await bed.rewind('m1');
    const [newest] = await bed.savepoint.list({ kinds: ['safety'] });
    expect(newest?.id).toBe(safetyCheckpointId);
    bed.put('file', bed.text('file').replace('six', 'SIX'));
    await bed.savepoint.rewind({ to: safetyCheckpointId ?? '' });
    expect(bed.text('file')).toBe(LINES.replace('two', 'AGENT').replace('six', 'SIX'));
    expect(bed.text('made/new')).toBe('x');
  });

  it('keeps what nobody had recorded: a person’s last edits', async () => {
    bed.put('file', 'written a moment ago');
    const receipt = await bed.rewind('m1', { onConflict: 'restore' });
    expect(bed.text('file')).toBe(LINES);
    const to = receipt.safetyCheckpointId ?? '';
    await bed.savepoint.rewind({ to, take: 'exact' });
    expect(bed.text('file')).toBe('written a moment ago');
  });
});
