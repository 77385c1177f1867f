import assert from 'node:assert/strict';
import { currentSeq, findOperation } from '../../store/find.ts';
import {
  changeOf,
  checkpointId,
  fileOf,
  journalOf,
  operationId,
  operationOf,
  pathOf,
  seqsOf,
  textBlob,
} from './samples.ts';
import type { StoreTests } from './test-store.ts';

export function operationRules({ test, testTwo }: StoreTests): void {
  test('keeps every field of an operation', async (store) => {
    const full = operationOf(1, {
      kind: 'undo',
      checkpointId: checkpointId('c'),
      reverts: operationId('r'),
      inEffect: false,
      safetyCheckpointId: checkpointId('safe'),
      description: 'undo',
      createdAt: 1_700_000_000_123,
    });
    await store.timeline.commit({ base: 0, operations: [full, operationOf(2)] });
    assert.deepEqual(await findOperation(store, full.id), full);
    assert.equal(await findOperation(store, operationId('nope')), null);
  });

  test('lists the newest operation first', async (store) => {
    await store.timeline.commit({
      base: 0,
      operations: [operationOf(1), operationOf(2), operationOf(3)],
    });
    assert.deepEqual(seqsOf(await store.timeline.operations()), [3, 2, 1]);
    assert.deepEqual(seqsOf(await store.timeline.operations({ limit: 2 })), [3, 2]);
    assert.deepEqual(seqsOf(await store.timeline.operations({ limit: 0 })), []);
  });

  test('replaces an operation by its id, and removes it', async (store) => {
    await store.timeline.commit({ base: 0, operations: [operationOf(1), operationOf(2)] });
    await store.timeline.commit({ base: 2, operations: [operationOf(1, { inEffect: false })] });
    assert.equal((await findOperation(store, operationId('operation-1')))?.inEffect, false);
    assert.deepEqual(seqsOf(await store.timeline.operations()), [2, 1]);
    const removedOperations = [operationId('operation-1'), operationId('not there')];
    await store.timeline.commit({ base: 2, removedOperations });
    assert.deepEqual(seqsOf(await store.timeline.operations()), [2]);
    assert.equal(await currentSeq(store), 2);
  });

  testTwo('keeps a journal until it is replaced or cleared', async (store, other) => {
    const journal = journalOf();
    await store.timeline.commit({ base: 0, journal });
    await store.timeline.commit({ base: 0 });
    assert.deepEqual(await other.timeline.journal(), journal);
    await store.timeline.commit({ base: 0, journal: { ...journal, phase: 'done' } });
    assert.deepEqual(await other.timeline.journal(), { ...journal, phase: 'done' });
    await store.timeline.commit({ base: 0, journal: null });
    assert.equal(await other.timeline.journal(), null);
    await store.timeline.commit({ base: 0, journal: null });
    assert.equal(await other.timeline.journal(), null);
  });

  test('keeps every field of a journal, with names that are not text', async (store) => {
    const state = fileOf(textBlob('x'));
    const path = pathOf(Uint8Array.of(0x61, 0xff, 0x2f, 0xed, 0xb2, 0x80));
    const journal = journalOf({
      base: 4,
      phase: 'done',
      steps: [
        {
          path,
          how: 'replace',
          from: { kind: 'absent' },
          to: state,
          stageFolder: pathOf(Uint8Array.of(0x61, 0xff)),
          stagedName: 'staged \udc80',
          stashName: 'stash',
        },
      ],
      operations: [operationOf(5, { description: 'NUL \0 and \u2028' })],
      changes: [{ ...changeOf(6, 'a'), path }],
      cancellations: [{ by: 6, change: 1 }],
    });
    await store.timeline.commit({ base: 0, journal });
    assert.deepEqual(await store.timeline.journal(), journal);
  });
}
