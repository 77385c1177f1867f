import { describe, expect, it } from 'vitest';
import { runWorkers } from './run-workers.ts';

// Longer campaigns: SAVEPOINT_CONCURRENT_OPERATIONS=2000 vitest run test/concurrency
const OPERATIONS = Number(process.env.SAVEPOINT_CONCURRENT_OPERATIONS ?? 200);
const LIMIT_MS = 600_000;

describe('eight processes on one project at once', () => {
  it(
    `lose nothing: ${OPERATIONS} operations each`,
    async () => {
      const result = await runWorkers({ workers: 8, operations: OPERATIONS, lock: true });
      expect(result.problems).toEqual([]);
      // So much was done, or nothing was shown: most operations are writes, and some are ways back.
      expect(result.changes).toBeGreaterThan(8 * OPERATIONS * 0.6);
      expect(result.operations).toBeGreaterThan(8);
    },
    LIMIT_MS,
  );

  it(
    'do lose something without the lock, in the same harness',
    async () => {
      const result = await runWorkers({ workers: 8, operations: 40, lock: false });
      expect(result.problems).not.toEqual([]);
    },
    LIMIT_MS,
  );
});
