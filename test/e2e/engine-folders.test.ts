import { chmodSync, mkdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from './engine-bed.ts';

let bed: Bed;
beforeEach(async () => {
  bed = await makeBed();
});
afterEach(() => bed.remove());

describe('folders', () => {
  it('that the agent made go with its files, all the way up', async () => {
    bed.put('kept/readme', 'mine');
    const start = bed.tree();
    await bed.write('m1', 'kept/a/b/c/file', 'deep');
    const receipt = await bed.rewind('m1');
    expect(receipt.deletedFiles).toEqual(['kept/a', 'kept/a/b', 'kept/a/b/c', 'kept/a/b/c/file']);
    expect(bed.tree()).toEqual(start);
  });

  it('that the agent made and left empty go', async () => {
    await bed.tool('m1', ['empty'], () => mkdirSync(bed.at('empty')));
    expect((await bed.rewind('m1')).deletedFiles).toEqual(['empty']);
    expect(bed.tree()).toEqual({});
  });

  it('stay while somebody keeps a file in them, and the receipt says so', async () => {
    await bed.write('m1', 'made/agent', 'x');
    bed.put('made/person', 'mine');
    const receipt = await bed.rewind('m1');
    expect(receipt.deletedFiles).toEqual(['made/agent']);
    expect(receipt.skipped).toEqual([{ path: 'made', reason: 'directory-not-empty' }]);
    expect(bed.tree()).toMatchObject({ 'made/person': 'file 644 mine' });
  });

  it('come back with their files and their modes when the agent removed them', async () => {
    bed.put('src/a/one', '1', 0o600);
    bed.put('src/two', '2');
    mkdirSync(bed.at('src/empty'));
    chmodSync(bed.at('src/a'), 0o750);
    const start = bed.tree();
    await bed.tool('m1', ['src'], () => rmSync(bed.at('src'), { recursive: true }));
    expect((await bed.rewind('m1')).success).toBe(true);
    expect(bed.tree()).toEqual(start);
  });

  it('come back under their old name when the agent renamed them', async () => {
    bed.put('old/a', 'A');
    bed.put('old/b/c', 'C');
    const start = bed.tree();
    const rename = () => renameSync(bed.at('old'), bed.at('new'));
    await bed.tool('m1', ['old', 'new'], rename);
    expect((await bed.rewind('m1')).success).toBe(true);
    expect(bed.tree()).toEqual(start);
  });

  it('lose the entries that a tool added to a folder it named', async () => {
    bed.put('gen/kept', 'k');
    const start = bed.tree();
    await bed.tool('m1', ['gen'], () => {
      bed.put('gen/added', 'a');
      bed.put('gen/deep/added', 'b');
    });
    expect((await bed.rewind('m1')).deletedFiles).toEqual([
      'gen/added',
      'gen/deep',
      'gen/deep/added',
    ]);
    expect(bed.tree()).toEqual(start);
  });

  it('are made again, with their mode, for a file that has to come back', async () => {
    bed.put('dir/file', 'content');
    chmodSync(bed.at('dir'), 0o700);
    await bed.tool('m1', ['dir/file', 'dir'], () => rmSync(bed.at('dir'), { recursive: true }));
    const receipt = await bed.rewind('m1', { paths: ['dir/file'] });
    expect(receipt.restoredFiles).toEqual(['dir', 'dir/file']);
    expect(statSync(bed.at('dir')).mode & 0o777).toBe(0o700);
  });

  it('get their mode back, a folder that let nobody write among them', async () => {
    bed.put('dir/file', 'content');
    chmodSync(bed.at('dir'), 0o555);
    const start = bed.tree();
    await bed.tool('m1', ['dir'], () => {
      chmodSync(bed.at('dir'), 0o755);
      bed.put('dir/file', 'changed');
    });
    await bed.rewind('m1');
    expect(bed.tree()).toEqual(start);
  });

  it('past the limit of entries are not recorded, and named', async () => {
    await bed.reopen({ maxEntries: 3 });
    for (const name of ['a', 'b', 'c', 'd']) bed.put(`big/${name}`, name);
    const capture = await bed.tool('m1', ['big'], () => rmSync(bed.at('big/a')));
    expect(capture.skipped).toEqual(['big']);
    const reason = 'before-unknown-past-limit';
    expect((await bed.rewind('m1')).skipped).toEqual([{ path: 'big', reason }]);
    expect(Object.keys(bed.tree())).toEqual(['big', 'big/b', 'big/c', 'big/d']);
  });
});

describe('a swap of file and folder', () => {
  it('is taken back: a file that became a folder', async () => {
    bed.put('thing', 'a file');
    const start = bed.tree();
    await bed.tool('m1', ['thing'], () => {
      rmSync(bed.at('thing'));
      bed.put('thing/inside/file', 'now a folder');
    });
    expect((await bed.rewind('m1')).success).toBe(true);
    expect(bed.tree()).toEqual(start);
    await bed.savepoint.undo();
    expect(bed.text('thing/inside/file')).toBe('now a folder');
  });

  it('is taken back: a folder that became a file', async () => {
    bed.put('thing/inside/file', 'in a folder');
    const start = bed.tree();
    await bed.tool('m1', ['thing'], () => {
      rmSync(bed.at('thing'), { recursive: true });
      bed.put('thing', 'now a file');
    });
    expect((await bed.rewind('m1')).success).toBe(true);
    expect(bed.tree()).toEqual(start);
    await bed.savepoint.undo();
    expect(bed.text('thing')).toBe('now a file');
  });

  it('that a person keeps from happening is one conflict, and nothing of it is touched', async () => {
    bed.put('thing', 'a file');
    await bed.tool('m1', ['thing'], () => {
      rmSync(bed.at('thing'));
      bed.put('thing/agent', 'agent');
    });
    bed.put('thing/person', 'mine');
    const held = bed.tree();
    const receipt = await bed.rewind('m1');
    expect(receipt).toMatchObject({ success: false, restoredFiles: [], deletedFiles: [] });
    expect(receipt.conflicts).toEqual([
      { path: 'thing', reason: 'blocked' },
      { path: 'thing/agent', reason: 'blocked' },
    ]);
    expect(bed.tree()).toEqual(held);
  });

  it('that is blocked by a file where a folder must come back is one conflict', async () => {
    bed.put('thing/a', 'A');
    bed.put('thing/b', 'B');
    await bed.tool('m1', ['thing'], () => rmSync(bed.at('thing'), { recursive: true }));
    bed.put('thing', 'mine');
    const receipt = await bed.rewind('m1');
    expect(receipt).toMatchObject({ success: false, restoredFiles: [] });
    expect(receipt.conflicts.map(({ path }) => path)).toEqual(['thing', 'thing/a', 'thing/b']);
    expect(bed.tree()).toEqual({ thing: 'file 644 mine' });
  });

  it('leaves the rest of the set to be restored', async () => {
    bed.put('thing', 'a file');
    bed.put('other', 'before');
    await bed.tool('m1', ['thing', 'other'], () => {
      rmSync(bed.at('thing'));
      mkdirSync(bed.at('thing'));
      bed.put('other', 'after');
    });
    bed.put('thing/person', 'mine');
    expect((await bed.rewind('m1')).restoredFiles).toEqual(['other']);
    rmSync(bed.at('thing/person'));
    expect((await bed.rewind('m1')).restoredFiles).toEqual(['thing']);
    expect(bed.tree()).toEqual({ other: 'file 644 before', thing: 'file 644 a file' });
  });

  it('of an empty folder and a link goes both ways', async () => {
    mkdirSync(bed.at('thing'));
    const start = bed.tree();
    await bed.tool('m1', ['thing'], () => {
      rmdirSync(bed.at('thing'));
      bed.put('thing', 'file');
    });
    await bed.rewind('m1');
    expect(bed.tree()).toEqual(start);
  });
});
