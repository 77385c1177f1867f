import type { Change } from '../model/change.ts';
import {
  aBoolean,
  aNumber,
  anId,
  anything,
  aText,
  listOf,
  oneOf,
  optional,
  type Shape,
  shaped,
} from '../model/shape.ts';
import type { ChangeQuery, CheckpointQuery } from '../store/store.ts';
import type { PruneRequest, RetentionRules } from '../timeline/retention.ts';
import type {
  Capture,
  CaptureRequest,
  CheckpointRequest,
  PlanOptions,
  RewindRequest,
  WindowRequest,
} from './requests.ts';
import type { ScanOptions } from './scan.ts';

// Paths are not checked here: they have one place of their own, `model/path.ts`.
const paths = listOf(anything);

export const CHECKPOINT_REQUEST: Shape<CheckpointRequest> = {
  sessionId: optional(anId),
  messageId: optional(anId),
  agent: optional(anId),
  parentSessionId: optional(anId),
  description: optional(aText),
  label: optional(aText),
  scan: optional(aBoolean),
};

export const CAPTURE_REQUEST: Shape<CaptureRequest> = {
  sessionId: anId,
  messageId: anId,
  paths,
  agent: optional(anId),
  parentSessionId: optional(anId),
  description: optional(aText),
  toolCallId: optional(anId),
  maxFileSize: optional(aNumber),
};

export const WINDOW_REQUEST: Shape<WindowRequest> = {
  sessionId: anId,
  messageId: anId,
  agent: optional(anId),
  parentSessionId: optional(anId),
  description: optional(aText),
  toolCallId: optional(anId),
  inThisProcess: optional(aBoolean),
};

export const SCAN_OPTIONS: Shape<ScanOptions> = {
  deadlineMs: anything,
  movedOn: anything,
};

/** Only what is used of it: who wrote comes from the timeline. */
export const CAPTURE: Shape<Pick<Capture, 'changes'>> = {
  changes: listOf(
    shaped<Pick<Change, 'path' | 'seq' | 'before'>>({
      path: aText,
      seq: aNumber,
      before: shaped({ kind: aText }),
    }),
  ),
};

export const PLAN_OPTIONS: Shape<PlanOptions & { operationId?: string; includeShared?: boolean }> =
  {
    onConflict: optional(oneOf('keep', 'restore', 'fail')),
    force: optional(aBoolean),
    operationId: optional(anId),
    includeShared: optional(aBoolean),
  };

export const REWIND_REQUEST: Shape<RewindRequest> = {
  onConflict: PLAN_OPTIONS.onConflict,
  force: PLAN_OPTIONS.force,
  to: aText,
  take: optional(oneOf('since', 'message', 'exact')),
  paths: optional(paths),
  includeShared: optional(aBoolean),
};

export const CHECKPOINT_QUERY: Shape<CheckpointQuery> = {
  sessionIds: optional(listOf(anId)),
  messageId: optional(anId),
  kinds: optional(listOf(aText)),
  before: optional(aNumber),
  since: optional(aNumber),
  path: optional(aText),
  labelled: optional(aBoolean),
  limit: optional(aNumber),
};

export const CHANGE_QUERY: Shape<ChangeQuery> = {
  after: optional(aNumber),
  sessionIds: optional(listOf(anId)),
  paths: optional(listOf(aText)),
  checkpointIds: optional(listOf(anId)),
  operationId: optional(anId),
  open: optional(aBoolean),
};

export const PRUNE_REQUEST: Shape<PruneRequest> = {
  olderThanMs: optional(aNumber),
  keep: optional(aNumber),
  maxBytes: optional(aNumber),
  sessionId: optional(anId),
};

export const RETENTION_RULES: Shape<Partial<RetentionRules>> = {
  retentionDays: optional(aNumber),
  idleDays: optional(aNumber),
  maxCheckpointsPerSession: optional(aNumber),
  maxStoreBytes: optional(aNumber),
};
