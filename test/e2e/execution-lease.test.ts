import { afterEach, expect, it, vi } from 'vitest';
import { currentSeq, findExecution } from '../../src/store/find.ts';
import { builtProgram } from '../setup/built.ts';
import { ChildScript } from '../setup/child-script.ts';
import { ExecutionBed } from './execution-bed.ts';

const INDEX = builtProgram('src/index.ts');

const HOLDER = `
  const [, project, home] = process.argv;
  const { openSavepoint } = await import('${INDEX}');
  const savepoint = await openSavepoint({ project, home });
  const run = await savepoint.execution('e');
  await run.step('one', async ({ files }) => files.write('one.txt', 'done'));
  await run.step('two', async ({ files }) => {
    await files.write('two.txt', 'half');
    console.log('holding');
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  });`;

let bed: ExecutionBed;

afterEach(() => bed.remove());

it('belongs to one process, and to the next one as soon as that is dead', async () => {
  bed = await ExecutionBed.make();
  const child = new ChildScript(HOLDER, bed.project, bed.home);
  try {
    await child.says('holding');
    const savepoint = await bed.open();
    await expect(savepoint.execution('e')).rejects.toMatchObject({ code: 'execution-busy' });
    const plan = await savepoint.planRollback('e', { to: -1 });
    await expect(savepoint.applyRollback(plan)).rejects.toMatchObject({ code: 'execution-busy' });
    await child.kill();
    const run = await savepoint.execution('e');
    expect([run.done, await bed.read('one.txt'), await bed.read('two.txt')]).toEqual([
      1,
      'done',
      null,
    ]);
    await run.step('one', () => expect.fail('it was done before'));
    await run.step('two', async ({ files, attempt }) => {
      expect(attempt).toBe(2);
      await files.write('two.txt', 'whole');
    });
    expect(await bed.read('two.txt')).toBe('whole');
    const { steps } = await (await savepoint.executions()).show('e');
    expect(steps[1]?.attempts).toMatchObject([
      { status: 'killed', restored: true },
      { status: 'success' },
    ]);
  } finally {
    await child.kill();
  }
});

it('takes nothing of a person for what a step did that was killed', async () => {
  bed = await ExecutionBed.make({ 'mine.txt': 'old' });
  const scanning = HOLDER.replace('{ project, home }', '{ project, home, scan: true }');
  const child = new ChildScript(scanning, bed.project, bed.home);
  try {
    await child.says('holding');
  } finally {
    await child.kill();
  }
  await bed.edit('mine.txt', 'hours of work');
  await bed.edit('new.txt', 'made since');
  const savepoint = await bed.open({ scan: true });
  await expect(savepoint.execution('e')).rejects.toMatchObject({
    code: 'execution-files-changed',
    details: expect.arrayContaining([expect.objectContaining({ path: 'mine.txt' })]),
  });
  const kept = async () => [await bed.read('mine.txt'), await bed.read('new.txt')];
  expect(await kept()).toEqual(['hours of work', 'made since']);
  const run = await savepoint.execution('e', { changedFiles: 'accept' });
  expect([run.done, await bed.read('two.txt')]).toEqual([1, null]);
  expect(await kept()).toEqual(['hours of work', 'made since']);
});

it('lets its savepoint be closed while a step runs, and stays with this process', async () => {
  bed = await ExecutionBed.make();
  const savepoint = await bed.open();
  const run = await savepoint.execution('e');
  let end = (): void => undefined;
  const running = run.step('long', () => new Promise<void>((resolve) => (end = resolve)));
  await vi.waitFor(async () => {
    const [step] = (await (await savepoint.executions()).show('e')).steps;
    expect(step?.name).toBe('long');
  });
  await savepoint.close();
  const again = await bed.open();
  await expect(again.execution('e')).rejects.toMatchObject({ code: 'execution-busy' });
  end();
  await expect(running).rejects.toMatchObject({ code: 'store-closed' });
});

it('is held until its lease ends where nobody can tell whether its holder runs', async () => {
  bed = await ExecutionBed.make();
  let now = 1_000_000;
  const savepoint = await bed.open({ now: () => now });
  const run = await savepoint.execution('e', { leaseMs: 60_000 });
  await run.step('one', () => 1);
  await run.close();
  const { store } = await elsewhere(bed, now + 60_000);
  await expect(savepoint.execution('e')).rejects.toMatchObject({ code: 'execution-busy' });
  now += 60_001;
  const taken = await savepoint.execution('e');
  expect(taken.execution.token).toBeGreaterThan(run.execution.token);
  await store.close();
});

it('is not held for a time that no timer can measure', async () => {
  bed = await ExecutionBed.make();
  const savepoint = await bed.open();
  for (const leaseMs of [0, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31]) {
    const opening = savepoint.execution('e', { leaseMs });
    await expect(opening).rejects.toMatchObject({ code: 'argument-invalid' });
  }
});

/** As if a process on another machine held it. */
async function elsewhere({ project, home }: ExecutionBed, leaseUntil: number) {
  const { sqliteStore, storeDirectory } = await import('../../src/index.ts');
  const store = await sqliteStore({ directory: storeDirectory(home, project) });
  const execution = await findExecution(store, 'e');
  if (execution === null) throw new Error('there is no execution');
  const { token } = execution;
  const owner = { kind: 'process', host: 'other-host', processId: 1, started: '2' } as const;
  const held = { ...execution, owner, leaseUntil, token: token + 1 };
  await store.timeline.commit({ base: await currentSeq(store), executions: [held] });
  return { store };
}
