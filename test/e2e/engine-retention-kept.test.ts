import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExecutionRun, PruneRequest } from '../../src/index.ts';
import { type Bed, makeBed } from './engine-bed.ts';

const DAY = 24 * 60 * 60 * 1000;
let bed: Bed;
let clock: number;

beforeEach(async () => {
  clock = 1_000 * DAY;
  bed = await makeBed({ now: () => clock, scan: true });
});
afterEach(() => bed.remove());

/** Opens the window of a run; returns its id. */
async function begin(id: string): Promise<string> {
  const request = { sessionId: id, messageId: id, agent: 'run', isRun: true };
  return (await bed.savepoint.openWindow(request)).id;
}

async function run(id: string, work: () => void): Promise<void> {
  const window = await begin(id);
  work();
  await bed.savepoint.closeWindow(window);
  clock += 1_000;
}

function label(message: string, sessionId: string): Promise<unknown> {
  return bed.idOf(message, sessionId).then((id) => bed.savepoint.label(id, 'good'));
}

/** Sessions, with the messages of each that can be returned to, oldest first. */
async function left(): Promise<Record<string, (string | null)[]>> {
  const sessions = (await bed.savepoint.sessions()).map(({ id }) => id).toSorted();
  const all = (await bed.savepoint.list()).toReversed();
  return Object.fromEntries(
    sessions.map((id) => [
      id,
      all.filter(({ sessionId }) => sessionId === id).map(({ messageId }) => messageId),
    ]),
  );
}

const REQUESTS: [string, PruneRequest][] = [
  ['number', { keep: 1 }],
  ['age', { olderThanMs: 0 }],
  ['size', { maxBytes: 0 }],
];

describe('a run that is still running', () => {
  it.each(REQUESTS)(
    'is not removed by %s, and can be taken back afterwards',
    async (_, request) => {
      bed.put('file', 'precious\n');
      const window = await begin('slow');
      bed.put('file', 'half\n');
      await run('fast', () => bed.put('other', 'x\n'));
      await bed.savepoint.prune(request);
      bed.put('file', 'lost\n');
      await bed.savepoint.closeWindow(window);
      await bed.savepoint.rewind({ to: await bed.idOf('slow', 'slow'), includeShared: true });
      expect(bed.text('file')).toBe('precious\n');
    },
  );

  it('is not removed by the clean-up until it was idle for so long that it must be dead', async () => {
    await begin('slow');
    await bed.savepoint.archiveSession('slow');
    clock += 8 * DAY;
    await bed.savepoint.cleanup({ maxStoreBytes: 0 });
    expect(await left()).toEqual({ slow: ['slow'] });
    clock += 29 * DAY;
    await bed.savepoint.cleanup();
    expect(await left()).toEqual({});
  });

  it('has its like in a command of a conversation', async () => {
    const request = { sessionId: 'agent', messageId: 'm1', toolCallId: 'call' };
    const { id } = await bed.savepoint.openWindow(request);
    await bed.write('m2', 'file', 'x');
    await bed.write('m3', 'file', 'y');
    await bed.savepoint.prune({ keep: 1 });
    expect(await left()).toEqual({ agent: ['m1', 'm3'] });
    await bed.savepoint.archiveSession('agent');
    clock += 8 * DAY;
    await bed.savepoint.cleanup();
    expect(await left()).toEqual({ agent: ['m1', 'm3'] });
    await bed.savepoint.closeWindow(id);
    await bed.savepoint.prune({ keep: 1 });
    expect(await left()).toEqual({ agent: ['m3'] });
  });
});

describe('a checkpoint that is left can be returned to wholly', () => {
  async function threeRuns(): Promise<void> {
    bed.put('file', 'base\n');
    await run('r1', () => bed.put('file', 'one\n'));
    await label('r1', 'r1');
    await run('r2', () => bed.put('file', 'two\n'));
    await run('r3', () => bed.put('file', 'three\n'));
  }

  it.each(REQUESTS)('when later runs went by %s', async (_, request) => {
    await threeRuns();
    await bed.savepoint.prune(request);
    expect(await left()).toEqual({ r1: ['r1'], r2: [], r3: ['r3'] });
    await bed.savepoint.rewind({ to: 'good' });
    expect(bed.text('file')).toBe('base\n');
  });

  it('when later runs went by the clean-up; they go wholly with its label', async () => {
    await threeRuns();
    clock += 40 * DAY;
    await run('r4', () => bed.put('file', 'four\n'));
    await bed.savepoint.cleanup();
    expect(await left()).toEqual({ r1: ['r1'], r2: [], r3: [], r4: ['r4'] });
    await bed.savepoint.rewind({ to: 'good' });
    expect(bed.text('file')).toBe('base\n');
    await bed.savepoint.prune({ labelled: true });
    expect(await left()).toEqual({ r4: ['r4'] });
  });

  it('when a later run changed files only by its sub-agent', async () => {
    await run('r1', () => bed.put('file', 'one\n'));
    await label('r1', 'r1');
    await run('r2', () => {});
    const ofRun = { sessionId: 'sub', parentSessionId: 'r2' };
    await bed.tool('s1', ['file'], () => bed.put('file', 'two\n'), ofRun);
    clock += 40 * DAY;
    await bed.savepoint.cleanup();
    expect(await left()).toEqual({ r1: ['r1'], r2: [], sub: [] });
    await bed.savepoint.rewind({ to: 'good' });
    expect(bed.tree()).toEqual({});
  });

  it('when the session of a sub-agent is older than is kept', async () => {
    bed.put('file', 'base\n');
    await bed.write('m1', 'file', 'one\n');
    const ofAgent = { sessionId: 'sub', parentSessionId: 'agent' };
    await bed.tool('s1', ['file'], () => bed.put('file', 'two\n'), ofAgent);
    clock += 36 * DAY;
    await bed.write('m2', 'file', 'three\n');
    clock += 2 * DAY;
    await bed.savepoint.cleanup();
    expect(await left()).toEqual({ agent: ['m1', 'm2'], sub: [] });
    await bed.rewind('m1');
    expect(bed.text('file')).toBe('base\n');
    // Only the first message needed what the sub-agent did.
    await bed.savepoint.prune({ keep: 1 });
    await bed.savepoint.cleanup();
    expect(await left()).toEqual({ agent: ['m2'] });
  });
});

describe('the session of a run', () => {
  it('stays while one of its checkpoints does', async () => {
    for (const messageId of ['m1', 'm2']) {
      await bed.savepoint.checkpoint({ sessionId: 'r1', messageId, isRun: true });
      const request = { sessionId: 'r1' };
      await bed.tool(messageId, ['file'], () => bed.put('file', messageId), request);
    }
    await bed.savepoint.endTurn('r1');
    await bed.savepoint.prune({ keep: 1 });
    expect(await left()).toEqual({ r1: ['m2'] });
  });

  it('goes with its last checkpoint, however that is removed', async () => {
    for (const id of ['r1', 'r2', 'r3']) await run(id, () => bed.put('file', id));
    await bed.savepoint.prune({ maxBytes: 0 });
    expect(await left()).toEqual({ r3: ['r3'] });
  });

  it('is counted by itself in the clean-up', async () => {
    for (const id of ['r1', 'r2', 'r3']) await run(id, () => bed.put('file', id));
    await bed.savepoint.cleanup({ maxCheckpointsPerSession: 1 });
    expect(await left()).toEqual({ r1: ['r1'], r2: ['r2'], r3: ['r3'] });
  });
});

describe('an execution', () => {
  /** Three steps, the second of which has a sub-agent at work. */
  async function threeSteps(): Promise<ExecutionRun<unknown>> {
    const execution = await bed.savepoint.execution('build');
    const ofExecution = { sessionId: 'sub', parentSessionId: 'execution-build' };
    for (const name of ['one', 'two', 'three']) {
      await execution.step(name, async (context) => {
        await context.files.write(name, name);
        if (name === 'two') await bed.tool('s1', ['sub'], () => bed.put('sub', 'x'), ofExecution);
      });
    }
    return execution;
  }

  it('that has finished is kept whole while one of its steps has a label', async () => {
    await (await threeSteps()).finish();
    const checkpoints = await bed.savepoint.list();
    const [labelled] = checkpoints.filter(({ kind }) => kind === 'step');
    await bed.savepoint.label(labelled?.id ?? '', 'good');
    clock += 100 * DAY;
    expect(await bed.savepoint.cleanup()).toMatchObject({ checkpoints: 0, executions: 0 });
    for (const [, request] of REQUESTS) await bed.savepoint.prune(request);
    expect(await bed.savepoint.list()).toHaveLength(checkpoints.length);
    expect(await bed.savepoint.prune({ labelled: true })).toMatchObject({ executions: ['build'] });
    expect(await left()).toEqual({});
  });

  it('whose session is named goes with its sub-agents, which cannot be rewound without it', async () => {
    await (await threeSteps()).close();
    clock += 31 * DAY;
    const request = { olderThanMs: DAY, sessionId: 'execution-build' };
    expect(await bed.savepoint.prune(request)).toMatchObject({ executions: ['build'] });
    expect(await left()).toEqual({});
  });
});
