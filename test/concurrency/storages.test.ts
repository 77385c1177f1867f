import { describe, expect, it } from 'vitest';
import { runStorageWorkers } from './storage/run-storage-workers.ts';

// What is shown in full by `npm run test:campaigns`: 8 processes and 200 saves each.
const SAVES = Number(process.env.SAVEPOINT_STORAGE_SAVES ?? 60);
const WORKERS = 8;
const LIMIT_MS = 600_000;

describe('eight processes on one storage at once', () => {
  it.each(['JSONStorage', 'SQLiteStorage'] as const)(
    `lose nothing in %s: ${SAVES} saves each`,
    async (kind) => {
      const run = await runStorageWorkers(kind, WORKERS, SAVES);
      expect(run.problems).toEqual([]);
      expect(run.saves).toBe(WORKERS * SAVES);
      expect(run.claimed).toBe((WORKERS * SAVES) / 4);
      // The reader did look while they wrote.
      expect(run.reads).toBeGreaterThan(SAVES);
    },
    LIMIT_MS,
  );

  it(
    'do lose something without lock and temporary files, in the same harness',
    async () => {
      const run = await runStorageWorkers('NaiveStorage', WORKERS, 200);
      expect(run.problems).not.toEqual([]);
    },
    LIMIT_MS,
  );
});
