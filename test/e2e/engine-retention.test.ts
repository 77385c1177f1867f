import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CheckpointId } from '../../src/index.ts';
import { type Bed, makeBed } from './engine-bed.ts';
import type { Tree } from './tree-of.ts';

const DAY = 24 * 60 * 60 * 1000;
let bed: Bed;
let clock: number;

beforeEach(async () => {
  clock = 1_000 * DAY;
  bed = await makeBed({ now: () => clock });
});
afterEach(() => bed.remove());

/** Ten messages that write, delete and re-create; the tree as it was before each. */
async function tenMessages(): Promise<Map<string, Tree>> {
  const before = new Map<string, Tree>();
  for (let n = 1; n <= 10; n += 1) {
    const message = `m${n}`;
    before.set(message, bed.tree());
    await bed.write(message, 'always', `version ${n}\n`);
    await bed.write(message, `only-${n}`, `${n}`);
    await bed.tool(message, ['sometimes/file'], () => {
      if (n % 3 === 0) rmSync(bed.at('sometimes'), { recursive: true, force: true });
      else bed.put('sometimes/file', `${n}`);
    });
  }
  return before;
}

async function messagesLeft(): Promise<string[]> {
  return (await bed.savepoint.list({ kinds: ['message'] })).map((one) => one.messageId ?? '');
}

describe('eviction', () => {
  it('keeps every checkpoint that is left wholly restorable, whichever go', async () => {
    const before = await tenMessages();
    const gone = ['m1', 'm2', 'm5', 'm8'];
    await bed.savepoint.evict(await Promise.all(gone.map((message) => bed.idOf(message))));
    await bed.savepoint.cleanup();
    for (const message of ['m10', 'm9', 'm7', 'm6', 'm4', 'm3']) {
      const receipt = await bed.rewind(message);
      expect(receipt).toMatchObject({ success: true, skipped: [], errors: [] });
      expect(bed.tree()).toEqual(before.get(message));
    }
  });

  it('takes the oldest of a session, past the number that is kept', async () => {
    await tenMessages();
    const result = await bed.savepoint.cleanup({ maxCheckpointsPerSession: 3 });
    expect(result).toMatchObject({ checkpoints: 7, sessions: 0 });
    expect(await messagesLeft()).toEqual(['m10', 'm9', 'm8']);
  });

  it('drops changes and blobs only below the oldest checkpoint of anybody', async () => {
    await bed.tool('n0', ['theirs'], () => bed.put('theirs', 'x'), { sessionId: 'other' });
    const before = await tenMessages();
    const kept = await bed.savepoint.cleanup({ maxCheckpointsPerSession: 1 });
    expect(kept).toMatchObject({ changes: 0, blobs: 0 });
    await bed.savepoint.evict([await bed.idOf('n0', 'other')]);
    const dropped = await bed.savepoint.cleanup({ maxCheckpointsPerSession: 1 });
    expect(dropped.changes).toBeGreaterThan(0);
    expect(dropped.blobs).toBeGreaterThan(0);
    await bed.rewind('m10');
    expect(bed.tree()).toEqual(before.get('m10'));
  });

  it('of a checkpoint makes it unknown, and takes no other with it', async () => {
    await tenMessages();
    const id = await bed.idOf('m4');
    await bed.savepoint.evict([id]);
    await expect(bed.savepoint.resolve(id)).rejects.toMatchObject({ code: 'checkpoint-not-found' });
    expect(await messagesLeft()).toHaveLength(9);
  });

  it('of everything leaves a timeline that goes on', async () => {
    await tenMessages();
    const all = (await bed.savepoint.list()).map(({ id }) => id);
    await bed.savepoint.evict(all);
    await bed.savepoint.cleanup();
    expect(await bed.savepoint.changes({})).toEqual([]);
    const held = bed.tree();
    await bed.write('m11', 'always', 'new');
    await bed.rewind('m11');
    expect(bed.tree()).toEqual(held);
  });

  it('keeps an open change, however old, so that its end finds it', async () => {
    bed.put('file', 'before');
    const request = { sessionId: 'agent', messageId: 'm1', paths: ['file'] };
    const capture = await bed.savepoint.captureBefore(request);
    await bed.savepoint.evict([capture.checkpointId]);
    await bed.savepoint.checkpoint({});
    await bed.savepoint.cleanup();
    bed.put('file', 'after');
    await bed.savepoint.captureAfter(capture);
    expect((await bed.savepoint.changes({})).map(({ path }) => path)).toEqual(['file']);
  });

  it('of unknown ids and of nothing does nothing', async () => {
    await tenMessages();
    await bed.savepoint.evict([]);
    await bed.savepoint.evict(['nobody' as CheckpointId]);
    expect(await messagesLeft()).toHaveLength(10);
  });
});

describe('retention of executions', () => {
  /** Three steps, each of which counts how often it ran and writes a file. */
  async function threeSteps(id: string, ran: string[], finish: boolean): Promise<void> {
    const run = await bed.savepoint.execution(id);
    for (const name of ['one', 'two', 'three']) {
      await run.step(name, async (context) => {
        ran.push(name);
        await context.effect('sent a mail');
        await context.files.write(`${id}-${name}`, name);
      });
    }
    await (finish ? run.finish() : run.close());
  }

  async function ids(): Promise<string[]> {
    return (await (await bed.savepoint.executions()).list()).map(({ id }) => id);
  }

  it('keeps one that has not finished, however long it was not used, and runs no step again', async () => {
    const ran: string[] = [];
    await threeSteps('build', ran, false);
    clock += 1_000 * DAY;
    const result = await bed.savepoint.cleanup({ maxCheckpointsPerSession: 1 });
    expect(result).toMatchObject({ sessions: 0, checkpoints: 0, executions: 0 });
    await bed.savepoint.prune({ olderThanMs: DAY });
    await bed.savepoint.prune({ maxBytes: 0, agent: 'execution' });
    expect(await ids()).toEqual(['build']);
    await threeSteps('build', ran, false);
    expect(ran).toEqual(['one', 'two', 'three']);
  });

  it('keeps every step of one that has not finished to roll back to, whatever else goes', async () => {
    await threeSteps('build', [], false);
    clock += 1_000 * DAY;
    await bed.savepoint.cleanup({ maxCheckpointsPerSession: 1 });
    await bed.savepoint.prune({ olderThanMs: 0 });
    await bed.savepoint.prune({ keep: 1, maxBytes: 0 });
    const plan = await bed.savepoint.planRollback('build', { to: -1 });
    await bed.savepoint.applyRollback(plan, { acceptEffects: true });
    expect(bed.tree()).toEqual({});
  });

  it('keeps what sub-agents of such an execution did', async () => {
    await threeSteps('build', [], false);
    const more = { sessionId: 'sub', parentSessionId: 'execution-build' };
    await bed.tool('m1', ['file'], () => bed.put('file', 'x'), more);
    clock += 1_000 * DAY;
    expect((await bed.savepoint.cleanup()).sessions).toBe(0);
  });

  it('removes a finished one thirty days after it was last used, and names it', async () => {
    await threeSteps('build', [], true);
    clock += 30 * DAY - 1;
    expect(await bed.savepoint.planPrune()).toMatchObject({ executions: [], sessions: [] });
    clock += 1;
    const gone = { executions: ['build'], sessions: ['execution-build'] };
    expect(await bed.savepoint.planPrune()).toMatchObject(gone);
    expect(await bed.savepoint.prune()).toMatchObject(gone);
    expect(await ids()).toEqual([]);
    expect(await bed.savepoint.prune()).toMatchObject({ executions: [], sessions: [] });
  });

  it('refuses to run an id again whose steps were removed', async () => {
    const ran: string[] = [];
    await threeSteps('build', ran, true);
    clock += 30 * DAY;
    await bed.savepoint.prune();
    const refused = { code: 'execution-removed', hint: expect.stringContaining('another id') };
    await expect(threeSteps('build', ran, true)).rejects.toMatchObject(refused);
    const reader = await bed.savepoint.executions();
    await expect(reader.show('build')).rejects.toMatchObject(refused);
    await expect(bed.savepoint.planRollback('build', { to: 0 })).rejects.toMatchObject(refused);
    await threeSteps('other', ran, true);
    const fork = { at: 0, as: 'build' };
    await expect(bed.savepoint.forkExecution('other', fork)).rejects.toMatchObject(refused);
    expect(ran).toEqual(['one', 'two', 'three', 'one', 'two', 'three']);
  });

  it('keeps a finished one while somebody has it open', async () => {
    await threeSteps('build', [], true);
    const run = await bed.savepoint.execution('build');
    clock += 1_000 * DAY;
    expect(await bed.savepoint.prune()).toMatchObject({ executions: [] });
    await run.close();
    clock += 30 * DAY;
    expect(await bed.savepoint.prune()).toMatchObject({ executions: ['build'] });
  });

  it('removes one that nobody will finish when its session is named', async () => {
    await threeSteps('build', [], false);
    clock += 31 * DAY;
    const request = { olderThanMs: DAY, sessionId: 'execution-build' };
    expect(await bed.savepoint.prune(request)).toMatchObject({ executions: ['build'] });
    const again = bed.savepoint.execution('build');
    await expect(again).rejects.toMatchObject({ code: 'execution-removed' });
  });
});

describe('retention by time', () => {
  it('removes a session seven days after it was archived, not before', async () => {
    await bed.write('m1', 'file', 'x');
    await bed.savepoint.archiveSession('agent');
    clock += 7 * DAY - 1;
    expect((await bed.savepoint.cleanup()).sessions).toBe(0);
    clock += 1;
    expect((await bed.savepoint.cleanup()).sessions).toBe(1);
    expect(await bed.savepoint.list()).toEqual([]);
    expect(bed.text('file')).toBe('x');
  });

  it('counts a session as archived after thirty idle days', async () => {
    await bed.write('m1', 'file', 'x');
    clock += 37 * DAY - 1;
    expect((await bed.savepoint.cleanup()).sessions).toBe(0);
    clock += 1;
    expect((await bed.savepoint.cleanup()).sessions).toBe(1);
  });

  it('removes the oldest archived sessions while the store holds more than it may', async () => {
    for (const [n, sessionId] of ['oldest', 'older', 'running'].entries()) {
      clock += DAY;
      const request = { sessionId, messageId: sessionId, paths: [`file-${n}`] };
      const capture = await bed.savepoint.captureBefore(request);
      bed.put(`file-${n}`, randomBytes(50_000));
      await bed.savepoint.captureAfter(capture);
      // Its content is reached by nothing but the session once the file is gone.
      const removal = await bed.savepoint.captureBefore(request);
      rmSync(bed.at(`file-${n}`));
      await bed.savepoint.captureAfter(removal);
      if (sessionId !== 'running') await bed.savepoint.archiveSession(sessionId);
    }
    const sessions = async () => (await bed.savepoint.sessions()).map(({ id }) => id);
    await bed.savepoint.cleanup({ maxStoreBytes: 160_000 });
    expect(await sessions()).toEqual(['running', 'older', 'oldest']);
    await bed.savepoint.cleanup({ maxStoreBytes: 120_000 });
    expect(await sessions()).toEqual(['running', 'older']);
    await bed.savepoint.cleanup({ maxStoreBytes: 1 });
    expect(await sessions()).toEqual(['running']);
  });

  it('begins anew for an archived session that is used again', async () => {
    await bed.write('m1', 'file', 'x');
    await bed.savepoint.archiveSession('agent');
    clock += 6 * DAY;
    await bed.write('m2', 'file', 'y');
    clock += 6 * DAY;
    expect((await bed.savepoint.cleanup()).sessions).toBe(0);
    expect(await messagesLeft()).toEqual(['m2', 'm1']);
  });

  it('keeps the newest operation, so that it can still be undone', async () => {
    await bed.write('m1', 'file', 'x');
    await bed.write('m2', 'file', 'y');
    await bed.rewind('m2');
    await bed.rewind('m1');
    clock += 100 * DAY;
    expect((await bed.savepoint.cleanup()).operations).toBe(1);
    await bed.savepoint.undo();
    expect(bed.text('file')).toBe('x');
  });

  it("removes old operations with their safety checkpoints, and others' rewinds still work", async () => {
    await bed.write('m1', 'file', 'x');
    await bed.tool('n1', ['theirs'], () => bed.put('theirs', 'y'), { sessionId: 'other' });
    await bed.rewind('m1');
    await bed.savepoint.undo();
    clock += 8 * DAY;
    const result = await bed.savepoint.cleanup();
    expect(result).toMatchObject({ operations: 1, sessions: 0 });
    expect(await bed.savepoint.list({ kinds: ['safety'] })).toHaveLength(1);
    await bed.rewind('m1');
    expect(bed.tree()).toEqual({ theirs: 'file 644 y' });
  });

  it('of a session leaves its changes on the paths of others', async () => {
    bed.put('file', 'one\ntwo\nthree\nfour\n');
    await bed.tool('n1', ['file'], () => bed.put('file', bed.text('file').replace('one', 'ONE')), {
      sessionId: 'other',
    });
    await bed.savepoint.archiveSession('other');
    clock += 6 * DAY;
    await bed.write('m1', 'file', bed.text('file').replace('four', 'FOUR'));
    clock += 2 * DAY;
    expect((await bed.savepoint.cleanup()).sessions).toBe(1);
    await bed.rewind('m1');
    expect(bed.text('file')).toBe('ONE\ntwo\nthree\nfour\n');
  });
});
