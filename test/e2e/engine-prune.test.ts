import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PruneRequest } from '../../src/index.ts';
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

/** Ten messages of a session, a day between them, each with bytes that cannot be compressed. */
async function tenDays(sessionId = 'agent'): Promise<Map<string, Tree>> {
  const before = new Map<string, Tree>();
  for (let n = 1; n <= 10; n += 1) {
    before.set(`m${n}`, bed.tree());
    const work = () => bed.put('file', randomBytes(50_000));
    await bed.tool(`m${n}`, ['file'], work, { sessionId });
    clock += DAY;
  }
  return before;
}

async function messagesLeft(): Promise<(string | null)[]> {
  return (await bed.savepoint.list({ kinds: ['message'] })).map(({ messageId }) => messageId);
}

it.each([
  ['older than an age', { olderThanMs: 3.5 * DAY }, ['m10', 'm9', 'm8']],
  ['past a number', { keep: 2 }, ['m10', 'm9']],
  ['by age, but never the newest of a session', { olderThanMs: 0 }, ['m10']],
] as [string, PruneRequest, string[]][])(
  'removes checkpoints %s, as foretold, and keeps the others whole',
  async (_how, request, left) => {
    const before = await tenDays();
    const plan = await bed.savepoint.planPrune(request);
    expect(await messagesLeft()).toHaveLength(10);
    const report = await bed.savepoint.prune(request);
    expect(report.checkpoints).toEqual(plan.checkpoints);
    expect(report).toMatchObject({ changes: plan.changes, blobs: plan.blobs });
    expect(await messagesLeft()).toEqual(left);
    for (const message of left) {
      await bed.rewind(message);
      expect(bed.tree()).toEqual(before.get(message));
    }
  },
);

it('measures on the disk what came back', async () => {
  await tenDays();
  const before = await bed.savepoint.diskBytes();
  const { freedBytes, diskBytes } = await bed.savepoint.prune({ keep: 2 });
  expect(diskBytes).toBe(await bed.savepoint.diskBytes());
  expect(freedBytes).toBe(before - diskBytes);
  expect(freedBytes).toBeGreaterThan(6 * 50_000);
});

it('removes the oldest until the rest fits, and no more than that', async () => {
  await tenDays();
  const maxBytes = 5 * 50_000 + 1_000;
  const plan = await bed.savepoint.planPrune({ maxBytes });
  await bed.savepoint.prune({ maxBytes });
  // m10's after, and what m7 to m10 found.
  expect(await messagesLeft()).toEqual(['m10', 'm9', 'm8', 'm7']);
  expect(plan.checkpoints).toHaveLength(6);
  expect((await bed.savepoint.stats()).storedBytes).toBeLessThanOrEqual(maxBytes);
});

it('takes archived sessions whole, before checkpoints of those that go on', async () => {
  await tenDays('done');
  await bed.savepoint.archiveSession('done');
  await bed.write('n1', 'other', randomBytes(50_000));
  const plan = await bed.savepoint.planPrune({ maxBytes: 3 * 50_000 });
  expect(plan).toMatchObject({ sessions: ['done'], operations: [] });
  await bed.savepoint.prune({ maxBytes: 3 * 50_000 });
  expect(await messagesLeft()).toEqual(['n1']);
});

it('leaves other sessions alone where one is named', async () => {
  await tenDays('one');
  await tenDays('two');
  await bed.savepoint.prune({ keep: 1, sessionId: 'one' });
  const left = await bed.savepoint.list({ kinds: ['message'] });
  expect(left.filter(({ sessionId }) => sessionId === 'one')).toHaveLength(1);
  expect(left.filter(({ sessionId }) => sessionId === 'two')).toHaveLength(10);
  await expect(bed.savepoint.prune({ keep: 1, sessionId: 'three' })).rejects.toMatchObject({
    code: 'session-not-found',
  });
  await expect(bed.savepoint.prune({ sessionId: 'one' })).rejects.toMatchObject({
    code: 'argument-invalid',
  });
});

it('removes old operations with what they kept, but never the newest', async () => {
  await tenDays();
  await bed.rewind('m9');
  await bed.savepoint.undo();
  clock += 10 * DAY;
  const report = await bed.savepoint.prune({ olderThanMs: 5 * DAY });
  expect(report.operations).toHaveLength(1);
  expect(await bed.savepoint.operations()).toMatchObject([{ kind: 'undo' }]);
  expect(await bed.savepoint.redo()).toMatchObject({ success: true });
});

it('follows the rules of retention without a request, as foretold', async () => {
  await tenDays();
  const rules = { maxCheckpointsPerSession: 4 };
  const plan = await bed.savepoint.planPrune({}, rules);
  expect((await bed.savepoint.prune({}, rules)).checkpoints).toEqual(plan.checkpoints);
  expect(await messagesLeft()).toEqual(['m10', 'm9', 'm8', 'm7']);
  clock += 100 * DAY;
  expect(await bed.savepoint.planPrune({})).toMatchObject({ sessions: ['agent'] });
});
