import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  ExecutionCheckpoints,
  type ExecutionCheckpointsOptions,
  JSONStorage,
  PersistenceManager,
} from '../../src/execution/index.ts';

/** A storage in a folder of its own, which goes with the test. */
export function jsonStorage(projectName = 'test_project'): JSONStorage {
  const baseDir = mkdtempSync(join(tmpdir(), 'savepoint-execution-'));
  onTestFinished(() => rmSync(baseDir, { recursive: true }));
  return new JSONStorage({ projectName, baseDir });
}

export function executionCheckpoints(options?: ExecutionCheckpointsOptions): ExecutionCheckpoints {
  return new ExecutionCheckpoints(new PersistenceManager(jsonStorage()), options);
}
