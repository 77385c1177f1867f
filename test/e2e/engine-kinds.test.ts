import { chmodSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from './engine-bed.ts';

let bed: Bed;
beforeEach(async () => {
  bed = await makeBed();
});
afterEach(() => bed.remove());

describe('files', () => {
  const contents: [name: string, before: Uint8Array, after: Uint8Array][] = [
    ['text', Buffer.from('one\ntwo\n'), Buffer.from('one\n2\n')],
    ['text without a last newline', Buffer.from('one'), Buffer.from('two')],
    ['text with CRLF line ends', Buffer.from('a\r\nb\r\n'), Buffer.from('a\nb\n')],
    ['binary', Buffer.from([0, 255, 254, 0, 1]), Buffer.from([1, 0, 255])],
    ['bytes that are not UTF-8', Buffer.from([0xc3, 0x28, 0x0a]), Buffer.from([0xff, 0x0a])],
    ['an empty file', Buffer.alloc(0), Buffer.from('filled')],
    ['a file that is emptied', Buffer.from('full'), Buffer.alloc(0)],
    ['a file larger than one blob row', Buffer.alloc(700_000, 7), Buffer.alloc(700_000, 8)],
  ];
  it.each(contents)('come back byte for byte: %s', async (_name, before, after) => {
    bed.put('file', before);
    const start = bed.tree();
    await bed.write('m1', 'file', after);
    const receipt = await bed.rewind('m1');
    expect(receipt).toMatchObject({ success: true, restoredFiles: ['file'], deletedFiles: [] });
    expect(Buffer.compare(readFileSync(bed.at('file')), before)).toBe(0);
    expect(bed.tree()).toEqual(start);
  });

  it('are deleted when the agent created them, empty ones too', async () => {
    await bed.write('m1', 'new.txt', 'new');
    await bed.write('m1', 'empty', '');
    const receipt = await bed.rewind('m1');
    expect(receipt).toMatchObject({ success: true, deletedFiles: ['empty', 'new.txt'] });
    expect(bed.tree()).toEqual({});
  });

  it('come back when the agent deleted them', async () => {
    bed.put('gone.txt', 'precious', 0o640);
    const start = bed.tree();
    await bed.tool('m1', ['gone.txt'], () => rmSync(bed.at('gone.txt')));
    expect((await bed.rewind('m1')).restoredFiles).toEqual(['gone.txt']);
    expect(bed.tree()).toEqual(start);
  });

  it('come back under their old name when the agent renamed them', async () => {
    bed.put('old.txt', 'content', 0o600);
    const start = bed.tree();
    const rename = () => renameSync(bed.at('old.txt'), bed.at('new.txt'));
    await bed.tool('m1', ['old.txt', 'new.txt'], rename);
    const receipt = await bed.rewind('m1');
    expect(receipt).toMatchObject({ restoredFiles: ['old.txt'], deletedFiles: ['new.txt'] });
    expect(bed.tree()).toEqual(start);
  });

  it('come back from a rename over another file', async () => {
    bed.put('a', 'A');
    bed.put('b', 'B');
    const start = bed.tree();
    await bed.tool('m1', ['a', 'b'], () => renameSync(bed.at('a'), bed.at('b')));
    await bed.rewind('m1');
    expect(bed.tree()).toEqual(start);
  });
});

describe('modes', () => {
  it('come back: an executable bit that was set', async () => {
    bed.put('run.sh', '#!/bin/sh\n', 0o644);
    await bed.tool('m1', ['run.sh'], () => chmodSync(bed.at('run.sh'), 0o755));
    const plan = await bed.savepoint.planRewind({ to: 'latest' });
    expect(plan.lines).toMatchObject([{ path: 'run.sh', action: 'chmod' }]);
    await bed.savepoint.apply(plan);
    expect(statSync(bed.at('run.sh')).mode & 0o777).toBe(0o644);
  });

  it('come back with the content: an executable that was overwritten', async () => {
    bed.put('run.sh', '#!/bin/sh\n', 0o755);
    const start = bed.tree();
    await bed.tool('m1', ['run.sh'], () => {
      rmSync(bed.at('run.sh'));
      bed.put('run.sh', 'no longer', 0o600);
    });
    await bed.rewind('m1');
    expect(bed.tree()).toEqual(start);
  });

  it('do not stand in the way: a read-only file', async () => {
    bed.put('locked', 'as it was', 0o444);
    const start = bed.tree();
    await bed.tool('m1', ['locked'], () => {
      rmSync(bed.at('locked'));
      bed.put('locked', 'overwritten', 0o444);
    });
    expect((await bed.rewind('m1')).success).toBe(true);
    expect(bed.tree()).toEqual(start);
  });

  it.each([
    ['755', '4700', '755'],
    ['755', '4755', '755'],
    ['2755', '6755', '2755'],
    ['4755', '4700', '4755'],
    ['4755', '700', '755'],
    ['4755', '755', '755'],
  ])('lose set-id bits that the agent gave, and get none: %s, %s, %s', async (...modes) => {
    const [before = 0, after = 0, restored = 0] = modes.map((mode) => Number.parseInt(mode, 8));
    bed.put('tool', 'x', before);
    await bed.tool('m1', ['tool'], () => chmodSync(bed.at('tool'), after));
    const receipt = await bed.rewind('m1');
    expect(receipt.notes).toMatchObject([{ code: 'set-id', paths: ['tool'] }]);
    expect(statSync(bed.at('tool')).mode & 0o7777).toBe(restored);
    const last = (await bed.savepoint.changes({})).at(-1);
    expect(last?.after).toMatchObject({ mode: restored });
  });

  it('keep a set-id bit that somebody else gave with the old mode', async () => {
    bed.put('tool', 'x', 0o755);
    await bed.tool('m1', ['tool'], () => chmodSync(bed.at('tool'), 0o700));
    chmodSync(bed.at('tool'), 0o4755);
    await bed.rewind('m1');
    expect(statSync(bed.at('tool')).mode & 0o7777).toBe(0o4755);
  });
});
