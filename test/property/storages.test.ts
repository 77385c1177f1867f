import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JSONStorage, ProjectStorage, SQLiteStorage } from '../../src/execution/index.ts';
import { PostgresStorage } from '../../src/store/postgres/index.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { sameValue } from '../../src/testing/same-value.ts';
import { makeScratch, removeScratch } from '../e2e/scratch.ts';
import { sharedPostgres } from '../setup/shared-postgres.ts';
import { arbitraryValue } from './arbitrary-value.ts';
import { propertyRuns } from './runs.ts';

describe('any value, under any name', () => {
  it('comes back exactly from every storage', async () => {
    const scratch = makeScratch();
    const store = await sqliteStore({ directory: join(scratch, 'store') });
    const project = new ProjectStorage({ store });
    const server = new PostgresStorage({ url: await sharedPostgres(), project: randomUUID() });
    let runs = 0;
    try {
      const name = fc.string({ unit: 'binary', maxLength: 120 });
      const property = fc.asyncProperty(name, name, arbitraryValue(), async (one, two, value) => {
        // Nothing can be saved as nothing.
        const data = { value };
        runs += 1;
        const storages = [
          // A project of its own: names that some disks take for one are refused.
          new JSONStorage(`property-${runs}`, join(scratch, 'files')),
          new SQLiteStorage('property', join(scratch, 'files')),
          project,
          server,
        ];
        for (const storage of storages) {
          await storage.save(one, two, data);
          expect(sameValue(await storage.load(one, two), data)).toBe(true);
          expect(await storage.list(one)).toContain(two);
        }
      });
      await fc.assert(property, propertyRuns(0.5));
    } finally {
      await store.close();
      await server.close();
      removeScratch(scratch);
    }
  });
});
