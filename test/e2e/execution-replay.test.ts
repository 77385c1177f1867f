import { afterEach, describe, expect, it } from 'vitest';
import type { ExecutionRun, Savepoint, StepContext } from '../../src/index.ts';
import { ExecutionBed } from './execution-bed.ts';

let bed: ExecutionBed;

afterEach(() => bed.remove());

interface Loop {
  i: number;
  items: string[];
}

const BEGIN = { state: { i: 0, items: [] as string[] } };

function item(context: StepContext<Loop>): string {
  const name = `item ${context.state.i}`;
  context.state.items.push(name);
  context.state.i += 1;
  return name;
}

/** A loop whose condition is its state, as anybody would write it. Stops before item `until`. */
async function loop(run: ExecutionRun<Loop>, until: number): Promise<string[]> {
  const names: string[] = [];
  for (let { i } = run.state; i < until; i = run.state.i) {
    names.push(await run.step('item', { key: i }, item));
  }
  return names;
}

async function stoppedAt(count: number): Promise<Savepoint> {
  bed = await ExecutionBed.make();
  const savepoint = await bed.open();
  const run = await savepoint.execution('e', BEGIN);
  await loop(run, count);
  await run.close();
  return savepoint;
}

describe('during a replay', () => {
  it('the state is the one after the last step that was called, so that a loop over it goes on', async () => {
    const savepoint = await stoppedAt(5);
    const run = await savepoint.execution('e', BEGIN);
    expect(run.state).toEqual({ i: 0, items: [] });
    expect(await loop(run, 10)).toEqual(Array.from({ length: 10 }, (_, at) => `item ${at}`));
    expect(run.state).toMatchObject({ i: 10 });
    await run.finish();
  });

  it('the state begins with the one that was given at first, not with another one', async () => {
    const savepoint = await stoppedAt(2);
    const run = await savepoint.execution('e', { state: { i: 7, items: ['other'] } });
    expect(run.state).toEqual({ i: 0, items: [] });
    await run.close();
    await savepoint.forkExecution('e', { at: 0, as: 'fork' });
    const fork = await savepoint.execution<Loop>('fork');
    expect(fork.state).toEqual({ i: 0, items: [] });
    await fork.step('item', { key: 0 }, item);
    expect(fork.state).toEqual({ i: 1, items: ['item 0'] });
  });

  it('an execution of which no step is done begins with what it is given this time', async () => {
    const savepoint = await stoppedAt(1);
    await savepoint.applyRollback(await savepoint.planRollback('e', { to: -1 }));
    const run = await savepoint.execution('e', { state: { i: 3, items: [] } });
    expect(await loop(run, 4)).toEqual(['item 3']);
    await run.close();
    expect((await savepoint.execution('e')).state).toEqual({ i: 3, items: [] });
  });

  it('a step that fails leaves the state that the step before it left', async () => {
    const savepoint = await stoppedAt(2);
    const run = await savepoint.execution('e', BEGIN);
    await loop(run, 2);
    const failing = run.step('item', { key: 2 }, (context: StepContext<Loop>) => {
      item(context);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(run.state).toEqual({ i: 2, items: ['item 0', 'item 1'] });
  });

  it('finish refuses to end before the steps on record, and names them', async () => {
    const savepoint = await stoppedAt(3);
    const run = await savepoint.execution('e', BEGIN);
    await run.step('item', { key: 0 }, item);
    await expect(run.finish()).rejects.toMatchObject({
      code: 'execution-diverged',
      message: expect.stringContaining('step 1 (item, key 1)'),
      details: [
        { index: 1, name: 'item', key: '1' },
        { index: 2, name: 'item', key: '2' },
      ],
    });
    const reader = await savepoint.executions();
    expect((await reader.list())[0]?.status).toBe('open');
    await loop(run, 3);
    await run.finish();
    expect((await reader.list())[0]?.status).toBe('finished');
  });
});

describe('what a program gets hold of is the same in a first run and in a replay:', () => {
  /** What the program sees, whether its step runs or its result comes back. */
  async function program(savepoint: Savepoint): Promise<unknown[]> {
    const seen: unknown[] = [];
    const mine = { text: 'as returned', list: [1] };
    const run = await savepoint.execution('p', {
      state: { list: [mine], when: new Date(0), open: undefined as { deep: string[] } | undefined },
    });
    const result = await run.step('one', ({ state }) => {
      state.list.push(mine, { text: 'b', list: [] });
      state.when.setTime(5);
      state.open = { deep: [] };
      return mine;
    });
    seen.push(structuredClone(result), structuredClone(run.state));
    const held = run.state;
    // Neither the program's own object nor what it was handed leads into the state or the result.
    mine.text = 'changed later';
    for (const change of [
      () => result.list.push(2),
      () => (result.text = 'other'),
      () => run.state.list.pop(),
      () => run.state.open?.deep.push('x'),
    ]) {
      expect(change).toThrow(TypeError);
    }
    await run.step('two', ({ state }) => {
      const first = state.list[0];
      if (first !== undefined) first.text = 'changed by two';
      state.list = state.list.filter(({ list }) => list.length > 0);
    });
    seen.push(structuredClone(held), structuredClone(run.state), structuredClone(result));
    await run.close();
    return seen;
  }

  it('results and state are frozen copies', async () => {
    const savepoint = await stoppedAt(0);
    const first = await program(savepoint);
    expect(await program(savepoint)).toEqual(first);
    const state = { when: new Date(5), open: { deep: [] } };
    const mine = { text: 'as returned', list: [1] };
    const after = { ...state, list: [mine, mine, { text: 'b', list: [] }] };
    const last = { ...state, list: [{ ...mine, text: 'changed by two' }, mine] };
    expect(first).toEqual([mine, after, after, last, mine]);
  });

  it('a draft of the state that a step kept takes no change after its end', async () => {
    const savepoint = await stoppedAt(0);
    const run = await savepoint.execution('e', BEGIN);
    let kept: Loop | undefined;
    await run.step('one', ({ state }) => {
      kept = state;
    });
    expect(() => kept?.items.push('late')).toThrow(expect.objectContaining({ code: 'step-over' }));
    expect(run.state).toEqual({ i: 0, items: [] });
  });
});

describe('a key', () => {
  it('tells steps of one name apart: another key at the same place is another program', async () => {
    const savepoint = await stoppedAt(2);
    const run = await savepoint.execution('e', BEGIN);
    const other = run.step('item', { key: 1 }, item);
    await expect(other).rejects.toMatchObject({
      code: 'execution-diverged',
      message: expect.stringContaining('step 0 was item, key 0'),
    });
    await expect(run.step('item', item)).rejects.toMatchObject({ code: 'execution-diverged' });
    expect(await run.step('item', { key: '0' }, item)).toBe('item 0');
    const { steps } = await (await savepoint.executions()).show('e');
    expect(steps.map(({ key }) => key)).toEqual(['0', '1']);
  });

  it('stands before the work: the other way round is refused before the step begins', async () => {
    const savepoint = await stoppedAt(0);
    const run = await savepoint.execution('e', BEGIN);
    const wrong = [[item, { key: 1 }], [{ key: 1 }], []] as unknown as [typeof item][];
    for (const words of wrong) {
      const step = run.step('item', ...words);
      await expect(step).rejects.toMatchObject({ code: 'argument-invalid' });
    }
    expect((await (await savepoint.executions()).show('e')).steps).toEqual([]);
  });

  it('is text or a number', async () => {
    const savepoint = await stoppedAt(0);
    const run = await savepoint.execution('e', BEGIN);
    for (const key of ['', 0.5, Number.NaN, {} as string]) {
      await expect(run.step('item', { key }, item)).rejects.toMatchObject({
        code: 'argument-invalid',
      });
    }
  });
});
