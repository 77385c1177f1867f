import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  blobOf,
  type Change,
  relativePath,
  type State,
  sqliteStore,
  storeDirectory,
} from '../../src/index.ts';
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
  const base = await store.seq();
  const change: Change = {
    seq: base + 1,
    path: relativePath(path),
    before,
    after: { kind: 'captured', type: 'file', mode: 0o644, blob: blob.id, size: blob.bytes.length },
    origin: 'shell',
    attribution: 'shared',
    sessionId,
    checkpointId: id,
    operationId: null,
    toolCallId: null,
    owner: null,
    createdAt: 0,
  };
  await store.commit({ base, blobs: [blob], changes: [change] });
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
