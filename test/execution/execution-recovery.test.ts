import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type Checkpoint,
  ExecutionCheckpoints,
  ExecutionRecovery,
  type Fields,
  type NewCheckpoint,
  PersistenceManager,
  type RecoverableAgent,
  type RetryContext,
} from '../../src/execution/index.ts';
import { type Bed, makeBed } from '../e2e/engine-bed.ts';
import { executionCheckpoints, jsonStorage } from './storages.ts';

/** The session is the one under which the bed's tools are on record. */
function stepOf(stepIndex: number, more: Partial<NewCheckpoint> = {}): NewCheckpoint {
  const step = {
    executionId: 'exec-1',
    sessionId: 'agent',
    stepName: `step${stepIndex}`,
    stepIndex,
  };
  return { ...step, state: { step: stepIndex }, context: {}, variables: {}, ...more };
}

/** Runs steps with a function, and counts what it is asked to do. */
class Agent implements RecoverableAgent {
  state: Fields = {};
  readonly restored: string[] = [];
  readonly runs: RetryContext[] = [];
  readonly #work: (context: RetryContext) => unknown;

  constructor(work: (context: RetryContext) => unknown = () => 'done') {
    this.#work = work;
  }

  restoreStateFromCheckpoint(checkpoint: Checkpoint): void {
    this.restored.push(checkpoint.id);
    this.state = checkpoint.state;
  }

  async runStep(_stepIndex: number, context: RetryContext): Promise<unknown> {
    this.runs.push(context);
    return this.#work(context);
  }
}

describe('a retry', () => {
  it('runs the step until it succeeds, each time from the same state', async () => {
    const checkpoints = executionCheckpoints();
    await checkpoints.createCheckpoint(stepOf(0, { state: { list: [] } }));
    const seen: unknown[] = [];
    const agent: Agent = new Agent(({ attempt }) => {
      const { list } = agent.state as { list: number[] };
      seen.push([...list]);
      list.push(attempt);
      if (attempt < 3) throw new Error(`attempt ${attempt} failed`);
      return attempt;
    });
    const result = await new ExecutionRecovery({ checkpoints }).retryFromStep('exec-1', 1, agent, {
      maxRetries: 5,
      backoff: 1,
    });
    expect(result).toEqual({ success: true, output: 3, attempts: 3 });
    expect(seen).toEqual([[], [], []]);
    expect(agent.restored).toEqual(['ckpt-exec-1-0', 'ckpt-exec-1-0', 'ckpt-exec-1-0']);
  });

  it('gives up after so many, with the last error', async () => {
    const checkpoints = executionCheckpoints();
    await checkpoints.createCheckpoint(stepOf(0));
    const agent = new Agent(({ attempt }) => {
      throw new Error(`attempt ${attempt} failed`);
    });
    const waits: number[] = [];
    const result = await new ExecutionRecovery({ checkpoints }).retryFromStep('exec-1', 1, agent, {
      maxRetries: 3,
      backoff: (attempt) => {
        waits.push(attempt);
        return 0;
      },
    });
    expect(result).toEqual({ success: false, error: 'attempt 3 failed', attempts: 3 });
    expect(waits).toEqual([2, 3]);
  });

  it('only restores an agent that goes on by itself', async () => {
    const checkpoints = executionCheckpoints();
    await checkpoints.createCheckpoint(stepOf(0));
    let restored = 0;
    const agent = {
      restoreStateFromCheckpoint: () => {
        restored += 1;
      },
    };
    const recovery = new ExecutionRecovery({ checkpoints });
    expect(await recovery.retryFromStep('exec-1', 1, agent)).toMatchObject({ success: true });
    expect(restored).toBe(1);
  });

  it('stops when it is cancelled, also while it waits', async () => {
    const checkpoints = executionCheckpoints();
    await checkpoints.createCheckpoint(stepOf(0));
    const controller = new AbortController();
    const agent = new Agent(() => {
      controller.abort(new Error('the person left'));
      throw new Error('failed');
    });
    const options = { backoff: 60_000, signal: controller.signal };
    const recovery = new ExecutionRecovery({ checkpoints });
    const result = await recovery.retryFromStep('exec-1', 1, agent, options);
    expect(result).toMatchObject({ success: false, attempts: 1 });
    expect(agent.runs).toHaveLength(1);
  });

  it.each([{ maxRetries: 0 }, { maxRetries: 1.5 }, { backoff: -1 }, { backoff: Number.NaN }])(
    'refuses %j',
    async (options) => {
      const recovery = new ExecutionRecovery({ checkpoints: executionCheckpoints() });
      const refused = recovery.retryFromStep('exec-1', 1, new Agent(), options);
      await expect(refused).rejects.toMatchObject({ code: 'argument-invalid' });
    },
  );

  it('makes the next attempt at its step, and steps after it count no more', async () => {
    const checkpoints = executionCheckpoints();
    for (const step of [0, 1, 2]) await checkpoints.createCheckpoint(stepOf(step));
    const agent = new Agent(() => checkpoints.createCheckpoint(stepOf(1, { state: { again: 1 } })));
    const result = await new ExecutionRecovery({ checkpoints }).retryFromStep('exec-1', 1, agent);
    expect(result.success).toBe(true);
    const listed = await checkpoints.listCheckpoints('exec-1');
    expect(listed.map(({ id, attempt }) => [id, attempt])).toEqual([
      ['ckpt-exec-1-0', 1],
      ['ckpt-exec-1-1', 2],
    ]);
  });
});

/** An execution whose steps each write a file, with a tool that is on record. */
class Project {
  readonly bed: Bed;
  readonly checkpoints: ExecutionCheckpoints;
  readonly recovery: ExecutionRecovery;

  constructor(bed: Bed) {
    const files = bed.savepoint;
    this.bed = bed;
    this.checkpoints = new ExecutionCheckpoints(new PersistenceManager(jsonStorage()), { files });
    this.recovery = new ExecutionRecovery({ checkpoints: this.checkpoints, savepoint: files });
  }

  static async make(): Promise<Project> {
    const bed = await makeBed();
    onTestFinished(() => bed.remove());
    return new Project(bed);
  }

  async step(stepIndex: number, more: Partial<NewCheckpoint> = {}): Promise<Checkpoint> {
    await this.bed.write(`step ${stepIndex}`, 'shared.txt', `after ${stepIndex}\n`);
    await this.bed.write(`step ${stepIndex}`, `step-${stepIndex}.txt`, `${stepIndex}\n`);
    return this.checkpoints.createCheckpoint(stepOf(stepIndex, more));
  }

  files(): string[] {
    return Object.keys(this.bed.tree()).sort();
  }
}

describe('a rollback', () => {
  it('takes back files and state, and restores the agent', async () => {
    const project = await Project.make();
    for (const step of [0, 1, 2]) await project.step(step);
    const agent = new Agent();
    const result = await project.recovery.rollbackToCheckpoint('ckpt-exec-1-0', { agent });
    expect(result).toMatchObject({
      success: true,
      output: { rolledBack: ['ckpt-exec-1-1', 'ckpt-exec-1-2'], receipt: { success: true } },
    });
    expect(project.files()).toEqual(['shared.txt', 'step-0.txt']);
    expect(project.bed.text('shared.txt')).toBe('after 0\n');
    expect(agent.state).toEqual({ step: 0 });
    const listed = await project.checkpoints.listCheckpoints('exec-1');
    expect(listed.map(({ id }) => id)).toEqual(['ckpt-exec-1-0']);
    expect((await project.checkpoints.getLastSuccessfulCheckpoint('exec-1'))?.stepIndex).toBe(0);
    const [entry] = await project.checkpoints.getFormattedCheckpointHistory();
    expect(entry?.[1]).toBe('Restore exec-1\n  Step: step0');
  });

  it('is planned first, and does exactly what was planned or nothing', async () => {
    const project = await Project.make();
    for (const step of [0, 1]) await project.step(step);
    const before = project.bed.tree();
    const to = 'ckpt-exec-1-0';
    const plan = await project.recovery.planRollback(to);
    expect(plan).toMatchObject({ executionId: 'exec-1', to: 0, effects: [] });
    expect(plan.steps).toEqual([{ index: 1, name: 'step1', attempt: 1 }]);
    expect(plan.files.lines.map(({ path }) => path)).toEqual(['shared.txt', 'step-1.txt']);
    expect(project.bed.tree()).toEqual(before);
    await project.bed.write('later', 'shared.txt', 'later\n');
    const stale = await project.recovery.rollbackToCheckpoint(to, { plan });
    expect(stale).toMatchObject({ success: false, error: expect.stringContaining('plan') });
    expect(await project.checkpoints.listCheckpoints('exec-1')).toHaveLength(2);
    const fresh = await project.recovery.planRollback(to);
    const done = await project.recovery.rollbackToCheckpoint(to, { plan: fresh });
    expect(done.success).toBe(true);
    expect(project.files()).toEqual(['shared.txt', 'step-0.txt']);
    await expect(project.recovery.planRollback('none')).rejects.toMatchObject({
      code: 'checkpoint-not-found',
    });
  });

  it('does nothing where the execution has gone on since it was planned', async () => {
    const project = await Project.make();
    for (const step of [0, 1]) await project.step(step);
    const plan = await project.recovery.planRollback('ckpt-exec-1-0');
    await project.checkpoints.createCheckpoint(stepOf(2));
    const before = project.bed.tree();
    const stale = await project.recovery.rollbackToCheckpoint('ckpt-exec-1-0', { plan });
    expect(stale).toMatchObject({ success: false, error: expect.stringContaining('has gone on') });
    expect(project.bed.tree()).toEqual(before);
    expect(await project.checkpoints.listCheckpoints('exec-1')).toHaveLength(3);
  });

  it('keeps the steps that it took back, and goes on counting their attempts', async () => {
    const project = await Project.make();
    for (const step of [0, 1]) await project.step(step);
    await project.recovery.rollbackToCheckpoint('ckpt-exec-1-0');
    const [kept] = await project.checkpoints.listAttempts('exec-1', 1);
    expect(kept).toMatchObject({ isRolledBack: true, state: { step: 1 } });
    expect(await project.step(1)).toMatchObject({ attempt: 2, isRolledBack: false });
    expect(await project.checkpoints.listAttempts('exec-1', 1)).toHaveLength(2);
    const steps = await project.checkpoints.listSteps('exec-1');
    expect([...steps].map(([index, attempts]) => [index, attempts.length])).toEqual([
      [0, 1],
      [1, 2],
    ]);
    expect(await project.checkpoints.diff('exec-1', 0, 1)).toEqual([
      { path: 'state.step', kind: 'changed' },
    ]);
    expect(await project.checkpoints.listCheckpoints('exec-1')).toHaveLength(2);
  });

  it('leaves alone what a person wrote', async () => {
    const project = await Project.make();
    for (const step of [0, 1]) await project.step(step);
    project.bed.put('notes.txt', 'mine\n');
    const result = await project.recovery.rollbackToCheckpoint('ckpt-exec-1-0');
    expect(result.success).toBe(true);
    expect(project.files()).toEqual(['notes.txt', 'shared.txt', 'step-0.txt']);
  });

  it('does nothing at all where a person edited the same lines', async () => {
    const project = await Project.make();
    for (const step of [0, 1]) await project.step(step);
    project.bed.put('shared.txt', 'mine\n');
    const before = project.bed.tree();
    const result = await project.recovery.rollbackToCheckpoint('ckpt-exec-1-0');
    expect(result).toMatchObject({ success: false, error: expect.stringContaining('conflict') });
    expect(project.bed.tree()).toEqual(before);
    expect(await project.checkpoints.listCheckpoints('exec-1')).toHaveLength(2);
  });

  it('takes the agent’s files where a person edited them, when told so', async () => {
    const project = await Project.make();
    for (const step of [0, 1]) await project.step(step);
    project.bed.put('shared.txt', 'mine\n');
    const options = { onConflict: 'restore' } as const;
    const result = await project.recovery.rollbackToCheckpoint('ckpt-exec-1-0', options);
    expect(result.success).toBe(true);
    expect(project.bed.text('shared.txt')).toBe('after 0\n');
  });

  it('is undone for files like every operation', async () => {
    const project = await Project.make();
    for (const step of [0, 1]) await project.step(step);
    const before = project.bed.tree();
    await project.recovery.rollbackToCheckpoint('ckpt-exec-1-0');
    await project.bed.savepoint.undo();
    expect(project.bed.tree()).toEqual(before);
  });

  it('can be done twice', async () => {
    const project = await Project.make();
    for (const step of [0, 1]) await project.step(step);
    await project.recovery.rollbackToCheckpoint('ckpt-exec-1-0');
    const before = project.bed.tree();
    const again = await project.recovery.rollbackToCheckpoint('ckpt-exec-1-0');
    expect(again).toMatchObject({ success: true, output: { rolledBack: [] } });
    expect(project.bed.tree()).toEqual(before);
  });

  it('goes to an earlier attempt, which becomes the latest', async () => {
    const project = await Project.make();
    await project.step(0);
    await project.step(1, { state: { good: true } });
    await project.bed.write('more', 'shared.txt', 'worse\n');
    await project.checkpoints.createCheckpoint(stepOf(1, { state: { good: false } }));
    const result = await project.recovery.rollbackToCheckpoint('ckpt-exec-1-1.attempt1');
    expect(result.success).toBe(true);
    expect(project.bed.text('shared.txt')).toBe('after 1\n');
    const latest = await project.checkpoints.loadCheckpoint('ckpt-exec-1-1');
    expect(latest).toMatchObject({ state: { good: true }, attempt: 3 });
  });

  it('says what is in its way, and changes nothing', async () => {
    const project = await Project.make();
    for (const step of [0, 1]) await project.step(step);
    const { checkpoints, recovery } = project;
    expect(await recovery.rollbackToCheckpoint('none')).toMatchObject({ success: false });
    const without = new ExecutionRecovery({ checkpoints });
    expect(await without.rollbackToCheckpoint('ckpt-exec-1-0')).toMatchObject({
      success: false,
      error: expect.stringContaining('no timeline of files was given'),
    });
    const plain = new ExecutionCheckpoints(checkpoints.persistence);
    await plain.createCheckpoint(stepOf(2));
    expect(await recovery.rollbackToCheckpoint('ckpt-exec-1-2')).toMatchObject({
      success: false,
      error: expect.stringContaining('made without its files'),
    });
    expect(await checkpoints.listCheckpoints('exec-1')).toHaveLength(3);
    await recovery.rollbackToCheckpoint('ckpt-exec-1-0');
    expect(await recovery.rollbackToCheckpoint('ckpt-exec-1-1')).toMatchObject({
      success: false,
      error: expect.stringContaining('itself rolled back'),
    });
  });
});

describe('a retry of a step that wrote files', () => {
  it('takes back what the failed attempts wrote', async () => {
    const project = await Project.make();
    for (const step of [0, 1]) await project.step(step);
    await project.bed.write('step 2', 'half.txt', 'half\n');
    const seen: string[][] = [];
    const agent = new Agent(async ({ attempt }) => {
      seen.push(project.files());
      await project.bed.write(`try ${attempt}`, `try-${attempt}.txt`, 'x\n');
      if (attempt < 3) throw new Error('failed');
      return project.checkpoints.createCheckpoint(stepOf(2));
    });
    const result = await project.recovery.retryFromStep('exec-1', 2, agent, { backoff: 0 });
    expect(result).toMatchObject({ success: true, attempts: 3 });
    const start = ['shared.txt', 'step-0.txt', 'step-1.txt'];
    expect(seen).toEqual([start, start, start]);
    expect(project.files()).toEqual([...start, 'try-3.txt']);
  });

  it('leaves what other agents and other executions did since, and names it', async () => {
    const project = await Project.make();
    const { bed, checkpoints, recovery } = project;
    await project.step(0);
    await bed.write('step 1', 'half.txt', 'half\n');
    await bed.tool('n1', ['theirs.txt'], () => bed.put('theirs.txt', 'x\n'), {
      sessionId: 'other',
    });
    const run = await bed.savepoint.execution('build');
    await run.step('one', (context) => context.files.write('built.txt', 'y\n'));
    await run.close();
    const agent = new Agent(async ({ attempt }) => {
      if (attempt > 1) return;
      const more = { sessionId: 'other' };
      await bed.tool('n2', ['later.txt'], () => bed.put('later.txt', 'z\n'), more);
      throw new Error('failed');
    });
    const result = await recovery.retryFromStep('exec-1', 1, agent, { backoff: 0 });
    const filesOfOthers = ['theirs.txt', 'built.txt', 'later.txt'];
    expect(result).toMatchObject({ success: true, attempts: 2, filesOfOthers });
    expect(project.files()).toEqual(['shared.txt', 'step-0.txt', ...filesOfOthers].sort());
    const rollback = await recovery.rollbackToCheckpoint('ckpt-exec-1-0');
    const notes = [expect.objectContaining({ code: 'others-kept', paths: filesOfOthers })];
    expect(rollback.output?.receipt).toMatchObject({ notes });
    expect(await checkpoints.listCheckpoints('exec-1')).toHaveLength(1);
  });

  it('keeps the lines of another agent in a file that the execution changed too', async () => {
    const project = await Project.make();
    const { bed, recovery } = project;
    bed.put('both.txt', 'one\ntwo\nthree\nfour\n');
    await project.step(0);
    const edit = (from: string, to: string) => () => {
      bed.put('both.txt', bed.text('both.txt').replace(from, to));
    };
    await bed.tool('m1', ['both.txt'], edit('one', 'ONE'));
    await bed.tool('n1', ['both.txt'], edit('four', 'FOUR'), { sessionId: 'other' });
    await recovery.retryFromStep('exec-1', 1, new Agent());
    expect(bed.text('both.txt')).toBe('one\ntwo\nthree\nFOUR\n');
  });

  it('takes the session that is named like the execution where none was given', async () => {
    const project = await Project.make();
    const { bed, checkpoints, recovery } = project;
    await checkpoints.createCheckpoint({ ...stepOf(0), sessionId: undefined });
    await bed.tool('m1', ['own.txt'], () => bed.put('own.txt', 'x\n'), { sessionId: 'exec-1' });
    await bed.write('m1', 'theirs.txt', 'y\n');
    const result = await recovery.retryFromStep('exec-1', 1, new Agent());
    expect(result).toMatchObject({ success: true, filesOfOthers: ['theirs.txt'] });
    expect(project.files()).toEqual(['theirs.txt']);
  });

  it('says so where nothing is on record of its session', async () => {
    const project = await Project.make();
    await project.step(0, { sessionId: 'unheard-of' });
    await project.step(1, { sessionId: 'unheard-of' });
    const plan = await project.recovery.planRollback('ckpt-exec-1-0');
    expect(plan.files.lines).toEqual([]);
    const message = expect.stringContaining(
      'nothing is on record of the session unheard-of; others',
    );
    const paths = ['shared.txt', 'step-1.txt'];
    expect(plan.files.notes).toEqual([{ code: 'others-kept', message, paths }]);
  });

  it('does not try again what cannot be taken back', async () => {
    const project = await Project.make();
    await project.step(0);
    await project.bed.write('step 1', 'shared.txt', 'agent\n');
    project.bed.put('shared.txt', 'mine\n');
    const agent = new Agent();
    const result = await project.recovery.retryFromStep('exec-1', 1, agent);
    expect(result).toMatchObject({ success: false, error: expect.stringContaining('conflict') });
    expect(agent.runs).toEqual([]);
    expect(project.bed.text('shared.txt')).toBe('mine\n');
  });
});
