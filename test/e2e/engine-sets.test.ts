import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from './engine-bed.ts';

let bed: Bed;
beforeEach(async () => {
  bed = await makeBed();
});
afterEach(() => bed.remove());

describe('a rewind to a message', () => {
  it('takes back that message and all later ones', async () => {
    bed.put('file', '0');
    for (const message of ['m1', 'm2', 'm3']) await bed.write(message, 'file', message);
    await bed.rewind('m2');
    expect(bed.text('file')).toBe('m1');
    await bed.rewind('m1');
    expect(bed.text('file')).toBe('0');
  });

  it('does nothing the second time', async () => {
    await bed.write('m1', 'file', 'made');
    await bed.rewind('m1');
    const again = await bed.rewind('m1');
    expect(again).toMatchObject({ success: true, operationId: null, deletedFiles: [] });
    expect(await bed.savepoint.operations()).toHaveLength(1);
  });

  it('leaves what another session did', async () => {
    await bed.write('m1', 'mine', 'x');
    await bed.tool('n1', ['theirs'], () => bed.put('theirs', 'y'), { sessionId: 'other' });
    await bed.rewind('m1');
    expect(Object.keys(bed.tree())).toEqual(['theirs']);
  });

  it('takes its sub-agents along: their changes go with the parent', async () => {
    await bed.write('m1', 'parent', 'x');
    const child = { sessionId: 'child', parentSessionId: 'agent' };
    await bed.tool('c1', ['child'], () => bed.put('child', 'y'), child);
    const grandchild = { sessionId: 'grandchild', parentSessionId: 'child' };
    await bed.tool('g1', ['grandchild'], () => bed.put('grandchild', 'z'), grandchild);
    const receipt = await bed.rewind('m1');
    expect(receipt.deletedFiles).toEqual(['child', 'grandchild', 'parent']);
    expect(bed.tree()).toEqual({});
  });

  it('includes what is on disk at a capture that nobody closed', async () => {
    bed.put('file', 'before');
    await bed.savepoint.captureBefore({ sessionId: 'agent', messageId: 'm1', paths: ['file'] });
    bed.put('file', 'after');
    await bed.rewind('m1');
    expect(bed.text('file')).toBe('before');
  });

  it('leaves a file to the session that took it over from a running tool', async () => {
    bed.put('a', 'before');
    bed.put('b', 'before');
    const both = { sessionId: 'agent', messageId: 'm1', paths: ['a', 'b'] };
    const capture = await bed.savepoint.captureBefore(both);
    bed.put('a', 'agent');
    await bed.savepoint.captureBefore({ sessionId: 'other', messageId: 'n1', paths: ['a'] });
    bed.put('a', 'other');
    bed.put('b', 'agent');
    await bed.savepoint.captureAfter(capture);
    const to = await bed.idOf('n1', 'other');
    expect((await bed.savepoint.rewind({ to })).restoredFiles).toEqual(['a']);
    expect([bed.text('a'), bed.text('b')]).toEqual(['agent', 'agent']);
  });

  it('leaves what a person wrote after the turn ended', async () => {
    bed.put('file', 'before');
    await bed.savepoint.captureBefore({ sessionId: 'agent', messageId: 'm1', paths: ['file'] });
    bed.put('file', 'after');
    await bed.savepoint.endTurn('agent');
    bed.put('file', 'person');
    expect((await bed.rewind('m1')).conflicts).toMatchObject([{ path: 'file' }]);
    expect(bed.text('file')).toBe('person');
  });
});

describe('one message only', () => {
  it('takes back that message and keeps the later ones', async () => {
    bed.put('a', '0');
    await bed.write('m1', 'a', '1');
    await bed.write('m2', 'b', '2');
    await bed.write('m3', 'c', '3');
    await bed.rewind('m2', { take: 'message' });
    expect(bed.tree()).toEqual({ a: 'file 644 1', c: 'file 644 3' });
  });

  it("merges where a later message of the agent's stands on top", async () => {
    const lines = 'one\ntwo\nthree\nfour\nfive\n';
    bed.put('file', lines);
    await bed.write('m1', 'file', lines.replace('one', 'ONE'));
    await bed.write('m2', 'file', bed.text('file').replace('five', 'FIVE'));
    const receipt = await bed.rewind('m1', { take: 'message' });
    expect(receipt.mergedFiles).toEqual(['file']);
    expect(bed.text('file')).toBe(lines.replace('five', 'FIVE'));
  });
});

describe('chosen paths', () => {
  it('go back alone, a folder with all that is below it', async () => {
    for (const path of ['src/a', 'src/deep/b', 'srcs', 'other']) await bed.write('m1', path, 'x');
    const receipt = await bed.rewind('m1', { paths: ['src'] });
    expect(receipt.deletedFiles).toEqual(['src', 'src/a', 'src/deep', 'src/deep/b']);
    expect(Object.keys(bed.tree()).sort()).toEqual(['other', 'srcs']);
    expect((await bed.rewind('m1')).deletedFiles).toEqual(['other', 'srcs']);
  });

  it('can be named by their absolute path', async () => {
    await bed.write('m1', 'file', 'x');
    expect((await bed.rewind('m1', { paths: [bed.at('file')] })).deletedFiles).toEqual(['file']);
  });
});

describe('exact', () => {
  it('brings the tree back as it was, whoever changed it', async () => {
    bed.put('file', 'before');
    bed.put('gone', 'here');
    await bed.savepoint.checkpoint({ sessionId: 'agent', messageId: 'm1' });
    const start = bed.tree();
    await bed.write('m1', 'file', 'agent');
    await bed.tool('n1', ['made'], () => bed.put('made', 'x'), { sessionId: 'other' });
    await bed.tool('m1', ['gone'], () => rmSync(bed.at('gone')));
    bed.put('file', 'person');
    const receipt = await bed.rewind('m1', { take: 'exact' });
    expect(receipt.success).toBe(true);
    expect(bed.tree()).toEqual(start);
    await bed.savepoint.undo();
    expect(bed.text('file')).toBe('person');
  });

  it('goes back past rewinds that happened in between', async () => {
    bed.put('file', '0');
    await bed.write('m1', 'file', '1');
    await bed.write('m2', 'file', '2');
    await bed.rewind('m2');
    await bed.rewind('m1', { take: 'exact' });
    expect(bed.text('file')).toBe('0');
  });

  it('can bring back what a rewind took away', async () => {
    await bed.write('m1', 'file', '1');
    const { id } = await bed.savepoint.checkpoint({ description: 'good' });
    await bed.rewind('m1');
    expect(bed.tree()).toEqual({});
    await bed.savepoint.rewind({ to: id, take: 'exact' });
    expect(bed.text('file')).toBe('1');
  });
});

describe('a checkpoint without a session', () => {
  it("takes back every agent's changes since, and leaves a person's", async () => {
    bed.put('mine', 'before');
    await bed.write('m0', 'early', 'stays');
    const { id } = await bed.savepoint.checkpoint({ label: 'by hand' });
    await bed.write('m1', 'one', 'x');
    await bed.tool('n1', ['two'], () => bed.put('two', 'y'), { sessionId: 'other' });
    bed.put('mine', 'person');
    const receipt = await bed.savepoint.rewind({ to: id });
    expect(receipt.deletedFiles).toEqual(['one', 'two']);
    expect(bed.tree()).toEqual({ early: 'file 644 stays', mine: 'file 644 person' });
  });

  it("keeps a person's lines between those of agents, although they are on record", async () => {
    const lines = 'one\ntwo\nthree\nfour\nfive\n';
    bed.put('file', lines);
    const { id } = await bed.savepoint.checkpoint({});
    await bed.write('m1', 'file', lines.replace('one', 'AGENT'));
    bed.put('file', bed.text('file').replace('three', 'PERSON'));
    await bed.write('m2', 'file', bed.text('file').replace('five', 'AGENT'));
    expect((await bed.savepoint.rewind({ to: id })).mergedFiles).toEqual(['file']);
    expect(bed.text('file')).toBe(lines.replace('three', 'PERSON'));
  });
});
