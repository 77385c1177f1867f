export {
  type BaseStorage,
  CATEGORIES,
  type Category,
  type SaveOptions,
} from '../store/documents/base-storage.ts';
export { JSONStorage, type JSONStorageOptions } from '../store/documents/json/json-storage.ts';
export type { StorageProblem } from '../store/documents/json/keys-in.ts';
export { SQLiteStorage, type SQLiteStorageOptions } from '../store/documents/sqlite-storage.ts';
export { Checkpoint, type CheckpointFields } from './checkpoint.ts';
export type { CheckpointDict, CheckpointStatus, Fields } from './checkpoint-dict.ts';
export type {
  CheckpointRollbackOptions,
  CheckpointRollbackPlan,
  Rollback,
} from './checkpoint-rollback.ts';
export {
  type CheckpointProblem,
  ExecutionCheckpoints,
  type ExecutionCheckpointsOptions,
} from './execution-checkpoints.ts';
export type { ExecutionFiles } from './execution-files.ts';
export {
  ExecutionRecovery,
  type ExecutionRecoveryOptions,
  type ExecutionResult,
  type RecoverableAgent,
  type RetryContext,
} from './execution-recovery.ts';
export {
  type ExecutionKind,
  type KnownExecution,
  type KnownStep,
  knownExecutions,
  ofCheckpoints,
  ofSteps,
  standing,
} from './known-executions.ts';
export type { Holder } from './lease.ts';
export type { NewCheckpoint } from './new-checkpoint.ts';
export { PersistenceManager } from './persistence-manager.ts';
export type { RetryOptions } from './retry-options.ts';
