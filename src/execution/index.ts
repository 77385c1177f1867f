export {
  type BaseStorage,
  CATEGORIES,
  type Category,
  type SaveOptions,
} from '../store/documents/base-storage.ts';
export { JSONStorage, type JSONStorageOptions } from '../store/documents/json/json-storage.ts';
export { SQLiteStorage, type SQLiteStorageOptions } from '../store/documents/sqlite-storage.ts';
export {
  Checkpoint,
  type CheckpointDict,
  type CheckpointFields,
  type CheckpointStatus,
  type Fields,
  type NewCheckpoint,
} from './checkpoint.ts';
export {
  type CheckpointProblem,
  ExecutionCheckpoints,
  type ExecutionCheckpointsOptions,
} from './execution-checkpoints.ts';
export {
  type CheckpointRollbackOptions,
  ExecutionRecovery,
  type ExecutionRecoveryOptions,
  type ExecutionResult,
  type RecoverableAgent,
  type RetryContext,
  type RetryOptions,
  type Rollback,
} from './execution-recovery.ts';
export type { ExecutionFiles } from './execution-site.ts';
export type { Holder } from './lease.ts';
export { PersistenceManager } from './persistence-manager.ts';
export {
  type ExecutionKind,
  type ExecutionProject,
  type KnownExecution,
  type KnownStep,
  ProjectExecutions,
  type ShownExecution,
} from './project-executions.ts';
export { isUnfinished, type RecordedAttempt } from './step-log.ts';
