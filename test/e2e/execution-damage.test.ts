import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { type ExecutionRun, type Savepoint, storeDirectory } from '../../src/index.ts';
import { repairStore } from '../../src/store/sqlite/repair/repair-store.ts';
import { ExecutionBed } from './execution-bed.ts';

let bed: ExecutionBed;

afterEach(() => bed.remove());

describe('after damage and a repair, an execution', () => {
  it('never gives another result than a step returned', async () => {
    const part = 'SELECT result FROM steps WHERE step = 1';
    const savepoint = await damaged(`UPDATE parts SET data = 'other' WHERE id = (${part})`);
    const run = await savepoint.execution('e');
    expect(await again(run, 0)).toBe('result 0');
    await expect(again(run, 1)).rejects.toMatchObject({ code: 'part-missing' });
  });

  it('still has its steps when its own row was damaged', async () => {
    const savepoint = await damaged('UPDATE executions SET updated_at = 5');
    expect((await savepoint.execution('other')).done).toBe(0);
    const run = await savepoint.execution('e');
    for (const index of [0, 1, 2]) expect(await again(run, index)).toBe(`result ${index}`);
  });

  it('begins a replay with what it is given where its own beginning is lost', async () => {
    const savepoint = await damaged('UPDATE executions SET root = 999');
    const run = await savepoint.execution('e', { state: { count: 7 } });
    expect(run.state).toEqual({ count: 7 });
    await again(run as ExecutionRun, 0);
    expect(run.state).toEqual({ count: 0 });
  });

  it('leaves no steps to the next one that gets its number', async () => {
    const savepoint = await damaged('DELETE FROM executions');
    expect((await savepoint.execution('other')).done).toBe(0);
  });

  it('runs nothing twice where a step is lost between others, and can be forked before it', async () => {
    const savepoint = await damaged('UPDATE steps SET started_at = 5 WHERE step = 1');
    await expect(savepoint.execution('e')).rejects.toMatchObject({ code: 'step-not-found' });
    await savepoint.forkExecution('e', { at: 0, as: 'fork' });
    expect((await savepoint.execution('fork')).done).toBe(1);
  });

  it('can be gone on with where nobody can take a failed step back any more', async () => {
    const savepoint = await damaged(
      `UPDATE steps SET status = 'failed', root = NULL, result = NULL WHERE step = 2;
       DELETE FROM checkpoints WHERE id = (SELECT checkpoint_id FROM steps WHERE step = 2)`,
      { repair: false },
    );
    await expect(savepoint.execution('e')).rejects.toMatchObject({ code: 'checkpoint-not-found' });
    expect((await savepoint.execution('e', { changedFiles: 'accept' })).done).toBe(2);
  });
});

/** Three steps, then the damage, then a repair. */
async function damaged(sql: string, { repair = true } = {}): Promise<Savepoint> {
  bed = await ExecutionBed.make();
  const savepoint = await bed.open();
  const run = await savepoint.execution('e', { state: { count: 0 } });
  for (const index of [0, 1, 2]) await run.step(`step ${index}`, () => `result ${index}`);
  await run.close();
  await savepoint.close();
  const directory = storeDirectory(bed.home, bed.project);
  const database = new DatabaseSync(join(directory, 'store.db'), {
    enableForeignKeyConstraints: false,
  });
  database.exec(sql);
  database.close();
  if (!repair) return bed.open();
  const { left } = await repairStore(directory);
  expect(left.problems.filter(({ kind }) => kind !== 'leftover')).toEqual([]);
  return bed.open();
}

function again(run: ExecutionRun, index: number): Promise<unknown> {
  return run.step(`step ${index}`, () => expect.fail('it was done before'));
}
