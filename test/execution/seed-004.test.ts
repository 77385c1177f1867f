import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  Checkpoint,
  ExecutionCheckpoints,
  ExecutionRecovery,
  type Fields,
  PersistenceManager,
} from '../../src/execution/index.ts';
import { executionCheckpoints, jsonStorage } from './storages.ts';

const NOTHING = { state: {}, context: {}, variables: {} };

it('3. loads every checkpoint, groups them by execution and shows the last step of each', async () => {
  let now = 0;
  const checkpoints = executionCheckpoints({ now: () => ++now });
  for (const [executionId, stepName, stepIndex] of [
    ['exec-001', 'data_fetch', 0],
    ['exec-001', 'data_processing', 1],
    ['exec-002', 'api_call', 0],
  ] as const) {
    await checkpoints.createCheckpoint({ executionId, stepName, stepIndex, ...NOTHING });
  }
  expect((await checkpoints.persistence.storage.list('checkpoint')).sort()).toEqual([
    'ckpt-exec-001-0',
    'ckpt-exec-001-1',
    'ckpt-exec-002-0',
  ]);
  expect(await checkpoints.getFormattedCheckpointHistory()).toEqual([
    ['exec-002', 'Restore exec-002\n  Step: api_call'],
    ['exec-001', 'Restore exec-001\n  Step: data_processing'],
  ]);
});

it('4. restores state, context and variables of the execution that was chosen', async () => {
  const checkpoints = executionCheckpoints();
  const values = { state: { phase: 'two' }, context: { user: 'u' }, variables: { n: 2 } };
  const step = { executionId: 'exec-001', stepName: 'data_processing', stepIndex: 1 };
  await checkpoints.createCheckpoint({ ...step, ...values });
  const last = await checkpoints.getLastSuccessfulCheckpoint('exec-001');
  const agent = {
    restored: {} as { state?: Fields; context?: Fields; variables?: Fields },
    async restoreStateFromCheckpoint({ state, context, variables }: Checkpoint) {
      this.restored = { state, context, variables };
    },
  };
  const recovery = new ExecutionRecovery({ checkpoints });
  const result = await recovery.resumeFromCheckpoint(last?.id ?? '', agent);
  expect(result.success).toBe(true);
  expect(agent.restored).toEqual(values);
});

it('5. saves a checkpoint as the dictionary that is shown, in the file that is named', async () => {
  const storage = jsonStorage();
  const now = () => Date.parse('2024-11-16T10:30:45.123Z');
  const checkpoints = new ExecutionCheckpoints(new PersistenceManager(storage), { now });
  await checkpoints.createCheckpoint({
    executionId: 'exec-001',
    stepName: 'data_fetch',
    stepIndex: 0,
    state: { a: 1 },
    context: { b: 2 },
    variables: { c: 3 },
  });
  const file = join(storage.directory, 'checkpoint', 'ckpt-exec-001-0.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    id: 'ckpt-exec-001-0',
    execution_id: 'exec-001',
    step_name: 'data_fetch',
    step_index: 0,
    timestamp: '2024-11-16T10:30:45.123Z',
    state: { a: 1 },
    context: { b: 2 },
    variables: { c: 3 },
    status: 'success',
    error: null,
    metadata: {},
  });
});

it('7. goes on where a file is damaged, instead of showing nothing', async () => {
  const storage = jsonStorage();
  const checkpoints = new ExecutionCheckpoints(new PersistenceManager(storage));
  for (const executionId of ['exec-001', 'exec-002']) {
    await checkpoints.createCheckpoint({ executionId, stepName: 's', stepIndex: 0, ...NOTHING });
  }
  writeFileSync(join(storage.directory, 'checkpoint', 'ckpt-exec-001-0.json'), 'not json');
  const history = await checkpoints.getFormattedCheckpointHistory();
  expect(history.map(([executionId]) => executionId)).toEqual(['exec-002']);
  expect(checkpoints.problems()).toMatchObject([{ id: 'ckpt-exec-001-0' }]);
});

it('8. goes to its dictionary and back', () => {
  const checkpoint = new Checkpoint({
    id: 'ckpt-exec-001-0',
    executionId: 'exec-001',
    stepName: 'data_fetch',
    stepIndex: 0,
    timestamp: new Date(0),
    ...NOTHING,
  });
  expect(Checkpoint.fromDict(checkpoint.toDict())).toStrictEqual(checkpoint);
});
