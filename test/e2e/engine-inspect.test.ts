import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from './engine-bed.ts';

let bed: Bed;
beforeEach(async () => {
  bed = await makeBed();
});
afterEach(() => bed.remove());

const lines = (count: number): string =>
  Array.from({ length: count }, (_, i) => `line ${i}\n`).join('');

describe('the lines of a checkpoint', () => {
  it('are those between its first before and its last after of each file', async () => {
    bed.put('a', lines(10));
    const first = await bed.write('m1', 'a', lines(12));
    await bed.write('m1', 'a', lines(12).replace('line 3', 'third').replace('line 11\n', ''));
    await bed.write('m1', 'b', lines(4));
    const second = await bed.tool('m2', ['b'], () => rmSync(bed.at('b')));
    const ids = [second.checkpointId, first.checkpointId];
    expect(await bed.savepoint.countLines(ids)).toEqual(
      new Map([
        [second.checkpointId, { insertions: 0, deletions: 4 }],
        [first.checkpointId, { insertions: 6, deletions: 1 }],
      ]),
    );
  });

  it('leave out what somebody else did in between', async () => {
    bed.put('a', lines(3));
    const { checkpointId } = await bed.write('m1', 'a', lines(4));
    bed.put('a', lines(20));
    await bed.write('m1', 'a', lines(21));
    const counts = await bed.savepoint.countLines([checkpointId]);
    expect(counts.get(checkpointId)).toEqual({ insertions: 2, deletions: 0 });
  });

  it('are none for what is not text, is only chmodded, or is not on record', async () => {
    bed.put('mode', lines(3), 0o644);
    bed.put('big', lines(500));
    const { checkpointId } = await bed.tool(
      'm1',
      ['bytes', 'mode', 'big'],
      () => {
        writeFileSync(bed.at('bytes'), Buffer.from([10, 0, 10]));
        chmodSync(bed.at('mode'), 0o755);
        bed.put('big', lines(3));
      },
      { maxFileSize: 1000 },
    );
    const counts = await bed.savepoint.countLines([checkpointId]);
    expect(counts.get(checkpointId)).toEqual({ insertions: 0, deletions: 0 });
  });

  it('are left out where the budget does not reach, and others are counted all the same', async () => {
    const small = await bed.write('m1', 'a', lines(3));
    const large = await bed.write('m2', 'b', lines(10_000));
    const next = await bed.write('m3', 'a', lines(5));
    const ids = [next.checkpointId, large.checkpointId, small.checkpointId];
    const within = async (budget: { reads: number; bytes: number }) => [
      ...(await bed.savepoint.countLines(ids, budget)).keys(),
    ];
    expect(await within({ reads: 9, bytes: 1000 })).toEqual([
      next.checkpointId,
      small.checkpointId,
    ]);
    // What the older one left was read for the newer one.
    expect(await within({ reads: 2, bytes: 2 ** 30 })).toEqual([
      next.checkpointId,
      small.checkpointId,
    ]);
    expect(await within({ reads: 0, bytes: 0 })).toEqual([]);
  });
});

describe('a checkpoint that is looked at closely', () => {
  it('shows its changes with their lines, by path', async () => {
    bed.put('b', lines(3));
    await bed.tool('m1', ['b', 'a'], () => {
      bed.put('b', lines(5));
      bed.put('a', lines(1));
    });
    await bed.write('m2', 'b', 'other\n');
    const seen = await bed.savepoint.inspect('~1');
    expect(seen).toMatchObject({
      checkpoint: { description: 'message m1' },
      session: { id: 'agent' },
      operations: [],
      madeBefore: null,
      changes: [
        { path: 'a', insertions: 1, deletions: 0, attribution: 'exact', takenBack: false },
        { path: 'b', insertions: 2, deletions: 0, takenBack: false },
      ],
    });
  });

  it('knows what was taken back, brought back, and by which operations', async () => {
    await bed.write('m1', 'a', 'one');
    await bed.tool('m2', ['a', 'b'], () => {
      bed.put('a', 'two');
      bed.put('b', 'two');
    });
    await bed.write('m3', 'c', 'three');
    const rewind = await bed.rewind('m2', { paths: ['b'] });
    const fate = async (message: string) => {
      const { changes, operations } = await bed.savepoint.inspect(await bed.idOf(message));
      return [changes.map(({ takenBack }) => takenBack), operations.map(({ id }) => id)];
    };
    expect(await fate('m2')).toEqual([[false, true], [rewind.operationId]]);
    const undo = await bed.savepoint.undo();
    expect(await fate('m2')).toEqual([
      [false, false],
      [undo.operationId, rewind.operationId],
    ]);
    expect(await fate('m3')).toEqual([[false], []]);
    const all = await bed.rewind('m1');
    expect(await fate('m3')).toEqual([[true], [all.operationId]]);
  });

  it('says before which operation it was made', async () => {
    await bed.write('m1', 'a', 'one');
    const { operationId, safetyCheckpointId } = await bed.rewind('m1');
    const seen = await bed.savepoint.inspect(safetyCheckpointId ?? '');
    expect(seen).toMatchObject({ session: null, changes: [], madeBefore: { id: operationId } });
  });
});

it('sums up what is on record of sessions', async () => {
  await bed.write('m1', 'a', 'one');
  await bed.write('m1', 'b', 'one');
  await bed.write('m2', 'a', 'two');
  await bed.tool('m', ['c'], () => bed.put('c', 'sub'), {
    sessionId: 'sub',
    parentSessionId: 'agent',
  });
  await bed.savepoint.checkpoint();
  const sessions = await bed.savepoint.sessions();
  const summaries = await bed.savepoint.summarize(sessions);
  expect(summaries.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toMatchObject([
    { id: 'agent', checkpoints: 2, files: 2 },
    { id: 'sub', rootId: 'agent', checkpoints: 1, files: 1 },
  ]);
});
