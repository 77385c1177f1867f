import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type Checkpoint,
  ExecutionCheckpoints,
  ExecutionRecovery,
  type Fields,
  PersistenceManager,
  type RecoverableAgent,
} from '../../src/execution/index.ts';
import { executionCheckpoints, jsonStorage, STORAGES } from './storages.ts';

const NOTHING = { state: {}, context: {}, variables: {} };

/** The agent of the example: its state is what a checkpoint gives it. */
class EnhancedAgent implements RecoverableAgent {
  state: Fields = {};
  failures: number;

  constructor(failures = 0) {
    this.failures = failures;
  }

  restoreStateFromCheckpoint(checkpoint: Checkpoint): void {
    this.state = checkpoint.state;
  }

  runStep(stepIndex: number): string {
    this.failures -= 1;
    if (this.failures >= 0) throw new Error('the service is down');
    return `step ${stepIndex} done`;
  }
}

describe.each(STORAGES)('unit tests with %s', (_name, makeStorage) => {
  async function makeCheckpoints(): Promise<ExecutionCheckpoints> {
    return new ExecutionCheckpoints(new PersistenceManager(await makeStorage()));
  }

  it('test_create_and_load_checkpoint', async () => {
    const checkpoints = await makeCheckpoints();
    const made = await checkpoints.createCheckpoint({
      executionId: 'exec-123',
      stepName: 'test_step',
      stepIndex: 1,
      state: { agent_state: 'thinking' },
      context: { messages: [] },
      variables: { var1: 'value1' },
    });
    const loaded = await checkpoints.loadCheckpoint(made.id);
    expect(loaded).not.toBeNull();
    expect(loaded?.executionId).toBe('exec-123');
    expect(loaded?.stepIndex).toBe(1);
    expect(loaded?.state).toEqual({ agent_state: 'thinking' });
  });

  it('test_list_checkpoints', async () => {
    const checkpoints = await makeCheckpoints();
    await checkpoints.createCheckpoint({
      executionId: 'exec-1',
      stepName: 'step1',
      stepIndex: 1,
      ...NOTHING,
    });
    await checkpoints.createCheckpoint({
      executionId: 'exec-1',
      stepName: 'step2',
      stepIndex: 2,
      ...NOTHING,
    });
    const listed = await checkpoints.listCheckpoints('exec-1');
    expect(listed.map(({ stepIndex }) => stepIndex)).toEqual([1, 2]);
  });

  it('test_get_last_successful_checkpoint', async () => {
    const checkpoints = await makeCheckpoints();
    for (const [at, status] of (['success', 'success', 'failed'] as const).entries()) {
      const stepIndex = at + 1;
      const stepName = `step${stepIndex}`;
      await checkpoints.createCheckpoint({
        executionId: 'exec-1',
        stepName,
        stepIndex,
        status,
        ...NOTHING,
      });
    }
    expect((await checkpoints.getLastSuccessfulCheckpoint('exec-1'))?.stepIndex).toBe(2);
  });
});

describe('examples of use', () => {
  const STEPS = ['data_fetch', 'data_validation', 'data_processing', 'api_call'];

  async function fourSteps(checkpoints: ExecutionCheckpoints): Promise<void> {
    for (const [stepIndex, stepName] of STEPS.entries()) {
      const status = stepName === 'api_call' ? 'failed' : 'success';
      const state = { phase: stepName };
      const step = { executionId: 'exec-123', stepName, stepIndex, status } as const;
      await checkpoints.createCheckpoint({ ...NOTHING, ...step, state });
    }
  }

  it('6.1 creates a checkpoint', async () => {
    const checkpoint = await executionCheckpoints().createCheckpoint({
      executionId: 'exec-123',
      stepName: 'data_processing',
      stepIndex: 2,
      state: { phase: 'processing', processed_items: 100 },
      context: { messages: ['hello'], user_id: 'user-456' },
      variables: { total: 1000, batch_size: 50 },
      status: 'success',
    });
    expect(checkpoint.id).toBe('ckpt-exec-123-2');
  });

  it('6.2 loads a checkpoint and restores the agent', async () => {
    const checkpoints = executionCheckpoints();
    await fourSteps(checkpoints);
    const checkpoint = await checkpoints.loadCheckpoint('ckpt-exec-123-2');
    const agent = new EnhancedAgent();
    if (checkpoint) agent.restoreStateFromCheckpoint(checkpoint);
    expect(agent.state).toEqual({ phase: 'data_processing' });
    expect(checkpoint?.timestamp).toBeInstanceOf(Date);
  });

  it('6.3 lists the checkpoints of an execution', async () => {
    const checkpoints = executionCheckpoints();
    await fourSteps(checkpoints);
    const lines = (await checkpoints.listCheckpoints('exec-123')).map(
      (one) => `Step ${one.stepIndex}: ${one.stepName} [${one.status}]`,
    );
    expect(lines).toEqual([
      'Step 0: data_fetch [success]',
      'Step 1: data_validation [success]',
      'Step 2: data_processing [success]',
      'Step 3: api_call [failed]',
    ]);
  });

  it('6.4 gets the last successful checkpoint', async () => {
    const checkpoints = executionCheckpoints();
    await fourSteps(checkpoints);
    expect((await checkpoints.getLastSuccessfulCheckpoint('exec-123'))?.stepIndex).toBe(2);
    expect((await checkpoints.getLastSuccessfulCheckpoint('exec-123', 2))?.stepIndex).toBe(1);
    expect(await checkpoints.getLastSuccessfulCheckpoint('exec-123', 0)).toBeNull();
  });

  it('6.5 retries from a step, and really runs it', async () => {
    const checkpoints = executionCheckpoints();
    await fourSteps(checkpoints);
    const agent = new EnhancedAgent(2);
    const recovery = new ExecutionRecovery({ checkpoints });
    const options = { maxRetries: 3, backoff: 1 };
    const result = await recovery.retryFromStep('exec-123', 3, agent, options);
    expect(result).toEqual({ success: true, output: 'step 3 done', attempts: 3 });
    expect(agent.state).toEqual({ phase: 'data_processing' });
  });

  it('shows the history of 6.6 to choose from', async () => {
    let now = 0;
    const checkpoints = executionCheckpoints({ now: () => ++now });
    const step = { stepIndex: 0, ...NOTHING };
    await checkpoints.createCheckpoint({ ...step, executionId: 'exec-124', stepName: 'api_call' });
    await checkpoints.createCheckpoint({
      ...step,
      executionId: 'exec-123',
      stepName: 'data_processing',
    });
    expect(await checkpoints.getFormattedCheckpointHistory()).toEqual([
      ['exec-123', 'Restore exec-123\n  Step: data_processing'],
      ['exec-124', 'Restore exec-124\n  Step: api_call'],
    ]);
  });
});

it('lays files out as 4.1 shows', async () => {
  const storage = jsonStorage('build-your-own-agent');
  const persistence = new PersistenceManager(storage);
  const checkpoints = new ExecutionCheckpoints(persistence);
  for (const [executionId, stepIndex] of [
    ['exec-001', 0],
    ['exec-001', 1],
    ['exec-002', 0],
  ] as const) {
    await checkpoints.createCheckpoint({ executionId, stepName: 's', stepIndex, ...NOTHING });
  }
  await persistence.saveConversation('conv-auto-save-123', { messages: [] });
  await persistence.saveHistory('execution-001', { entries: [] });
  await persistence.saveSession('session-456', { id: 456 });
  await persistence.saveConfig('settings', { verbose: true });
  expect(storage.directory).toMatch(/\/projects\/build-your-own-agent\/persistence$/);
  for (const file of [
    'checkpoint/ckpt-exec-001-0.json',
    'checkpoint/ckpt-exec-001-1.json',
    'checkpoint/ckpt-exec-002-0.json',
    'conversation/conv-auto-save-123.json',
    'history/execution-001.json',
    'session/session-456.json',
    'config/settings.json',
  ]) {
    expect(existsSync(join(storage.directory, file)), file).toBe(true);
  }
  const text = readFileSync(join(storage.directory, 'config/settings.json'), 'utf8');
  expect(text).toBe('{\n  "verbose": true\n}\n');
});

describe('recovery as 3.3 has it', () => {
  it('says that a checkpoint was not found', async () => {
    const recovery = new ExecutionRecovery({ checkpoints: executionCheckpoints() });
    expect(await recovery.resumeFromCheckpoint('ckpt-none-0', new EnhancedAgent())).toEqual({
      success: false,
      error: 'Checkpoint ckpt-none-0 not found',
      attempts: 0,
    });
  });

  it('restores the agent from a checkpoint', async () => {
    const checkpoints = executionCheckpoints();
    const state = { phase: 'processing' };
    const step = { executionId: 'exec-1', stepName: 's', stepIndex: 0 };
    const { id } = await checkpoints.createCheckpoint({ ...NOTHING, ...step, state });
    const agent = new EnhancedAgent();
    const recovery = new ExecutionRecovery({ checkpoints });
    expect(await recovery.resumeFromCheckpoint(id, agent)).toEqual({
      success: true,
      output: 'Agent state restored from checkpoint.',
      attempts: 1,
    });
    expect(agent.state).toEqual(state);
  });

  it('says why it failed', async () => {
    const checkpoints = executionCheckpoints();
    const step = { executionId: 'exec-1', stepName: 's', stepIndex: 0 };
    const { id } = await checkpoints.createCheckpoint({ ...NOTHING, ...step });
    const agent = {
      restoreStateFromCheckpoint: () => {
        throw new Error('no such phase');
      },
    };
    const recovery = new ExecutionRecovery({ checkpoints });
    expect(await recovery.resumeFromCheckpoint(id, agent)).toEqual({
      success: false,
      error: 'Recovery failed: no such phase',
      attempts: 0,
    });
  });

  it('says that there is nothing before a step to go back to', async () => {
    const recovery = new ExecutionRecovery({ checkpoints: executionCheckpoints() });
    expect(await recovery.retryFromStep('exec-1', 3, new EnhancedAgent())).toEqual({
      success: false,
      error: 'No successful checkpoint found before step 3',
      attempts: 0,
    });
  });
});
