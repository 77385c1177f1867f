import type { CheckpointId, OperationId, PartId, Seq } from './ids.ts';
import type { ProcessOwner } from './owner.ts';

/**
 * `open` until somebody says that it is over. `removed`: its steps are gone by retention or by `prune`; the
 * row stays, so that nobody runs them a second time under the same id.
 */
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

export const EXECUTION_STATUSES = ['open', 'finished', 'cancelled', 'removed'] as const;

/** Several steps of one program. Each happens once, even if the program is killed and started again. */
export interface Execution {
  readonly id: string;
  /** The session under which the files that its steps change are on record. */
  readonly sessionId: string;
  readonly status: ExecutionStatus;
  /** The execution that it was forked from, and the last step that both have in common. */
  readonly parentId: string | null;
  readonly parentStep: number | null;
  /** Grows with each holder. A process with an older token can no longer write. */
  readonly token: number;
  /** The process that holds it; null while nobody does. */
  readonly owner: ProcessOwner | null;
  /** Until when it counts as held, where nobody can tell whether the holder still runs. */
  readonly leaseUntil: number | null;
  /** The document with what its first step found; null until that step begins. */
  readonly root: PartId | null;
  /** Files that are as they were at this place of the timeline were accepted; null: none were. */
  readonly accepted: Seq | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** `killed`: its process ended before it did. `rolled-back`: it succeeded, and was taken back. */
export type StepStatus = (typeof STEP_STATUSES)[number];

export const STEP_STATUSES = [
  'running',
  'success',
  'failed',
  'cancelled',
  'killed',
  'rolled-back',
] as const;

/** Something that a step does and nobody can undo, put on record before it happens. */
export interface StepEffect {
  readonly description: string;
  readonly declaredAt: number;
}

/** One attempt at a step. */
export interface StepAttempt {
  readonly executionId: string;
  readonly index: number;
  /** Counts from 1. */
  readonly attempt: number;
  readonly name: string;
  /** Tells steps of one name apart; null for a step without one. */
  readonly key: string | null;
  readonly status: StepStatus;
  /** Before its first change of a file; null for a step that a fork has taken over. */
  readonly checkpointId: CheckpointId | null;
  /** The document with state, variables and context after it; null where there is none. */
  readonly root: PartId | null;
  /** The document with what it returned; null where that is nothing. */
  readonly result: PartId | null;
  /** The error with which it failed, as text; null where it did not. */
  readonly error: string | null;
  readonly effects: readonly StepEffect[];
  /** Where nobody saw who wrote a file, it was this step below these paths, somebody else elsewhere; null: unknown. */
  readonly writes: readonly string[] | null;
  /** Whether the files that it changed are as they were, where it did not succeed. */
  readonly restored: boolean;
  /** The operation that takes it back: in effect, the step is rolled back. */
  readonly rolledBackBy: OperationId | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

/** A value that is kept under a name. */
export interface StoredDocument {
  readonly category: string;
  readonly key: string;
  readonly root: PartId;
  readonly savedAt: number;
}

/** Orders documents by category, then by key: by code units, whatever a database takes for the order of texts. */
export function byName(a: StoredDocument, b: StoredDocument): number {
  if (a.category !== b.category) return a.category < b.category ? -1 : 1;
  return a.key < b.key ? -1 : 1;
}

/** The names that a list of documents asks for. A key says nothing without its category. */
export function namedBy(category?: string, key?: string): string[] {
  if (category === undefined) return [];
  return key === undefined ? [category] : [category, key];
}
