import { describe, expect, it } from 'vitest';
import { numberFrom } from '../crash/campaign.ts';
import { runStorageWorkers } from './storage/run-storage-workers.ts';

// `npm run test:campaigns` makes 200.
const SAVES = numberFrom('SAVEPOINT_STORAGE_SAVES', 20);
const WORKERS = 8;
const LIMIT_MS = 600_000;

describe('eight processes on one storage at once', () => {
  it.each(['JSONStorage', 'SQLiteStorage', 'ProjectStorage', 'PostgresStorage'] as const)(
    `lose nothing in %s: ${SAVES} saves each`,
    async (kind) => {
      const run = await runStorageWorkers(kind, WORKERS, SAVES);
      expect(run.problems).toEqual([]);
      expect(run.saves).toBe(WORKERS * SAVES);
      expect(run.claimed).toBe((WORKERS * SAVES) / 4);
      // The reader did look while they wrote.
      expect(run.reads).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );

  it(
    'do lose something without lock and temporary files, in the same harness',
    async () => {
      // Processes that happen to take turns lose nothing.
      let problems: readonly string[] = [];
      for (let tries = 0; tries < 5 && problems.length === 0; tries += 1) {
        ({ problems } = await runStorageWorkers('NaiveStorage', WORKERS, 50));
      }
      expect(problems).not.toEqual([]);
    },
    LIMIT_MS,
  );
});
