import { expect, it, onTestFinished } from 'vitest';
import {
  ExecutionCheckpoints,
  ExecutionRecovery,
  PersistenceManager,
} from '../../src/execution/index.ts';
import { makeBed } from '../e2e/engine-bed.ts';

it('keeps executions in the project’s own database, beside the timeline of its files', async () => {
  const bed = await makeBed();
  onTestFinished(() => bed.remove());
  await bed.write('one', 'a.txt', 'before\n');
  const files = bed.savepoint;
  const persistence = new PersistenceManager(await files.storage());
  const checkpoints = new ExecutionCheckpoints(persistence, { files });
  const step = { executionId: 'exec-1', sessionId: 'agent', context: {}, variables: {} };
  const first = { ...step, stepName: 'one', stepIndex: 0, state: { seen: new Set(['a.txt']) } };
  await checkpoints.createCheckpoint(first);
  await bed.write('two', 'a.txt', 'after\n');
  await checkpoints.createCheckpoint({ ...step, stepName: 'two', stepIndex: 1, state: {} });
  await bed.reopen();

  const reopened = new PersistenceManager(await bed.savepoint.storage());
  const kept = new ExecutionCheckpoints(reopened, { files: bed.savepoint });
  expect(await kept.getFormattedCheckpointHistory()).toEqual([
    ['exec-1', 'Restore exec-1\n  Step: two'],
  ]);
  const recovery = new ExecutionRecovery({ checkpoints: kept, savepoint: bed.savepoint });
  const result = await recovery.rollbackToCheckpoint('ckpt-exec-1-0');
  expect(result.success).toBe(true);
  expect(bed.text('a.txt')).toBe('before\n');
  const last = await kept.getLastSuccessfulCheckpoint('exec-1');
  expect(last?.state).toStrictEqual({ seen: new Set(['a.txt']) });
});

it('refuses to save once the savepoint is closed', async () => {
  const bed = await makeBed();
  onTestFinished(() => bed.remove());
  const storage = await bed.savepoint.storage();
  await bed.savepoint.close();
  const late = storage.save('session', 's', { n: 1 });
  await expect(late).rejects.toMatchObject({ code: 'store-closed' });
});
