import {
  AMOUNT,
  BINARY,
  BOOLEAN,
  branded,
  ID,
  type Kind,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  TEXT,
} from './check.ts';
import type { CheckpointId, OperationId, Seq } from './ids.ts';
import { OPERATION_KINDS, type OperationKind } from './operation.ts';
import type { TrackedPath } from './path.ts';
import { STATE, type State, type UnknownReason } from './state.ts';

export type OnConflict = (typeof ON_CONFLICT)[number];
export const ON_CONFLICT = ['keep', 'restore', 'fail'] as const;

/**
 * What a person decided about one conflict: the file stays as it is, the rewind's state comes, or these bytes
 * do, such as a merge made in an editor.
 */
export type Decision = 'keep' | 'restore' | { readonly content: Uint8Array };

/** What a plan does to one path. */
export type PlanAction = (typeof PLAN_ACTIONS)[number];
export const PLAN_ACTIONS = [
  'write',
  'delete',
  'chmod',
  'link',
  'mkdir',
  'merge',
  'already-there',
  'keep',
  'conflict',
  'skip',
] as const;

export type ConflictReason =
  /** The same lines were changed by somebody else. */
  | 'overlapping-edits'
  | 'binary-changed'
  /** One side changed the file, the other removed or re-created it. */
  | 'modify-delete'
  | 'type-changed'
  | 'mode-changed'
  /** The agent's result was never recorded, so nobody knows whether the file is still the agent's. */
  | 'after-unknown'
  /** The agent's result was recorded, and the record was damaged since. */
  | 'after-damaged'
  /** The present file cannot be read, so a rewind could not be undone. */
  | 'current-unknown'
  /** A folder stands where a file must go, or a file where a folder must, and it has to stay. */
  | 'blocked';

export type SkipReason =
  /** The state to return to was never recorded; the last part says why. */
  | `before-unknown-${UnknownReason}`
  | 'outside-project'
  | 'agent-configuration'
  | 'protected'
  | 'shared-attribution'
  /** A database, log or lock file that git ignores is there, and a program may be using it. */
  | 'in-use'
  /** It is gone, and another file of the same database is there, which a program may be using. */
  | 'database-in-use'
  /** Another file of the same database was there then, and cannot come back. */
  | 'database-incomplete'
  /** Another file of the same database was there then, and the request leaves it out. */
  | 'database-in-part'
  | 'directory-not-empty'
  | 'symlinked-parent'
  | 'blob-corrupt'
  | 'blob-missing';

export interface PlanLine {
  readonly path: TrackedPath;
  readonly action: PlanAction;
  /** The state that the path must have when the plan is applied; otherwise the plan is stale. */
  readonly expected: State;
  /** The state afterwards; equals `expected` where nothing is done. */
  readonly target: State;
  /** The bytes of a merge, which no blob holds yet. */
  readonly merged?: Uint8Array;
  /** The lines that stay, where others wrote between what is taken back: no hunk holds them. */
  readonly kept?: readonly KeptLines[];
  readonly reason?: ConflictReason | SkipReason;
  /** Of a conflict that a person can decide. */
  readonly sides?: ConflictSides;
  /** The changes that this line takes back when it is carried out. */
  readonly takes: readonly Seq[];
  /** The ids of the hunks that it takes back of them, where it leaves others; see `Savepoint.planHunks`. */
  readonly hunks?: readonly string[];
  /** Whether it also takes back what somebody did since the last record: `exact`, and a database that is gone. */
  readonly takesUnrecorded?: true;
}

/** Lines of the present file that stand in the planned one, counted from 0 in both. */
export interface KeptLines {
  readonly now: number;
  readonly after: number;
  readonly count: number;
}

/** What stands against the present state of a path in conflict. */
export interface ConflictSides {
  /** The state that the rewind would bring. */
  readonly rewound: State;
  /** What both sides come from; null where that is not one state. */
  readonly base: State | null;
}

/** Something a person should know that no line says. */
export interface PlanNote {
  readonly code:
    | 'commits-since'
    | 'git-head'
    | 'lock-file-changed'
    | 'hard-links'
    | 'owner-changes'
    | 'set-id'
    | 'not-covered'
    | 'not-recorded'
    | 'hides-everything'
    | 'ignored-kept'
    | 'not-certain'
    /** These go back in part: what else changed in them is not certain to be the session's. */
    | 'uncertain-kept'
    /** No tool named these: a scan found them changed while a command ran. */
    | 'inferred'
    | 'others-kept'
    | 'recovered'
    | 'restore-unfinished'
    | 'written-meanwhile'
    | 'kept-aside'
    | 'left-to-tidy'
    | 'alongside-failed'
    | 'alongside-skipped'
    | 'purge-unfinished';
  readonly message: string;
  readonly paths?: readonly TrackedPath[];
}

/**
 * What a rewind, undo or redo will do to each path, and why not to others. A value: preview prints it,
 * `apply` executes exactly it or throws `plan-stale`.
 */
export interface RewindPlan {
  readonly kind: OperationKind;
  readonly checkpointId: CheckpointId | null;
  readonly reverts: OperationId | null;
  /** The timeline's sequence number when the plan was made. */
  readonly seq: Seq;
  /** Session families whose new changes would make the plan stale; null: everybody's. */
  readonly families: readonly string[] | null;
  readonly onConflict: OnConflict | null;
  readonly description: string;
  /** Sorted by path; each path once. */
  readonly lines: readonly PlanLine[];
  readonly notes: readonly PlanNote[];
  /** It may be carried out while a tool or a command is at work. */
  readonly forced?: true;
}

const LINE: Kind<PlanLine> = object({
  path: branded<TrackedPath>(TEXT),
  action: oneOf(...PLAN_ACTIONS),
  expected: STATE,
  target: STATE,
  merged: optional(BINARY),
  kept: optional(listOf(object({ now: AMOUNT, after: AMOUNT, count: AMOUNT }))),
  reason: optional(branded<ConflictReason | SkipReason>(TEXT)),
  sides: optional(object({ rewound: STATE, base: nullable(STATE) })),
  takes: listOf(AMOUNT),
  hunks: optional(listOf(TEXT)),
  takesUnrecorded: optional(branded<true>(BOOLEAN)),
});

const NOTE: Kind<PlanNote> = object({
  code: branded<PlanNote['code']>(TEXT),
  message: TEXT,
  paths: optional(listOf(branded<TrackedPath>(TEXT))),
});

/** The form of a plan. `checkPlan` decides whether it may be carried out. */
export const PLAN: Kind<RewindPlan> = object({
  kind: oneOf(...OPERATION_KINDS),
  checkpointId: nullable(branded<CheckpointId>(ID)),
  reverts: nullable(branded<OperationId>(ID)),
  seq: AMOUNT,
  families: nullable(listOf(ID)),
  onConflict: nullable(oneOf(...ON_CONFLICT)),
  description: TEXT,
  lines: listOf(LINE),
  notes: listOf(NOTE),
  forced: optional(branded<true>(BOOLEAN)),
});

/** Whether a line touches the file system. */
export function isWork(line: PlanLine): boolean {
  return ACTIONS_THAT_WORK.has(line.action);
}

/**
 * Whether nothing is there, and what was there can never come back: it was never recorded, or is damaged, or it
 * would be half a database. What somebody purged is gone on purpose.
 */
export function isLost({ action, expected, reason }: PlanLine): boolean {
  const isGone = action === 'skip' && expected.kind === 'absent';
  if (!isGone || reason === undefined) return false;
  return reason === 'database-incomplete' || /^(before-unknown|blob)-(?!purged)/.test(reason);
}

/** Whether a line goes on record: it works, or settles what is to be taken back without any work. */
export function takesEffect(line: PlanLine): boolean {
  return isWork(line) || line.action === 'already-there' || line.action === 'keep';
}

const ACTIONS_THAT_WORK: ReadonlySet<PlanAction> = new Set([
  'write',
  'delete',
  'chmod',
  'link',
  'mkdir',
  'merge',
]);
