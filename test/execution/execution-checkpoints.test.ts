import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type BaseStorage,
  Checkpoint,
  type CheckpointDict,
  ExecutionCheckpoints,
  ExecutionRecovery,
  type JSONStorage,
  type NewCheckpoint,
  PersistenceManager,
} from '../../src/execution/index.ts';
import { executionCheckpoints, jsonStorage } from './storages.ts';

function stepOf(executionId: string, stepIndex: number, more: Partial<NewCheckpoint> = {}) {
  const stepName = `step${stepIndex}`;
  return { executionId, stepName, stepIndex, state: {}, context: {}, variables: {}, ...more };
}

/** A clock that goes on by a second whenever it is asked. */
function clock(): () => number {
  let now = Date.UTC(2026, 0, 1);
  return () => {
    now += 1_000;
    return now;
  };
}

describe('checkpoints of an execution', () => {
  it('give back state, context and variables with every type', async () => {
    const checkpoints = executionCheckpoints();
    const state = { seen: new Set(['a']), since: new Date(5), total: 10n, gone: undefined };
    const made = await checkpoints.createCheckpoint(
      stepOf('exec-1', 2, {
        state,
        context: { zero: [-0] },
        variables: { map: new Map([[1, 2]]) },
      }),
    );
    expect(made.id).toBe('ckpt-exec-1-2');
    const loaded = await checkpoints.loadCheckpoint('ckpt-exec-1-2');
    expect(loaded).toStrictEqual(made);
    expect(loaded?.state).toStrictEqual(state);
  });

  it('are listed by step, whatever order they were made in and whatever ids look like', async () => {
    const checkpoints = executionCheckpoints();
    const ids = ['exec-1', 'exec-10', 'exec-1-2', 'exec', 'exec-1.attempt1', 'exec 1', 'exec-1-'];
    for (const id of ids) {
      for (const step of [10, 2, 0, 1]) await checkpoints.createCheckpoint(stepOf(id, step));
    }
    for (const id of ids) {
      const listed = await checkpoints.listCheckpoints(id);
      expect(listed.map(({ executionId, stepIndex }) => [executionId, stepIndex])).toEqual(
        [0, 1, 2, 10].map((step) => [id, step]),
      );
      expect(await checkpoints.persistence.listCheckpoints(id)).toHaveLength(4);
    }
    expect(await checkpoints.listCheckpoints('exec-1-2-10')).toEqual([]);
    expect(checkpoints.problems()).toEqual([]);
  });

  it('can have any text as the execution id', async () => {
    const checkpoints = executionCheckpoints();
    const odd = ['../..', 'a/b', '检查点', 'x'.repeat(400), '-', 'ckpt-', '\ud800'];
    for (const id of odd) await checkpoints.createCheckpoint(stepOf(id, 0));
    for (const id of odd) expect(await checkpoints.listCheckpoints(id)).toHaveLength(1);
  });

  it('hold the values that there were when they were made', async () => {
    const checkpoints = executionCheckpoints();
    const state = { messages: ['one'] };
    const making = checkpoints.createCheckpoint(stepOf('exec-1', 0, { state }));
    state.messages.push('two');
    const made = await making;
    state.messages.push('three');
    expect(made.state).toEqual({ messages: ['one'] });
    expect((await checkpoints.loadCheckpoint(made.id))?.state).toEqual({ messages: ['one'] });
  });

  it('refuse a value that could not be given back, with its path, and keep nothing', async () => {
    const checkpoints = executionCheckpoints();
    const state = { messages: [{}, { callback: () => 1 }] };
    const refused = checkpoints.createCheckpoint(stepOf('exec-1', 0, { state }));
    await expect(refused).rejects.toMatchObject({
      code: 'value-unsupported',
      path: 'state.messages[1].callback',
    });
    expect(await checkpoints.listCheckpoints('exec-1')).toEqual([]);
  });

  it.each([
    { executionId: '' },
    { stepIndex: -1 },
    { stepName: 7 as unknown as string },
    { state: [] as unknown as Record<string, unknown> },
    { status: 'done' as 'success' },
    { metadata: { attempt: 7 } },
    { metadata: { rolled_back: true } },
  ])('refuse what is wrong: %j', async (wrong) => {
    const refused = executionCheckpoints().createCheckpoint(stepOf('exec-1', 0, wrong));
    await expect(refused).rejects.toMatchObject({
      code: 'argument-invalid',
      message: expect.stringContaining(Object.keys(wrong)[0] ?? ''),
    });
  });

  it('say which step was the last that succeeded', async () => {
    const checkpoints = executionCheckpoints();
    const statuses = ['success', 'failed', 'success', 'pending', 'failed'] as const;
    for (const [step, status] of statuses.entries()) {
      await checkpoints.createCheckpoint(stepOf('exec-1', step, { status }));
    }
    const last = async (before?: number) =>
      (await checkpoints.getLastSuccessfulCheckpoint('exec-1', before))?.stepIndex;
    expect(await last()).toBe(2);
    expect(await last(3)).toBe(2);
    expect(await last(2)).toBe(0);
    expect(await last(0)).toBeUndefined();
    expect(await checkpoints.getLastSuccessfulCheckpoint('exec-2')).toBeNull();
  });
});

describe('several attempts at a step', () => {
  it('are all kept, and the id names the latest', async () => {
    const checkpoints = executionCheckpoints();
    for (const [n, status] of (['failed', 'failed', 'success'] as const).entries()) {
      const made = await checkpoints.createCheckpoint(
        stepOf('exec-1', 1, { status, state: { n }, metadata: { mine: n } }),
      );
      expect(made).toMatchObject({ id: 'ckpt-exec-1-1', attempt: n + 1 });
    }
    const latest = await checkpoints.loadCheckpoint('ckpt-exec-1-1');
    expect(latest).toMatchObject({ status: 'success', state: { n: 2 }, attempt: 3 });
    expect(latest?.metadata).toEqual({ mine: 2, attempt: 3 });
    expect(await checkpoints.listCheckpoints('exec-1')).toEqual([latest]);
    const attempts = await checkpoints.listAttempts('exec-1', 1);
    expect(attempts.map(({ id, attempt, state }) => [id, attempt, state.n])).toEqual([
      ['ckpt-exec-1-1.attempt1', 1, 0],
      ['ckpt-exec-1-1.attempt2', 2, 1],
      ['ckpt-exec-1-1', 3, 2],
    ]);
    expect(await checkpoints.loadCheckpoint('ckpt-exec-1-1.attempt1')).toEqual(attempts[0]);
  });

  it('do not get lost when they are made at once, by several', async () => {
    const storage = jsonStorage();
    const several = [0, 1].map(() => new ExecutionCheckpoints(new PersistenceManager(storage)));
    const numbers = Array.from({ length: 20 }, (_, n) => n);
    await Promise.all(
      numbers.map((n) => several[n % 2]?.createCheckpoint(stepOf('exec-1', 0, { state: { n } }))),
    );
    const [checkpoints] = several as [ExecutionCheckpoints];
    const attempts = await checkpoints.listAttempts('exec-1', 0);
    expect(attempts.map(({ attempt }) => attempt)).toEqual(numbers.map((n) => n + 1));
    expect(new Set(attempts.map(({ state }) => state.n)).size).toBe(numbers.length);
    expect((await checkpoints.loadCheckpoint('ckpt-exec-1-0'))?.attempt).toBe(numbers.length);
  });

  it('end with the highest as the latest, also when that was saved before a lower one', async () => {
    const storage = jsonStorage();
    const third = Promise.withResolvers<void>();
    const save: BaseStorage['save'] = async (category, key, data, options) => {
      const { attempt } = (data as CheckpointDict).metadata ?? {};
      const isLatest = key === 'ckpt-exec-1-0' && !options?.onlyNew;
      if (isLatest && attempt === 2) await third.promise;
      const path = await storage.save(category, key, data, options);
      if (isLatest && attempt === 3) third.resolve();
      return path;
    };
    const slow = Object.assign(Object.create(storage), {
      save,
      load: storage.load.bind(storage),
      list: storage.list.bind(storage),
    });
    const checkpoints = new ExecutionCheckpoints(new PersistenceManager(slow));
    await checkpoints.createCheckpoint(stepOf('exec-1', 0));
    const made = await Promise.all(
      [2, 3].map((n) => checkpoints.createCheckpoint(stepOf('exec-1', 0, { state: { n } }))),
    );
    const attempts = made.map(({ attempt }) => attempt);
    expect(attempts.toSorted()).toEqual([2, 3]);
    const highest = made[attempts.indexOf(3)];
    expect(await checkpoints.loadCheckpoint('ckpt-exec-1-0')).toEqual(highest);
  });

  it('go on after one that is damaged', async () => {
    const storage = jsonStorage();
    const checkpoints = new ExecutionCheckpoints(new PersistenceManager(storage));
    await checkpoints.createCheckpoint(stepOf('exec-1', 0));
    damage(storage, 'ckpt-exec-1-0');
    const made = await checkpoints.createCheckpoint(stepOf('exec-1', 0, { state: { n: 2 } }));
    expect(made.attempt).toBe(2);
    expect(await checkpoints.listCheckpoints('exec-1')).toEqual([made]);
  });

  it('count from the copy under their number where the latest document is damaged', async () => {
    const storage = jsonStorage();
    const checkpoints = new ExecutionCheckpoints(new PersistenceManager(storage));
    for (const n of [1, 2]) {
      await checkpoints.createCheckpoint(stepOf('exec-1', 0, { state: { n } }));
    }
    damage(storage, 'ckpt-exec-1-0');
    const [current] = await checkpoints.listCheckpoints('exec-1');
    expect(current).toMatchObject({ id: 'ckpt-exec-1-0.attempt2', attempt: 2, state: { n: 2 } });
  });

  it('stay rolled back where the latest document is damaged', async () => {
    const storage = jsonStorage();
    const checkpoints = new ExecutionCheckpoints(new PersistenceManager(storage));
    for (const step of [0, 1, 1]) await checkpoints.createCheckpoint(stepOf('exec-1', step));
    await new ExecutionRecovery({ checkpoints }).rollbackToCheckpoint('ckpt-exec-1-0');
    damage(storage, 'ckpt-exec-1-1');
    const listed = await checkpoints.listCheckpoints('exec-1');
    expect(listed.map(({ stepIndex }) => stepIndex)).toEqual([0]);
  });

  it('are deleted with the checkpoint, and no others are', async () => {
    const checkpoints = executionCheckpoints();
    for (const id of ['exec-1', 'exec-1-1.attempt1', 'exec-1-1']) {
      for (const step of [1, 1, 2]) await checkpoints.createCheckpoint(stepOf(id, step));
    }
    expect(await checkpoints.deleteCheckpoint('ckpt-exec-1-1')).toBe(true);
    expect(await checkpoints.deleteCheckpoint('ckpt-exec-1-1')).toBe(false);
    expect(await checkpoints.listAttempts('exec-1', 1)).toEqual([]);
    const left = await checkpoints.listCheckpoints('exec-1');
    expect(left.map(({ stepIndex }) => stepIndex)).toEqual([2]);
    for (const id of ['exec-1-1.attempt1', 'exec-1-1']) {
      expect(await checkpoints.listAttempts(id, 1)).toHaveLength(2);
    }
    expect((await checkpoints.createCheckpoint(stepOf('exec-1', 1))).attempt).toBe(1);
  });
});

describe('the history to choose from', () => {
  it('has the newest execution first, at its last step, not at the one written last', async () => {
    const checkpoints = executionCheckpoints({ now: clock() });
    await checkpoints.createCheckpoint(stepOf('exec-9', 2, { stepName: 'api_call' }));
    await checkpoints.createCheckpoint(stepOf('exec-10', 0, { stepName: 'data_processing' }));
    await checkpoints.createCheckpoint(stepOf('exec-9', 10, { stepName: 'last' }));
    await checkpoints.createCheckpoint(stepOf('exec-9', 9, { stepName: 'earlier' }));
    expect(await checkpoints.getFormattedCheckpointHistory()).toEqual([
      ['exec-9', 'Restore exec-9\n  Step: last'],
      ['exec-10', 'Restore exec-10\n  Step: data_processing'],
    ]);
  });

  it('is empty where there is nothing', async () => {
    expect(await executionCheckpoints().getFormattedCheckpointHistory()).toEqual([]);
  });

  it('passes over what is damaged, and says so', async () => {
    const storage = jsonStorage();
    const checkpoints = new ExecutionCheckpoints(new PersistenceManager(storage), { now: clock() });
    for (const id of ['exec-1', 'exec-2', 'exec-3']) {
      for (const step of [0, 1]) await checkpoints.createCheckpoint(stepOf(id, step));
    }
    damage(storage, 'ckpt-exec-2-1');
    await storage.save('checkpoint', 'ckpt-exec-3-7', { id: 'ckpt-exec-3-7', step_index: 7 });
    expect(await checkpoints.getFormattedCheckpointHistory()).toEqual([
      ['exec-3', 'Restore exec-3\n  Step: step1'],
      ['exec-2', 'Restore exec-2\n  Step: step0'],
      ['exec-1', 'Restore exec-1\n  Step: step1'],
    ]);
    const problems = checkpoints.problems();
    expect(problems.map(({ id, error }) => [id, error.code]).sort()).toEqual([
      ['ckpt-exec-2-1', 'document-corrupt'],
      ['ckpt-exec-3-7', 'checkpoint-invalid'],
    ]);
    expect(checkpoints.problems()).toEqual([]);
    expect(await checkpoints.listCheckpoints('exec-2')).toHaveLength(1);
    await expect(checkpoints.loadCheckpoint('ckpt-exec-2-1')).rejects.toMatchObject({
      code: 'document-corrupt',
    });
  });

  it('does not let a name steer a terminal', async () => {
    const checkpoints = executionCheckpoints();
    await checkpoints.createCheckpoint(stepOf('a\nb', 0, { stepName: '\u001b[2Jgone' }));
    const [entry] = await checkpoints.getFormattedCheckpointHistory();
    expect(entry).toEqual(['a\nb', 'Restore a\\nb\n  Step: \\x1b[2Jgone']);
  });

  it('does not take a storage that fails for an empty one', async () => {
    const storage = jsonStorage();
    const failing = Object.assign(Object.create(storage), {
      list: () => Promise.reject(new Error('the disk is on fire')),
    });
    const checkpoints = new ExecutionCheckpoints(new PersistenceManager(failing));
    await expect(checkpoints.getFormattedCheckpointHistory()).rejects.toThrow('on fire');
  });
});

it('reads what a program in another language has written', async () => {
  const storage = jsonStorage();
  const dict = {
    id: 'ckpt-exec-001-0',
    execution_id: 'exec-001',
    step_name: 'data_fetch',
    step_index: 0,
    timestamp: '2024-11-16T10:30:45.123456',
    state: { phase: 'fetching' },
    context: {},
    variables: {},
    status: 'success',
    error: null,
    metadata: {},
  };
  await storage.save('checkpoint', dict.id, {});
  const path = join(storage.directory, 'checkpoint', 'ckpt-exec-001-0.json');
  writeFileSync(path, JSON.stringify(dict));
  const checkpoints = new ExecutionCheckpoints(new PersistenceManager(storage));
  expect(await checkpoints.listCheckpoints('exec-001')).toEqual([Checkpoint.fromDict(dict)]);
});

it('keeps each kind of thing in its category', async () => {
  const storage = jsonStorage();
  const persistence = new PersistenceManager(storage);
  await persistence.saveConversation('conv-auto-save-123', { messages: [] });
  await persistence.saveHistory('execution-001', { steps: [] });
  await persistence.saveSession('session-456', { open: true });
  await persistence.saveConfig('settings', { theme: 'dark' });
  expect(readdirSync(storage.directory).sort()).toEqual([
    'config',
    'conversation',
    'history',
    'session',
  ]);
  expect(await persistence.loadConversation('conv-auto-save-123')).toEqual({ messages: [] });
  expect(await persistence.loadHistory('execution-001')).toEqual({ steps: [] });
  expect(await persistence.loadSession('session-456')).toEqual({ open: true });
  expect(await persistence.loadConfig('settings')).toEqual({ theme: 'dark' });
  expect(await persistence.listConversations()).toEqual(['conv-auto-save-123']);
  expect(await persistence.listHistories()).toEqual(['execution-001']);
  expect(await persistence.listSessions()).toEqual(['session-456']);
  expect(await persistence.listConfigs()).toEqual(['settings']);
  expect(await persistence.deleteConversation('conv-auto-save-123')).toBe(true);
  expect(await persistence.deleteHistory('execution-001')).toBe(true);
  expect(await persistence.deleteSession('session-456')).toBe(true);
  expect(await persistence.deleteConfig('settings')).toBe(true);
  expect(await persistence.listConfigs()).toEqual([]);
});

function damage(storage: JSONStorage, id: string): void {
  writeFileSync(join(storage.directory, 'checkpoint', `${id}.json`), '{"half": ');
}
