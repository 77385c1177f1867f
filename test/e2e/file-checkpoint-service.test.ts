import { chmodSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileCheckpointService } from '../../src/integrations/file-checkpoint/index.ts';
import { type Bed, makeBed } from './engine-bed.ts';

const DAY = 24 * 60 * 60 * 1000;
const MIB = 1024 * 1024;
let bed: Bed;
let service: FileCheckpointService;
let clock: number;

beforeEach(async () => {
  clock = 1_000 * DAY;
  bed = await makeBed({ now: () => clock });
  service = new FileCheckpointService(bed.savepoint);
});
afterEach(() => bed.remove());

/** What a tool does: the file is recorded, then written. */
async function edit(message: string, path: string, content: string, session = 's1'): Promise<void> {
  expect(await service.createCheckpoint(session, message, bed.at(path))).not.toBeNull();
  bed.put(path, content);
}

async function rows(session = 's1'): Promise<string[]> {
  return (await service.getCheckpoints(session)).map((row) => `${row.messageId} ${row.filePath}`);
}

describe('createCheckpoint', () => {
  it('records a file as it was: content, mode, message and time', async () => {
    bed.put('file', 'before', 0o755);
    const id = await service.createCheckpoint('s1', 'm1', bed.at('file'));
    expect(await service.getCheckpoints('s1')).toEqual([
      {
        id,
        sessionId: 's1',
        messageId: 'm1',
        filePath: bed.at('file'),
        originalContent: 'before',
        fileExisted: true,
        createdAt: clock,
        mode: 0o755,
        binary: false,
      },
    ]);
  });

  it('records that a file did not exist, once, also where its folders are missing', async () => {
    const id = await service.createCheckpoint('s1', 'm1', bed.at('new/folder/file'));
    const listed = await service.getCheckpoints('s1');
    expect(listed).toMatchObject([{ id, fileExisted: false, originalContent: null, mode: null }]);
    expect(listed).toHaveLength(1);
  });

  it('keeps bytes that are no text, and says that the text is not all of them', async () => {
    bed.put('image', Buffer.from([0, 255, 1]));
    await edit('m1', 'image', 'destroyed');
    expect(await service.getCheckpoints('s1')).toMatchObject([{ binary: true, fileExisted: true }]);
    await service.rewindFiles('s1', 'm1');
    expect(bed.tree()).toEqual({ image: 'file 644 \u0000\u00ff\u0001' });
  });

  it('takes relative paths too', async () => {
    bed.put('dir/file', 'before');
    await service.createCheckpoint('s1', 'm1', 'dir/../dir/file');
    expect(await rows()).toEqual([`m1 ${bed.at('dir/file')}`]);
  });

  it('keeps a file of exactly one MiB', async () => {
    bed.put('full', 'x'.repeat(MIB));
    expect(await service.createCheckpoint('s1', 'm1', bed.at('full'))).not.toBeNull();
  });

  it('skips a larger one: null, on record, and in every receipt', async () => {
    bed.put('large', 'x'.repeat(MIB + 1));
    expect(await service.createCheckpoint('s1', 'm1', bed.at('large'))).toBeNull();
    bed.put('large', 'overwritten');
    await edit('m1', 'file', 'made');
    expect(await rows()).toEqual([`m1 ${bed.at('file')}`]);
    const skipped = [{ filePath: bed.at('large'), reason: 'before-unknown-too-large' }];
    expect(await service.rewindFiles('s1', 'm1')).toMatchObject({ skipped });
    expect(await service.rewindFiles('s1', 'm1')).toMatchObject({ skipped });
    expect(bed.text('large')).toBe('overwritten');
  });

  it.each([
    ['a folder', () => bed.at('dir')],
    ["git's own file", () => bed.at('.git/config')],
  ])('is null for what is no file to keep: %s', async (_what, path) => {
    bed.put('dir/file', 'x');
    bed.put('.git/config', 'x');
    expect(await service.createCheckpoint('s1', 'm1', path())).toBeNull();
  });
});

describe('rewindFiles', () => {
  it('restores what edit_file changed', async () => {
    bed.put('file', 'before');
    await edit('m1', 'file', 'after');
    const result = await service.rewindFiles('s1', 'm1');
    expect(result).toMatchObject({
      success: true,
      restoredFiles: [bed.at('file')],
      deletedFiles: [],
      errors: [],
    });
    expect(bed.text('file')).toBe('before');
  });

  it('takes back that message and all later ones, like a reset', async () => {
    bed.put('file', '0');
    for (const message of ['m1', 'm2', 'm3']) await edit(message, 'file', message);
    await service.rewindFiles('s1', 'm2');
    expect(bed.text('file')).toBe('m1');
  });

  it('deletes files that the agent created, and names no folders', async () => {
    await edit('m1', 'new/file', 'made');
    const result = await service.rewindFiles('s1', 'm1');
    expect(result.deletedFiles).toEqual([bed.at('new/file')]);
    expect(bed.tree()).toEqual({});
  });

  it('brings modes, links and deleted files back', async () => {
    bed.put('run', 'x', 0o755);
    symlinkSync('run', bed.at('link'));
    const start = bed.tree();
    await service.createCheckpoint('s1', 'm1', bed.at('run'));
    await service.createCheckpoint('s1', 'm1', bed.at('link'));
    rmSync(bed.at('link'));
    rmSync(bed.at('run'));
    expect((await service.rewindFiles('s1', 'm1')).success).toBe(true);
    expect(bed.tree()).toEqual(start);
  });

  it("leaves another session's files and a person's", async () => {
    await edit('m1', 'mine', 'x');
    await edit('n1', 'theirs', 'y', 's2');
    bed.put('person', 'z');
    await service.rewindFiles('s1', 'm1');
    expect(Object.keys(bed.tree()).sort()).toEqual(['person', 'theirs']);
  });

  it('names what stands in the way and leaves it', async () => {
    bed.put('file', 'before');
    const capture = await service.captureBefore('s1', 'm1', bed.at('file'));
    bed.put('file', 'agent');
    await service.captureAfter(capture);
    bed.put('file', 'person');
    const result = await service.rewindFiles('s1', 'm1');
    expect(result).toMatchObject({ success: false, conflicts: [{ filePath: bed.at('file') }] });
    expect(bed.text('file')).toBe('person');
  });

  it('can be undone', async () => {
    await edit('m1', 'file', 'made');
    const { operationId } = await service.rewindFiles('s1', 'm1');
    await bed.savepoint.undo({ operationId: operationId ?? '' });
    expect(bed.text('file')).toBe('made');
  });

  it('says why nothing was done for a message that it does not know', async () => {
    const result = await service.rewindFiles('s1', 'nothing');
    expect(result).toMatchObject({ success: false, restoredFiles: [], deletedFiles: [] });
    expect(result.errors).toMatchObject([
      { error: expect.stringContaining('checkpoint-not-found') },
    ]);
  });

  it('changes a mode back without touching the content', async () => {
    bed.put('file', 'same', 0o644);
    await service.createCheckpoint('s1', 'm1', bed.at('file'));
    chmodSync(bed.at('file'), 0o600);
    await service.rewindFiles('s1', 'm1');
    expect(statSync(bed.at('file')).mode & 0o777).toBe(0o644);
  });
});

describe('the limit of rows', () => {
  it('keeps the newest fifty rows, and with them whole messages', async () => {
    for (const message of ['m1', 'm2', 'm3', 'm4', 'm5', 'm6']) {
      for (let n = 0; n < 10; n += 1) await edit(message, `file-${n}`, `${message} ${n}`);
    }
    const listed = await rows();
    expect(listed).toHaveLength(50);
    expect(listed[0]).toBe(`m2 ${bed.at('file-0')}`);
    // Nine rows of the second message are still among the newest fifty.
    await edit('m6', 'one-more', 'x');
    expect(await rows()).toHaveLength(51);
    for (let n = 0; n < 9; n += 1) await edit('m7', `file-${n}`, `m7 ${n}`);
    expect(await rows()).toHaveLength(50);
    expect((await service.rewindFiles('s1', 'm2')).success).toBe(false);
    expect((await service.rewindFiles('s1', 'm3')).success).toBe(true);
    expect(bed.text('file-0')).toBe('m2 0');
  });

  it('always keeps the newest message and the one before, however many rows they have', async () => {
    await edit('m0', 'earliest', 'x');
    await edit('m1', 'early', 'x');
    for (let n = 0; n < 60; n += 1) await edit('m2', `file-${n}`, 'y');
    expect(await rows()).toHaveLength(61);
    expect((await service.rewindFiles('s1', 'm0')).success).toBe(false);
    const { deletedFiles } = await service.rewindFiles('s1', 'm1');
    expect(deletedFiles).toHaveLength(61);
  });

  it('keeps a message of sixty files until newer ones have fifty rows', async () => {
    for (let n = 0; n < 60; n += 1) await edit('m1', `file-${n}`, 'y');
    for (let n = 2; n <= 50; n += 1) await edit(`m${n}`, 'single', `${n}`);
    expect(await rows()).toHaveLength(109);
    const { deletedFiles } = await service.rewindFiles('s1', 'm1');
    expect(deletedFiles).toHaveLength(61);
    await edit('m51', 'single', '51');
    expect(await rows()).toHaveLength(50);
    expect((await service.rewindFiles('s1', 'm1')).success).toBe(false);
  });

  it('counts each session by itself', async () => {
    for (let n = 0; n < 40; n += 1) {
      await edit(`m${n}`, 'file', `${n}`);
      await edit(`m${n}`, 'other', `${n}`, 's2');
    }
    expect([(await rows('s1')).length, (await rows('s2')).length]).toEqual([40, 40]);
  });

  it('can be set', async () => {
    service = new FileCheckpointService(bed.savepoint, { maxCheckpointsPerSession: 2 });
    for (const message of ['m1', 'm2', 'm3']) await edit(message, 'file', message);
    expect(await rows()).toEqual([`m2 ${bed.at('file')}`, `m3 ${bed.at('file')}`]);
  });

  it('holds for a session that another service began', async () => {
    for (let n = 0; n < 50; n += 1) await edit(`m${n}`, 'file', `${n}`);
    service = new FileCheckpointService(bed.savepoint);
    await edit('m50', 'file', '50');
    expect(await rows()).toHaveLength(50);
  });
});

describe('cleanup', () => {
  it('removes a session seven days after it was archived, and says how many rows went', async () => {
    await edit('m1', 'a', 'x');
    await edit('m1', 'b', 'x');
    await edit('n1', 'c', 'x', 's2');
    await bed.savepoint.archiveSession('s1');
    clock += 7 * DAY - 1;
    expect(await service.cleanup()).toBe(0);
    clock += 1;
    expect(await service.cleanup()).toBe(2);
    expect([await rows('s1'), (await rows('s2')).length]).toEqual([[], 1]);
  });

  it('runs once at start', async () => {
    await edit('m1', 'a', 'x');
    await bed.savepoint.archiveSession('s1');
    clock += 8 * DAY;
    expect(await new FileCheckpointService(bed.savepoint).started).toBe(1);
    expect(await rows()).toEqual([]);
  });

  it("leaves other people's sessions alone: those of chats, of executions, and ones that it only uses", async () => {
    for (let n = 0; n < 60; n += 1) {
      await bed.tool(`m${n}`, ['chat'], () => bed.put('chat', `${n}`), { sessionId: 'chat' });
    }
    const run = await bed.savepoint.execution('build');
    for (let n = 0; n < 60; n += 1) {
      await run.step(`s${n}`, (context) => context.files.write('built', `${n}`));
    }
    await run.close();
    await bed.savepoint.archiveSession('chat');
    await edit('last', 'chat', 'by a tool', 'chat');
    await bed.savepoint.archiveSession('chat');
    clock += 8 * DAY;
    const other = new FileCheckpointService(bed.savepoint);
    expect(await other.started).toBe(0);
    const checkpoints = await bed.savepoint.list({ sessionIds: ['chat', 'execution-build'] });
    expect(checkpoints).toHaveLength(121);
    const { steps } = await bed.savepoint.planRollback('build', { to: 0 });
    expect(steps).toHaveLength(59);
  });

  it('leaves operations alone that somebody may want to undo', async () => {
    await bed.write('m1', 'file', 'x');
    await bed.rewind('m1');
    await bed.write('m2', 'file', 'y');
    await bed.rewind('m2');
    clock += 30 * DAY;
    await service.cleanup();
    expect(await bed.savepoint.operations()).toHaveLength(2);
  });

  it('that fails at start does not keep the service from working', async () => {
    await bed.savepoint.close();
    const closed = new FileCheckpointService(bed.savepoint);
    await expect(closed.started).rejects.toMatchObject({ code: 'store-closed' });
    await expect(closed.getCheckpoints('s1')).rejects.toMatchObject({ code: 'store-closed' });
  });

  it('leaves files alone: only what is kept of them goes', async () => {
    bed.put('file', 'before');
    await edit('m1', 'file', 'after');
    await bed.savepoint.archiveSession('s1');
    clock += 8 * DAY;
    await service.cleanup();
    expect(bed.text('file')).toBe('after');
    expect((await service.rewindFiles('s1', 'm1')).success).toBe(false);
  });
});
