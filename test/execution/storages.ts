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
  ProjectStorage,
  SQLiteStorage,
} from '../../src/execution/index.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

/** All ways to keep documents, each in a folder of its own, which goes with the test. */
export const STORAGES: readonly (readonly [string, () => Promise<BaseStorage>])[] = [
  ['JSONStorage', async () => jsonStorage()],
  ['SQLiteStorage', async () => new SQLiteStorage('test_project', scratchFolder())],
  ['ProjectStorage', projectStorage],
];

export function jsonStorage(projectName = 'test_project'): JSONStorage {
  return new JSONStorage(projectName, scratchFolder());
}

async function projectStorage(): Promise<BaseStorage> {
  const directory = makeFolder();
  const store = await sqliteStore({ directory });
  onTestFinished(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });
  return new ProjectStorage({ store });
}

export function executionCheckpoints(options?: ExecutionCheckpointsOptions): ExecutionCheckpoints {
  return new ExecutionCheckpoints(new PersistenceManager(jsonStorage()), options);
}

function scratchFolder(): string {
  const folder = makeFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'savepoint-execution-'));
}
