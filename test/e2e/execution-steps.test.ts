import { execFileSync } from 'node:child_process';
import { chmod, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';

import {
  type Batch,
  memoryStore,
  SavepointError,
  type StepContext,
  storeDirectory,
} from '../../src/index.ts';
import { ExecutionBed } from './execution-bed.ts';

let bed: ExecutionBed;

afterEach(() => bed.remove());

interface Count {
  count: number;
  seen: string[];
}

type Counting = StepContext<Count>;

function counting(context: Counting): void {
  context.state.count += 1;
  context.state.seen.push(context.name);
}

const BEGIN = { state: { count: 0, seen: [] as string[] } };

describe('steps', () => {
  it('run once, and give their results back to whoever comes later', async () => {
    bed = await ExecutionBed.make();
    const first = await bed.open();
    const run = await first.execution('exec-1', BEGIN);
    const when = new Date(5);
    const fetched = await run.step('fetch', (context: Counting) => {
      counting(context);
      context.variables.url = 'here';
      return { when, size: 7n };
    });
    expect(fetched).toEqual({ when, size: 7n });
    await run.step('store', async (context: Counting) => {
      counting(context);
      await context.files.write('out/data.txt', 'data\n');
    });
    await first.close();

    const again = await (await bed.open()).execution('exec-1', BEGIN);
    let ran = 0;
    const count = () => {
      ran += 1;
    };
    expect(await again.step('fetch', count)).toEqual({ when, size: 7n });
    expect(await again.step('store', count)).toBeUndefined();
    expect(ran).toBe(0);
    expect(again.state).toEqual({ count: 2, seen: ['fetch', 'store'] });
    expect(again.variables).toEqual({ url: 'here' });
    expect(await bed.read('out/data.txt')).toBe('data\n');
    await again.step('more', counting);
    expect(again.state).toEqual({ count: 3, seen: ['fetch', 'store', 'more'] });
    await again.finish();
  });

  it('have another name than before: the program is another one', async () => {
    bed = await ExecutionBed.make();
    const savepoint = await bed.open();
    const run = await savepoint.execution('e');
    await run.step('one', () => 1);
    await run.close();
    const again = await savepoint.execution('e');
    await expect(again.step('uno', () => 1)).rejects.toMatchObject({ code: 'execution-diverged' });
    expect(await again.step('one', () => 2)).toBe(1);
  });

  it('that fail leave neither files nor state behind, and can be tried again', async () => {
    bed = await ExecutionBed.make({ 'a.txt': 'old\n', 'b.txt': 'old\n', 'gone.txt': 'there\n' });
    const savepoint = await bed.open();
    const run = await savepoint.execution('e', BEGIN);
    const work = async (context: Counting): Promise<number> => {
      counting(context);
      await context.files.write('a.txt', 'new\n');
      await context.files.write('made/deep/c.txt', 'new\n');
      await context.files.remove('gone.txt');
      await context.capture('b.txt');
      await bed.edit('b.txt', 'new\n');
      if (context.attempt === 1) throw new Error('no luck');
      return context.attempt;
    };
    await expect(run.step('try', work)).rejects.toThrow('no luck');
    expect(await bed.read('a.txt')).toBe('old\n');
    expect(await bed.read('b.txt')).toBe('old\n');
    expect(await bed.read('made/deep/c.txt')).toBeNull();
    expect(await bed.read('gone.txt')).toBe('there\n');
    expect(run.state).toEqual({ count: 0, seen: [] });
    expect(await run.step('try', work)).toBe(2);
    expect(run.state).toEqual({ count: 1, seen: ['try'] });
    expect(await bed.read('made/deep/c.txt')).toBe('new\n');
    expect(await bed.read('gone.txt')).toBeNull();
    const { steps } = await (await savepoint.executions()).show('e');
    expect(steps).toMatchObject([
      {
        status: 'success',
        attempts: [{ status: 'failed', restored: true }, { status: 'success' }],
      },
    ]);
    expect(steps[0]?.attempts[0]?.error).toContain('no luck');
  });

  it('refuse in the compiler what types show that it cannot be stored', async () => {
    bed = await ExecutionBed.make();
    const savepoint = await bed.open();
    const run = await savepoint.execution('e', BEGIN);
    const total: number = await run.step('typed', ({ state }) => (state.count += 2));
    const seen: string[] = run.state.seen;
    expect([total, seen]).toEqual([2, []]);
    // @ts-expect-error: a function
    await expect(run.step('f', () => ({ call: () => 1 }))).rejects.toThrow('result.call');
    // @ts-expect-error: an object with methods
    await expect(run.step('f', { key: 1 }, () => [bed])).rejects.toThrow('result[0]');
    // @ts-expect-error: no such field
    await run.step('f', ({ state }) => state.other);
    // @ts-expect-error: a function
    const opening = savepoint.execution('f', { state: { call: () => 1 } });
    await expect(opening).rejects.toMatchObject({ code: 'value-unsupported' });
  });

  it('refuse what cannot be kept as it is, as a failure', async () => {
    bed = await ExecutionBed.make({ 'a.txt': 'old\n' });
    const run = await (await bed.open()).execution('e', BEGIN);
    const attempt = run.step('odd', async (context: StepContext<Record<string, unknown>>) => {
      await context.files.write('a.txt', 'new\n');
      context.state.call = () => 1;
    });
    await expect(attempt).rejects.toMatchObject({
      code: 'value-unsupported',
      path: 'step.state.call',
    });
    expect(await bed.read('a.txt')).toBe('old\n');
    expect(run.state).toEqual({ count: 0, seen: [] });
  });

  it('write no file of which nothing could be put on record before', async () => {
    bed = await ExecutionBed.make({ 'a.txt': 'old\n' });
    const store = await memoryStore();
    let isFull = false;
    const commit = async (batch: Batch): Promise<void> => {
      if (isFull) throw new SavepointError('store-full', 'no space left');
      return store.timeline.commit(batch);
    };
    const timeline = { ...store.timeline, commit };
    const sometimes = new Proxy(store, {
      get: (target, name) => {
        if (name === 'timeline') return timeline;
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const run = await (await bed.open({ store: sometimes })).execution('e');
    await run.step('write', async ({ files }) => {
      isFull = true;
      const written = files.write('a.txt', 'new\n');
      await expect(written).rejects.toMatchObject({ code: 'store-full' });
      await expect(files.remove('a.txt')).rejects.toMatchObject({ code: 'store-full' });
      isFull = false;
    });
    expect(await bed.read('a.txt')).toBe('old\n');
  });

  it('are cancelled by a signal, with what they did', async () => {
    bed = await ExecutionBed.make({ 'a.txt': 'old\n' });
    const savepoint = await bed.open();
    const run = await savepoint.execution('e');
    const cancel = new AbortController();
    const step = run.step('long', { signal: cancel.signal }, async ({ files, signal }) => {
      await files.write('a.txt', 'half\n');
      cancel.abort();
      expect(signal.aborted).toBe(true);
    });
    await expect(step).rejects.toMatchObject({ code: 'aborted' });
    expect(await bed.read('a.txt')).toBe('old\n');
    const reader = await savepoint.executions();
    expect(await reader.show('e')).toMatchObject({
      execution: { status: 'cancelled' },
      steps: [{ status: 'cancelled', attempts: [{ restored: true }] }],
    });
    await run.step('long', () => 1);
    expect((await reader.show('e')).execution.status).toBe('open');
  });

  it('find what shell commands did, and take that back too', async () => {
    bed = await ExecutionBed.make({ 'a.txt': 'old\n', 'b.txt': 'old\n' });
    const savepoint = await bed.open({ scan: true });
    const run = await savepoint.execution('e');
    const shell = (script: string) =>
      execFileSync('/bin/sh', ['-c', script], { cwd: bed.project, env: { PATH: '/usr/bin:/bin' } });
    await run.step('good', () => void shell('echo new > a.txt; echo made > c.txt'));
    const bad = run.step('bad', () => {
      shell('echo worse > a.txt; rm b.txt c.txt; echo more > d.txt');
      throw new Error('no');
    });
    await expect(bad).rejects.toThrow('no');
    expect(await bed.read('a.txt')).toBe('new\n');
    expect(await bed.read('b.txt')).toBe('old\n');
    expect(await bed.read('c.txt')).toBe('made\n');
    expect(await bed.read('d.txt')).toBeNull();
  });

  it('that run at the same time take nothing of each other back', async () => {
    bed = await ExecutionBed.make({ 'a.txt': 'old\n' });
    const savepoint = await bed.open({ scan: true });
    const [one, other] = [await savepoint.execution('one'), await savepoint.execution('other')];
    const trouble = (writes: readonly string[] | undefined) =>
      other.step('good', async () => {
        await bed.edit('good.txt', 'good\n');
        const bad = one.step('bad', { writes }, async () => {
          await bed.edit('bad.txt', 'bad\n');
          throw new Error('no');
        });
        const failure = await bad.catch((error) => error);
        return String(failure.code ?? failure.message);
      });
    // Nobody can tell whose it is, unless the step says where it writes.
    expect(await trouble(undefined)).toBe('execution-files-changed');
    expect(await bed.read('good.txt')).toBe('good\n');
    await one.close();
    const again = await savepoint.execution('one', { changedFiles: 'accept' });
    const step = again.step('bad', { writes: ['more.txt'] }, async () => {
      await bed.edit('more.txt', 'x');
      throw new Error('no');
    });
    await expect(step).rejects.toThrow('no');
    expect([await bed.read('good.txt'), await bed.read('more.txt')]).toEqual(['good\n', null]);
  });

  it('that fail leave the lines of others alone', async () => {
    const lines = (first: string, last: string) => `${first}\n2\n3\n4\n5\n${last}\n`;
    bed = await ExecutionBed.make({ 'a.txt': lines('1', '6') });
    const run = await (await bed.open()).execution('e');
    const step = run.step('edit', async ({ files }) => {
      await files.write('a.txt', lines('step', '6'));
      await bed.edit('a.txt', lines('step', 'person'));
      throw new Error('no');
    });
    await expect(step).rejects.toThrow('no');
    expect(await bed.read('a.txt')).toBe(lines('1', 'person'));
  });

  it('do not write over what somebody wrote while it went on record', async () => {
    bed = await ExecutionBed.make({ 'a.txt': 'a\n' });
    const store = await memoryStore();
    const commit = store.timeline.commit.bind(store);
    let person: string | null = null;
    store.timeline.commit = async (batch) => {
      await commit(batch);
      if (person !== null && (batch.closed ?? []).length > 0) await bed.edit('a.txt', person);
    };
    const run = await (await bed.open({ store })).execution('e');
    for (const write of ['write', 'remove'] as const) {
      const step = run.step('one', async ({ files }) => {
        person = 'person\n';
        await files[write]('a.txt', 'step\n').finally(() => (person = null));
      });
      await expect(step).rejects.toMatchObject({ code: 'plan-stale' });
      expect(await bed.read('a.txt')).toBe('person\n');
      await bed.edit('a.txt', 'a\n');
    }
  });

  it('write what is excluded without a trace of it in the store', async () => {
    bed = await ExecutionBed.make({ 'old.env': 'KEY=dummy-old\n' });
    await chmod(join(bed.project, 'old.env'), 0o600);
    const savepoint = await bed.open({ exclude: ['*.env'] });
    const run = await savepoint.execution('e');
    await run.step('one', async ({ files }) => {
      await files.write('old.env', 'KEY=dummy-one\n');
      await files.write('new.env', 'KEY=dummy-two\n');
    });
    await run.close();
    expect((await savepoint.execution('e')).done).toBe(1);
    await savepoint.close();
    const database = join(storeDirectory(bed.home, bed.project), 'store.db');
    expect(await readFile(database, 'latin1')).not.toContain('KEY=dummy');
    expect(await bed.read('old.env')).toBe('KEY=dummy-one\n');
    expect((await stat(join(bed.project, 'old.env'))).mode & 0o777).toBe(0o600);
  });

  it('that are over take no more part in what happens', async () => {
    bed = await ExecutionBed.make();
    const savepoint = await bed.open();
    const run = await savepoint.execution('e');
    const kept: StepContext[] = [];
    await run.step('one', async (context) => {
      kept.push(context);
      await context.files.write('a.txt', 'one\n');
    });
    for (const context of kept) {
      const late = { code: 'step-over' };
      await expect(context.effect('a mail')).rejects.toMatchObject(late);
      await expect(context.capture('b.txt')).rejects.toMatchObject(late);
      await expect(context.files.write('b.txt', 'late')).rejects.toMatchObject(late);
    }
    await run.close();
    const again = await savepoint.execution('e');
    expect([again.done, await bed.read('a.txt'), await bed.read('b.txt')]).toEqual([
      1,
      'one\n',
      null,
    ]);
  });

  it('that could not be rolled back are not followed by others until they are', async () => {
    bed = await ExecutionBed.make({ 'a.txt': 'a\n' });
    const savepoint = await bed.open();
    const run = await savepoint.execution('e');
    const failing = run.step('edit', async ({ files }) => {
      await files.write('a.txt', 'step\n');
      await bed.edit('a.txt', 'person\n');
      throw new Error('no');
    });
    await expect(failing).rejects.toMatchObject({ code: 'execution-files-changed' });
    const again = run.step('edit', () =>
      expect.fail('on top of what is left of the first attempt'),
    );
    await expect(again).rejects.toMatchObject({ code: 'execution-files-changed' });
    await bed.edit('a.txt', 'a\n');
    await run.step('edit', ({ files }) => files.write('b.txt', 'done\n'));
    await run.close();
    // Nothing of the first attempt is left to be rolled back, and with it the second one.
    expect((await savepoint.execution('e')).done).toBe(1);
    expect(await bed.read('b.txt')).toBe('done\n');
  });
});

describe('an execution', () => {
  it('stops where files are not as its steps left them, unless told otherwise', async () => {
    bed = await ExecutionBed.make();
    const savepoint = await bed.open();
    const run = await savepoint.execution('e');
    await run.step('one', ({ files }) => files.write('a.txt', 'step\n'));
    await run.close();
    await bed.edit('a.txt', 'person\n');
    await expect(savepoint.execution('e')).rejects.toMatchObject({
      code: 'execution-files-changed',
      details: [{ path: 'a.txt' }],
    });
    const accepted = await savepoint.execution('e', { changedFiles: 'accept' });
    expect(accepted.done).toBe(1);
    expect(await bed.read('a.txt')).toBe('person\n');
  });

  it('goes on with files that were accepted once, until they change again', async () => {
    bed = await ExecutionBed.make();
    const savepoint = await bed.open();
    const run = await savepoint.execution('e');
    await run.step('one', async ({ files }) => {
      await files.write('a.txt', 'step\n');
      await files.write('gone.txt', 'step\n');
    });
    await run.close();
    await bed.edit('a.txt', 'person\n');
    await rm(join(bed.project, 'gone.txt'));
    await (await savepoint.execution('e', { changedFiles: 'accept' })).close();
    const again = await savepoint.execution('e');
    expect(again.done).toBe(1);
    await again.close();
    await bed.edit('a.txt', 'person again\n');
    await expect(savepoint.execution('e')).rejects.toMatchObject({
      code: 'execution-files-changed',
      details: [{ path: 'a.txt' }],
    });
    // What a step left is right as well, whatever was accepted since.
    await bed.edit('a.txt', 'step\n');
    await (await savepoint.execution('e')).close();
    expect(await bed.read('a.txt')).toBe('step\n');
  });

  it('keeps what a later step wrote apart from what was accepted before it', async () => {
    bed = await ExecutionBed.make();
    const savepoint = await bed.open();
    const run = await savepoint.execution('e');
    await run.step('one', ({ files }) => files.write('a.txt', 'one\n'));
    await run.close();
    await bed.edit('a.txt', 'person\n');
    const accepted = await savepoint.execution('e', { changedFiles: 'accept' });
    await accepted.step('one', () => expect.fail('it was done before'));
    await accepted.step('two', ({ files }) => files.write('a.txt', 'two\n'));
    await accepted.close();
    await bed.edit('a.txt', 'person\n');
    await expect(savepoint.execution('e')).rejects.toMatchObject({
      code: 'execution-files-changed',
    });
  });

  it('stops where somebody has rewound the files of its steps, and not the steps', async () => {
    bed = await ExecutionBed.make();
    const savepoint = await bed.open();
    const run = await savepoint.execution('e');
    for (const name of ['a', 'b']) {
      await run.step(name, ({ files }) => files.write(`${name}.txt`, name));
    }
    await run.close();
    const [, second] = (await (await savepoint.executions()).show('e')).steps;
    const to = second?.attempts[0]?.checkpointId ?? '';
    await savepoint.apply(await savepoint.planRewind({ to }));
    await expect(savepoint.execution('e')).rejects.toMatchObject({
      code: 'execution-files-changed',
      details: [{ path: 'b.txt' }],
    });
    await savepoint.undo();
    expect((await savepoint.execution('e')).done).toBe(2);
  });

  it('has one holder', async () => {
    bed = await ExecutionBed.make();
    const [one, other] = [await bed.open(), await bed.open()];
    const run = await one.execution('e');
    await expect(other.execution('e')).rejects.toMatchObject({ code: 'execution-busy' });
    await run.close();
    const taken = await other.execution('e');
    // The first one wakes up again, and has nothing to say any more.
    await expect(run.step('late', () => 1)).rejects.toMatchObject({ code: 'execution-lost' });
    expect(await taken.step('mine', () => 2)).toBe(2);
    await expect(one.execution('other', { create: false })).rejects.toMatchObject({
      code: 'execution-not-found',
    });
  });

  it('is given back between steps only, and then for good', async () => {
    bed = await ExecutionBed.make();
    const savepoint = await bed.open();
    const run = await savepoint.execution('e');
    const closing = run.step('one', () => run.close());
    await expect(closing).rejects.toMatchObject({ code: 'execution-busy' });
    await run.finish();
    expect(run.execution).toMatchObject({ status: 'finished', owner: null });
    await expect(run.step('one', () => 1)).rejects.toMatchObject({ code: 'execution-lost' });
    expect(run.execution.status).toBe('finished');
    expect((await (await savepoint.executions()).list())[0]).toMatchObject({
      status: 'finished',
      holder: null,
    });
  });

  it('is forked from any step', async () => {
    bed = await ExecutionBed.make();
    const savepoint = await bed.open();
    const run = await savepoint.execution('e', BEGIN);
    for (const name of ['a', 'b', 'c']) {
      await run.step(name, (context: Counting) => {
        counting(context);
        return name;
      });
    }
    await savepoint.forkExecution('e', { at: 1, as: 'f' });
    await expect(savepoint.forkExecution('e', { at: 1, as: 'f' })).rejects.toMatchObject({
      code: 'execution-exists',
    });
    await expect(savepoint.forkExecution('e', { at: 7, as: 'g' })).rejects.toMatchObject({
      code: 'step-not-found',
    });
    const fork = await savepoint.execution<Count>('f');
    expect([await fork.step('a', () => 0), await fork.step('b', () => 0)]).toEqual(['a', 'b']);
    expect(fork.state).toEqual({ count: 2, seen: ['a', 'b'] });
    await fork.step('other', counting);
    expect(fork.state).toEqual({ count: 3, seen: ['a', 'b', 'other'] });
    expect(run.state).toEqual({ count: 3, seen: ['a', 'b', 'c'] });
  });

  it('is rolled back with its files, as one operation that undo takes back', async () => {
    bed = await ExecutionBed.make();
    const savepoint = await bed.open();
    const run = await savepoint.execution('e', BEGIN);
    for (const name of ['a', 'b', 'c']) {
      await run.step(name, async (context: Counting) => {
        counting(context);
        await context.files.write('log.txt', context.state.seen.join('\n'));
        if (name === 'b') await context.effect('sent a mail');
      });
    }
    await run.close();
    const plan = await savepoint.planRollback('e', { to: 0 });
    expect(plan).toMatchObject({
      steps: [{ name: 'b' }, { name: 'c' }],
      effects: [{ description: 'sent a mail', name: 'b' }],
    });
    await expect(savepoint.applyRollback(plan)).rejects.toMatchObject({
      code: 'execution-effects',
    });
    expect(await bed.read('log.txt')).toBe('a\nb\nc');
    await savepoint.applyRollback(plan, { acceptEffects: true });
    expect(await bed.read('log.txt')).toBe('a');
    const reader = await savepoint.executions();
    expect((await reader.list())[0]).toMatchObject({ id: 'e', done: 1 });
    expect((await reader.show('e')).steps.map(({ status }) => status)).toEqual([
      'success',
      'rolled-back',
      'rolled-back',
    ]);
    await savepoint.undo();
    expect(await bed.read('log.txt')).toBe('a\nb\nc');
    expect((await reader.list())[0]).toMatchObject({ done: 3 });
    await savepoint.redo();
    expect(await bed.read('log.txt')).toBe('a');
    const again = await savepoint.execution<Count>('e');
    await again.step('a', () => 1);
    expect(again.state).toEqual({ count: 1, seen: ['a'] });
    await again.step('new', counting);
    expect(again.state).toEqual({ count: 2, seen: ['a', 'new'] });
  });

  it('that went on after a rollback gets no step back by an undo', async () => {
    bed = await ExecutionBed.make();
    const savepoint = await bed.open();
    const run = await savepoint.execution('e', BEGIN);
    for (const name of ['a', 'b', 'c']) {
      await run.step(name, async (context: Counting) => {
        counting(context);
        await context.files.write(`${name}.txt`, name);
      });
    }
    await run.close();
    const plan = await savepoint.planRollback('e', { to: 0 });
    await savepoint.applyRollback(plan);
    const other = await savepoint.execution<Count>('e');
    await other.step('a', counting);
    await other.step('b', (context: Counting) => void context.state.seen.push('other b'));
    await other.close();
    await savepoint.undo();
    expect(await bed.read('c.txt')).toBe('c');
    const again = await savepoint.execution<Count>('e');
    // Step c came after another b, and knows nothing of this one.
    await again.step('a', counting);
    await again.step('b', counting);
    expect([again.done, again.state]).toEqual([2, { count: 1, seen: ['a', 'other b'] }]);
  });

  it('is rolled back over what a person wrote in the same lines only when told so', async () => {
    bed = await ExecutionBed.make({ 'a.txt': 'old\n' });
    const savepoint = await bed.open();
    const run = await savepoint.execution('e', BEGIN);
    await run.step('a', (context) => context.files.write('a.txt', 'step\n'));
    await run.close();
    await bed.edit('a.txt', 'mine\n');
    const plan = await savepoint.planRollback('e', { to: -1 });
    await expect(savepoint.applyRollback(plan)).rejects.toMatchObject({ code: 'conflicts' });
    const reader = await savepoint.executions();
    expect((await reader.list())[0]).toMatchObject({ done: 1, holder: null });
    await savepoint.applyRollback(
      await savepoint.planRollback('e', { to: -1, onConflict: 'keep' }),
    );
    expect(await bed.read('a.txt')).toBe('mine\n');
    expect((await reader.list())[0]).toMatchObject({ done: 0 });
  });

  it('shows an attempt that was rolled back as that, also when a later one succeeded', async () => {
    bed = await ExecutionBed.make();
    const savepoint = await bed.open();
    const run = await savepoint.execution('e', BEGIN);
    await run.step('a', counting);
    await run.close();
    await savepoint.applyRollback(await savepoint.planRollback('e', { to: -1 }));
    await (await savepoint.execution('e', BEGIN)).step('a', counting);
    const [step] = (await (await savepoint.executions()).show('e')).steps;
    expect(step).toMatchObject({
      status: 'success',
      attempts: [{ status: 'rolled-back' }, { status: 'success' }],
    });
  });

  it('is rolled back where only its state changed', async () => {
    bed = await ExecutionBed.make();
    const savepoint = await bed.open();
    const run = await savepoint.execution('e', BEGIN);
    await run.step('a', counting);
    await run.step('b', counting);
    await run.close();
    await savepoint.applyRollback(await savepoint.planRollback('e', { to: 0 }));
    const reader = await savepoint.executions();
    expect((await reader.list())[0]?.done).toBe(1);
    await savepoint.undo();
    expect((await reader.list())[0]?.done).toBe(2);
    // What is forgotten of an operation is not forgotten of its steps.
    await savepoint.applyRollback(await savepoint.planRollback('e', { to: -1 }));
    const other = await savepoint.execution('f');
    await other.step('a', () => 1);
    await other.close();
    await savepoint.applyRollback(await savepoint.planRollback('f', { to: -1 }));
    await savepoint.cleanup({ retentionDays: 0 });
    expect((await reader.show('e')).steps.map(({ status }) => status)).toEqual([
      'rolled-back',
      'rolled-back',
    ]);
    expect((await reader.list()).map(({ done }) => done)).toEqual([0, 0]);
  });

  it('tells how its state changed', async () => {
    bed = await ExecutionBed.make();
    const savepoint = await bed.open();
    const run = await savepoint.execution('e', BEGIN);
    await run.step('a', counting);
    await run.step('b', counting);
    const reader = await savepoint.executions();
    expect(await reader.stateAt('e', 0)).toMatchObject({ state: { count: 1, seen: ['a'] } });
    expect(await reader.diff('e', 0, 1)).toEqual([
      { path: 'state.count', kind: 'changed' },
      { path: 'state.seen[1]', kind: 'added' },
    ]);
  });
});
