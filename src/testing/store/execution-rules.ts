import assert from 'node:assert/strict';
import type { Execution, StepAttempt } from '../../model/execution.ts';
import { findExecution } from '../../store/find.ts';
import { partOf } from '../../store/parts/part.ts';
import { checkpointId, operationId, PROCESS, rejectsWith, sessionOf } from './samples.ts';
import type { StoreTests } from './test-store.ts';

const ROOT = partOf('json', [], '1');

export function executionRules({ test }: StoreTests): void {
  test('keeps every field of an execution, and replaces it', async (store) => {
    const execution = executionOf('e', {
      status: 'cancelled',
      parentId: 'p',
      parentStep: 3,
      token: 7,
      owner: PROCESS,
      leaseUntil: 1_700_000_000_123,
    });
    await store.timeline.commit({ base: 0, sessions: [sessionOf('s')], executions: [execution] });
    assert.deepEqual(await findExecution(store, 'e'), execution);
    assert.equal(await findExecution(store, 'other'), null);
    await store.timeline.commit({ base: 0, parts: [ROOT], steps: [stepOf('e', 0)] });
    const later = executionOf('e', { updatedAt: 9_000 });
    await store.timeline.commit({ base: 0, executions: [later, executionOf('f')] });
    assert.deepEqual(await store.timeline.executions(), [later, executionOf('f')]);
    assert.equal((await store.timeline.steps('e')).length, 1);
  });

  test('keeps every field of a step, by index and attempt', async (store) => {
    const failed = stepOf('e', 1, {
      status: 'failed',
      checkpointId: checkpointId('c'),
      root: null,
      result: ROOT.id,
      error: 'no \u2028 luck',
      effects: [{ description: 'sent', declaredAt: 5 }],
      writes: ['src', 'é'],
      restored: true,
      rolledBackBy: operationId('o'),
      endedAt: null,
    });
    const steps = [stepOf('e', 10), stepOf('e', 1, { attempt: 2 }), failed];
    await store.timeline.commit({
      base: 0,
      sessions: [sessionOf('s')],
      executions: [executionOf('e'), executionOf('f')],
      parts: [ROOT],
      steps: [...steps, stepOf('f', 1)],
    });
    assert.deepEqual(await store.timeline.steps('e'), steps.toReversed());
    assert.deepEqual(await store.timeline.steps('e', 1), [failed, steps[1]]);
    const again = { ...failed, status: 'killed' as const };
    await store.timeline.commit({ base: 0, steps: [again] });
    assert.deepEqual((await store.timeline.steps('e'))[0], again);
    await rejectsWith(
      store.timeline.commit({ base: 0, steps: [stepOf('g', 0)] }),
      'argument-invalid',
    );
  });

  test('writes nothing for who has lost the execution', async (store) => {
    const sessions = [sessionOf('s')];
    await store.timeline.commit({
      base: 0,
      sessions,
      executions: [executionOf('e', { token: 2 })],
    });
    const parts = [ROOT];
    for (const [id, token] of [['e', 1] as const, ['f', 2] as const]) {
      const fence = { executionId: id, token };
      const late = store.timeline.commit({ base: 0, fence, parts, steps: [stepOf('e', 0)] });
      await rejectsWith(late, 'execution-lost');
    }
    assert.deepEqual(await store.timeline.steps('e'), []);
    const fence = { executionId: 'e', token: 2 };
    await store.timeline.commit({ base: 0, fence, parts, steps: [stepOf('e', 0)] });
    assert.equal((await store.timeline.steps('e')).length, 1);
  });

  test('takes executions along with their session, and parts with both', async (store) => {
    const executions = [executionOf('e'), executionOf('f', { sessionId: 't' }), executionOf('g')];
    await store.timeline.commit({
      base: 0,
      sessions: [sessionOf('s'), sessionOf('t')],
      executions,
      parts: [ROOT],
      steps: [stepOf('e', 0), stepOf('f', 0), stepOf('g', 0)],
    });
    await store.timeline.commit({ base: 0, removedExecutions: ['g', 'not there'] });
    assert.deepEqual(await store.timeline.steps('g'), []);
    await store.timeline.commit({ base: 0, removedSessions: ['s'] });
    assert.deepEqual(await store.timeline.executions(), [executions[1]]);
    assert.deepEqual(await store.timeline.steps('e'), []);
    await store.maintain('prune', 0);
    assert.equal((await store.documents.readParts(ROOT.id)).length, 1);
    await store.timeline.commit({ base: 0, removedSessions: ['t'] });
    await store.maintain('prune', 0);
    await rejectsWith(store.documents.readParts(ROOT.id), 'part-missing');
  });
}

function executionOf(id: string, more: Partial<Execution> = {}): Execution {
  return {
    id,
    sessionId: 's',
    status: 'open',
    parentId: null,
    parentStep: null,
    token: 1,
    owner: null,
    leaseUntil: null,
    createdAt: 1_000,
    updatedAt: 1_000,
    ...more,
  };
}

function stepOf(executionId: string, index: number, more: Partial<StepAttempt> = {}): StepAttempt {
  return {
    executionId,
    index,
    attempt: 1,
    name: `step ${index}`,
    status: 'success',
    checkpointId: null,
    root: ROOT.id,
    result: null,
    error: null,
    effects: [],
    writes: null,
    restored: false,
    rolledBackBy: null,
    startedAt: 1_000,
    endedAt: 2_000,
    ...more,
  };
}
