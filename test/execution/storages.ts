import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  type BaseStorage,
  ExecutionCheckpoints,
  type ExecutionCheckpointsOptions,
  JSONStorage,
  PersistenceManager,
  SQLiteStorage,
} from '../../src/execution/index.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

/** Both ways to keep documents, each in a folder of its own, which goes with the test. */
export const STORAGES: readonly (readonly [string, () => Promise<BaseStorage>])[] = [
  ['JSONStorage', async () => jsonStorage()],
  ['SQLiteStorage', sqliteStorage],
];

export function jsonStorage(projectName = 'test_project'): JSONStorage {
  const baseDir = makeFolder();
  onTestFinished(() => rmSync(baseDir, { recursive: true }));
  return new JSONStorage({ projectName, baseDir });
}

async function sqliteStorage(): Promise<BaseStorage> {
  const directory = makeFolder();
  const store = await sqliteStore({ directory });
  onTestFinished(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });
  return new SQLiteStorage({ store });
}

export function executionCheckpoints(options?: ExecutionCheckpointsOptions): ExecutionCheckpoints {
  return new ExecutionCheckpoints(new PersistenceManager(jsonStorage()), options);
}

function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'savepoint-execution-'));
}
