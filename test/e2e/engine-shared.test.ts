import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  blobOf,
  type Change,
  relativePath,
  type State,
  sqliteStore,
  storeDirectory,
} from '../../src/index.ts';
import { currentSeq } from '../../src/store/find.ts';
import { type Bed, makeBed } from './engine-bed.ts';

let bed: Bed;
beforeEach(async () => {
  bed = await makeBed();
});
afterEach(() => bed.remove());

const ABSENT: State = { kind: 'absent' };

/** A shell window that overlapped with another leaves such a row; here it comes through the store. */
async function writeShared(path: string, before: State, content: string): Promise<void> {
  const blob = blobOf(Buffer.from(content));
  const { id, sessionId } = await bed.savepoint.checkpoint({ sessionId: 'agent', messageId: 'm1' });
  await bed.savepoint.close();
  bed.put(path, content);
  const store = await sqliteStore({ directory: storeDirectory(bed.home, bed.root) });
  const base = await currentSeq(store);
  const change: Change = {
    seq: base + 1,
    path: relativePath(path),
    before,
    after: { kind: 'captured', type: 'file', mode: 0o644, blob: blob.id, size: blob.bytes.length },
    origin: 'shell',
    attribution: 'shared',
    sessionId,
    checkpointId: id,
    coAuthors: null,
    operationId: null,
    toolCallId: null,
    subagentId: null,
    owner: null,
    createdAt: 0,
  };
  await store.timeline.commit({ base, blobs: [blob], changes: [change] });
  await store.close();
  await bed.reopen();
}

describe('a change whose author is not sure', () => {
  it('is not taken back, and named', async () => {
    await writeShared('file', ABSENT, 'whose?');
    const receipt = await bed.rewind('m1');
    expect(receipt.skipped).toEqual([{ path: 'file', reason: 'shared-attribution' }]);
    expect(bed.text('file')).toBe('whose?');
  });

  it('is taken back when asked for', async () => {
    await writeShared('file', ABSENT, 'whose?');
    const receipt = await bed.rewind('m1', { includeShared: true });
    expect(receipt.deletedFiles).toEqual(['file']);
    expect(bed.tree()).toEqual({});
  });

  it("keeps the agent's own change below it from being taken back where they overlap", async () => {
    await bed.write('m1', 'file', 'made\n');
    const [made] = await bed.savepoint.changes({});
    await writeShared('file', made?.after ?? ABSENT, 'made and more\n');
    expect((await bed.rewind('m1')).conflicts).toMatchObject([{ path: 'file' }]);
    expect(bed.text('file')).toBe('made and more\n');
    expect((await bed.rewind('m1', { includeShared: true })).deletedFiles).toEqual(['file']);
  });

  it("is merged over where the agent's own change lies elsewhere in the file", async () => {
    const lines = 'one\ntwo\nthree\nfour\nfive\n';
    bed.put('file', lines);
    await bed.write('m1', 'file', lines.replace('one', 'AGENT'));
    const [made] = await bed.savepoint.changes({});
    const shared = bed.text('file').replace('five', 'SHARED');
    await writeShared('file', made?.after ?? ABSENT, shared);
    expect((await bed.rewind('m1')).mergedFiles).toEqual(['file']);
    expect(bed.text('file')).toBe(lines.replace('five', 'SHARED'));
  });
});

describe('two tool calls of two sessions on one file at the same time', () => {
  const request = (sessionId: string) => ({
    sessionId,
    messageId: `m-${sessionId}`,
    paths: ['file'],
    toolCallId: `call-${sessionId}`,
  });

  it('leave it to a person what is taken back', async () => {
    bed.put('file', 'one\n');
    const first = await bed.savepoint.captureBefore(request('first'));
    const second = await bed.savepoint.captureBefore(request('second'));
    bed.put('file', 'one\nof the first\n');
    await bed.savepoint.captureAfter(first);
    bed.put('file', 'one\nof the first\nof the second\n');
    await bed.savepoint.captureAfter(second);
    const receipt = await bed.savepoint.rewind({ to: second.checkpointId });
    expect(receipt.skipped).toEqual([{ path: 'file', reason: 'shared-attribution' }]);
    expect(bed.text('file')).toBe('one\nof the first\nof the second\n');
    await bed.savepoint.rewind({ to: second.checkpointId, includeShared: true });
    expect(bed.text('file')).toBe('one\n');
  });

  it('belong to both, as far as both were at work', async () => {
    bed.put('file', 'one\n');
    const first = await bed.savepoint.captureBefore(request('first'));
    bed.put('file', 'one\nof the first\n');
    const second = await bed.savepoint.captureBefore(request('second'));
    bed.put('file', 'one\nof both\n');
    await bed.savepoint.captureAfter(first);
    await bed.savepoint.captureAfter(second);
    const all = { includeShared: true };
    await bed.savepoint.rewind({ to: second.checkpointId, ...all });
    expect(bed.text('file')).toBe('one\nof the first\n');
    await bed.savepoint.undo();
    const { skipped } = await bed.savepoint.rewind({ to: first.checkpointId });
    expect(skipped).toEqual([{ path: 'file', reason: 'shared-attribution' }]);
    await bed.savepoint.rewind({ to: first.checkpointId, ...all });
    expect(bed.text('file')).toBe('one\n');
  });

  it('are told apart where the first had ended', async () => {
    bed.put('file', 'one\n');
    const first = await bed.savepoint.captureBefore(request('first'));
    bed.put('file', 'one\nof the first\n');
    await bed.savepoint.captureAfter(first);
    const second = await bed.savepoint.captureBefore(request('second'));
    bed.put('file', 'one\nof the first\nof the second\n');
    await bed.savepoint.captureAfter(second);
    await bed.savepoint.rewind({ to: second.checkpointId });
    expect(bed.text('file')).toBe('one\nof the first\n');
  });
});

describe('the end of a turn', () => {
  it('records each new entry once, though several open changes lead to it', async () => {
    const request = { sessionId: 'agent', messageId: 'm1', paths: ['new/dir/file'] };
    await bed.savepoint.captureBefore(request);
    bed.put('new/dir/file', 'named');
    bed.put('new/dir/other', 'beside it');
    await bed.savepoint.endTurn('agent');
    const paths = (await bed.savepoint.changes({})).map(({ path }) => path as string);
    expect(paths.toSorted()).toEqual(['new', 'new/dir', 'new/dir/file', 'new/dir/other']);
    await bed.rewind('m1');
    expect(bed.tree()).toEqual({});
  });
});
