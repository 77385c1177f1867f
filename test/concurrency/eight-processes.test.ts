import { describe, expect, it } from 'vitest';
import { numberFrom } from '../crash/campaign.ts';
import { sharedPostgres } from '../setup/shared-postgres.ts';
import { runWorkers } from './run-workers.ts';

// `npm run test:campaigns` does 200.
const OPERATIONS = numberFrom('SAVEPOINT_CONCURRENT_OPERATIONS', 40);
// `npm run test:campaigns` does 1,000, by eight.
const ON_SERVER = {
  workers: process.env.SAVEPOINT_CAMPAIGNS === undefined ? 4 : 8,
  operations: numberFrom('SAVEPOINT_SERVER_OPERATIONS', 8),
  alone: 2,
  lock: true,
};
const LIMIT_MS = 3_600_000;

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
    `lose nothing on a PostgreSQL server, on three machines: ${ON_SERVER.operations} operations each`,
    async () => {
      const result = await runWorkers({ ...ON_SERVER, server: await sharedPostgres() });
      expect(result.problems).toEqual([]);
      expect(result.changes).toBeGreaterThan(ON_SERVER.workers * ON_SERVER.operations * 0.5);
    },
    LIMIT_MS,
  );

  it(
    'do lose something without the lock, in the same harness',
    async () => {
      // Processes that happen to take turns lose nothing.
      let problems: readonly string[] = [];
      for (let tries = 0; tries < 5 && problems.length === 0; tries += 1) {
        ({ problems } = await runWorkers({ workers: 8, operations: 40, lock: false }));
      }
      expect(problems).not.toEqual([]);
    },
    LIMIT_MS,
  );
});
