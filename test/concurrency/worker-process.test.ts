import { expect, it } from 'vitest';
import { startWorker } from './worker-process.ts';

it('a worker that fails before it is ready says why', async () => {
  const nowhere = '/dev/null/home';
  const { ready, report } = startWorker(nowhere, 'test/concurrency/worker.ts', nowhere, nowhere);
  await expect(ready).rejects.toThrow(/ended early \(1\)(.|\n)*(ENOTDIR|SavepointError)/);
  await expect(report).rejects.toThrow('ended early (1)');
});
