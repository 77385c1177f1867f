export type { AdoptStoreRequest } from './engine/adopt-store.ts';
export type { CheckProjectOptions, CheckStoreOptions } from './engine/check-project.ts';
export {
  adoptStore,
  type CarryOptions,
  carryLateDocuments,
  carryStore,
  checkProject,
  checkStoreIn,
  memoryStore,
  movedFrom,
  noteGapAfter,
  openSavepoint,
  planDocuments,
  repairProject,
  sqliteStore,
  verifyExport,
  withProjectLock,
} from './engine/load.ts';
export type { Materialized } from './engine/materialize.ts';
export type { OpenOptions, OpenStore } from './engine/open-savepoint.ts';
export { storeDirectory } from './engine/project.ts';
export type { CleanupRules, EvictionResult, PrunePlan, PruneReport } from './engine/prune.ts';
export type { PurgeReport, PurgeRequest } from './engine/purge.ts';
export {
  type Agree,
  type AlongsideRequest,
  type CallRequest,
  type Capture,
  type CaptureRequest,
  type CheckpointRequest,
  DEFAULT_SETTINGS,
  type EndTurnRequest,
  type HunkChoice,
  type NamedPath,
  type OwnerRequest,
  type PlanOptions,
  type Resolution,
  type RewindRequest,
  type SavepointSettings,
  type WhyRequest,
  type WindowRequest,
} from './engine/requests.ts';
export type { Conflict } from './engine/rewind.ts';
export type { Savepoint } from './engine/savepoint.ts';
export type { ScanOptions, ScanReport } from './engine/scan.ts';
export type {
  LeftOut,
  ProjectStatus,
  RunningWork,
  Uncovered,
  WorktreeStatus,
} from './engine/status.ts';
export type { SessionElsewhere } from './engine/transfer.ts';
export type { OpenWindow } from './engine/window.ts';
export type {
  ExecutionReader,
  ListedExecution,
  ShownStep,
} from './execution/execution-reader.ts';
export type { ExecutionRun } from './execution/execution-run.ts';
export type { ExecutionOptions, ForkRequest } from './execution/open-execution.ts';
export type { RecordedFiles } from './execution/recorded-files.ts';
export type { RollbackOptions, RollbackPlan, RollbackRequest } from './execution/rollback.ts';
export type { StepContext, StepOptions, StepWork } from './execution/step-context.ts';
export type { ExecutionState } from './execution/step-log.ts';
export {
  ATTRIBUTIONS,
  type Attribution,
  CHANGE_ORIGINS,
  type Change,
  type ChangeOrigin,
  type CoAuthor,
} from './model/change.ts';
export { checkId } from './model/check.ts';
export {
  CHECKPOINT_KINDS,
  type Checkpoint,
  type CheckpointKind,
  COVERAGES,
  type Conversation,
  type Coverage,
} from './model/checkpoint.ts';
export { displayLines, displayText } from './model/display.ts';
export {
  ERROR_CODES,
  type ErrorCode,
  isSavepointError,
  SavepointError,
  type SavepointErrorDetails,
} from './model/errors.ts';
export {
  type Execution,
  type ExecutionStatus,
  STEP_STATUSES,
  type StepAttempt,
  type StepEffect,
  type StepStatus,
  type StoredDocument,
} from './model/execution.ts';
export type { BlobId, CheckpointId, OperationId, PartId, Seq } from './model/ids.ts';
export type { Journal, JournalPhase, JournalStep } from './model/journal.ts';
export {
  FILE_CHANGE_KINDS,
  type FileChangeKind,
  GAPS,
  type Gap,
  LINE_ORIGINS,
  type LineOriginKind,
} from './model/line-origin.ts';
export type { Baseline } from './model/manifest.ts';
export {
  OPERATION_KINDS,
  type Operation,
  type OperationKind,
  type PathReason,
  type Receipt,
} from './model/operation.ts';
export type { ImportOwner, LeaseOwner, LivingOwner, ProcessOwner } from './model/owner.ts';
export {
  isBelow,
  isOutside,
  isTextPath,
  type OutsidePath,
  pathToBytes,
  type RelativePath,
  relativePath,
  selectedPath,
  type TrackedPath,
} from './model/path.ts';
export {
  type ConflictReason,
  type ConflictSides,
  type Decision,
  isLost,
  type OnConflict,
  type PlanAction,
  type PlanLine,
  type PlanNote,
  type RewindPlan,
  type SkipReason,
} from './model/plan.ts';
export type { OnProgress, Progress, ProgressStep } from './model/progress.ts';
export { RUN_AGENT, type Session } from './model/session.ts';
export {
  type Absent,
  type Captured,
  ENTRY_TYPES,
  type EntryType,
  type State,
  UNKNOWN_REASONS,
  type Unknown,
  type UnknownReason,
} from './model/state.ts';
export type { Difference } from './model/value/differences.ts';
export type { Span, Window, WindowKind } from './model/window.ts';
export type { PlanHunk } from './plan/hunks.ts';
export type { MergePiece } from './plan/merge.ts';
export { receiptOf } from './plan/receipt.ts';
export { findRenames } from './plan/renames.ts';
export { countLines, type DiffHunk, type DiffLine, unifiedHunks } from './plan/unified-diff.ts';
export { blobOf, hashBytes } from './store/blob.ts';
export type { BaseStorage, SaveOptions } from './store/documents/base-storage.ts';
export type { Part, PartKind } from './store/parts/part.ts';
export type {
  CheckOptions,
  CheckProgress,
  ProblemKind,
  StoreCheck,
  StoreProblem,
} from './store/sqlite/check/problem.ts';
export type { StoreRepair } from './store/sqlite/repair/repair-store.ts';
export type { SqliteStoreOptions } from './store/sqlite/sqlite-store.ts';
export type {
  Batch,
  Blob,
  BlobReference,
  BlobStore,
  ChangeQuery,
  CheckpointQuery,
  ClosedChange,
  DocumentStore,
  DocumentWrite,
  Fence,
  GitStore,
  Head,
  LockOptions,
  Maintenance,
  OperationQuery,
  PackReceipt,
  ProjectIdentity,
  ProjectLock,
  PruneResult,
  PutDocumentOptions,
  Store,
  StoreReader,
  StoreState,
  StoreStats,
  TimelineStore,
  WholeDocument,
  WorktreeEntry,
  Worktrees,
} from './store/store.ts';
export type { ListedCheckpoint } from './timeline/checkpoints.ts';
export type { PathDiff } from './timeline/diff.ts';
export type { Eviction } from './timeline/eviction.ts';
export type { FileChange } from './timeline/file-history.ts';
export type { InspectedChange, InspectedCheckpoint } from './timeline/inspect-checkpoint.ts';
export type { CountBudget, LineCount } from './timeline/line-counts.ts';
export type { IsPrivate } from './timeline/private-paths.ts';
export {
  DEFAULT_RETENTION,
  type PruneRequest,
  type RetentionRules,
} from './timeline/retention.ts';
export type { SessionSummary } from './timeline/sessions.ts';
export type { Untold } from './timeline/untold.ts';
export type { FileOrigins, LineOrigin, LineSpan, NoLines } from './timeline/why.ts';
export { TAKEN_BACK, type TakenBack } from './timeline/work.ts';
export type { DocumentPlan } from './transfer/carry-documents.ts';
export type {
  ExportReceipt,
  ExportRequest,
  ImportReceipt,
  TakeoverReceipt,
  TakeoverRequest,
  TransferCounts,
  TransferLimits,
} from './transfer/requests.ts';
