import {
  ATTRIBUTIONS,
  type Cancellation,
  CHANGE_ORIGINS,
  type Change,
  type CoAuthor,
} from '../model/change.ts';
import {
  CHECKPOINT_KINDS,
  type Checkpoint,
  COVERAGES,
  type Conversation,
} from '../model/checkpoint.ts';
import {
  EXECUTION_STATUSES,
  type Execution,
  STEP_STATUSES,
  type StepAttempt,
  type StepEffect,
} from '../model/execution.ts';
import type { CheckpointId, OperationId, PartId, Seq } from '../model/ids.ts';
import { OPERATION_KINDS, type Operation } from '../model/operation.ts';
import type { ImportOwner, LivingOwner, ProcessOwner } from '../model/owner.ts';
import type { TrackedPath } from '../model/path.ts';
import type { RunTime, Session } from '../model/session.ts';
import type { State } from '../model/state.ts';
import { type Span, WINDOW_KINDS, type Window } from '../model/window.ts';
import type { Head } from './store.ts';

// Each table is described here, once. What inserts, selects and seals its rows follows from the description,
// and so does what an export writes and an import accepts. A record's type decides which fields there are:
// leaving one out does not compile.

/**
 * What a field holds. A store decides how to write each kind, an import what to accept as one.
 *
 * `id`: a name that a caller made up. `session`, `execution`, `checkpoint`, `operation`, `part`: names of
 * records. `seq`: a place in the timeline, from 1 on. `count`: a whole number from 0 on. `time`: milliseconds
 * since 1970. `prose`: text for people. `commit`: an id of git's.
 * `word`: one of `words`. `json`: plain JSON.
 */
export type Kind =
  | 'id'
  | 'session'
  | 'execution'
  | 'checkpoint'
  | 'operation'
  | 'part'
  | 'seq'
  | 'count'
  | 'time'
  | 'prose'
  | 'commit'
  | 'word'
  | 'boolean'
  | 'path'
  | 'state'
  | 'json';

export interface FieldShape {
  readonly kind: Kind;
  readonly isNullable?: true;
  /** Of kind `word`: all that it can be. */
  readonly words?: readonly string[];
  /** The column's name, where it is not the field's own in snake case. */
  readonly column?: string;
}

/** The column of a field, or what the names of its columns begin with. */
export function columnOf(name: string, { column }: FieldShape): string {
  return column ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export interface Field<Value> extends FieldShape {
  /** For the compiler alone, which compares it with the record's type: no field has this. */
  readonly holds?: (value: Value) => Value;
}

/** One table: a row for each record. */
export interface Table<Row> {
  readonly name: string;
  /** The fields that tell one record from another. */
  readonly key: readonly (keyof Row & string)[];
  readonly fields: { readonly [Name in keyof Row]-?: Field<Row[Name]> };
}

const id: Field<string> = { kind: 'id' };
const session: Field<string> = { kind: 'session' };
const execution: Field<string> = { kind: 'execution' };
const checkpoint: Field<CheckpointId> = { kind: 'checkpoint' };
const operation: Field<OperationId> = { kind: 'operation' };
const part: Field<PartId> = { kind: 'part' };
const seq: Field<Seq> = { kind: 'seq' };
const count: Field<number> = { kind: 'count' };
const time: Field<number> = { kind: 'time' };
const prose: Field<string> = { kind: 'prose' };
const commit: Field<string> = { kind: 'commit' };
const boolean: Field<boolean> = { kind: 'boolean' };
const path: Field<TrackedPath> = { kind: 'path' };
const state: Field<State> = { kind: 'state' };

function json<Value>(): Field<Value> {
  return { kind: 'json' };
}

function word<Word extends string>(words: readonly Word[]): Field<Word> {
  return { kind: 'word', words };
}

function nullable<Value>({ holds: _, ...field }: Field<Value>): Field<Value | null> {
  return { ...field, isNullable: true };
}

function inColumn<Value>(column: string, field: Field<Value>): Field<Value> {
  return { ...field, column };
}

export const SESSIONS: Table<Session> = {
  name: 'sessions',
  key: ['id'],
  fields: {
    id,
    rootId: id,
    agent: id,
    createdAt: time,
    lastActiveAt: time,
    archivedAt: nullable(time),
    run: nullable(json<RunTime>()),
    owner: nullable(json<LivingOwner>()),
    told: nullable(seq),
  },
};

export const CHECKPOINTS: Table<Checkpoint> = {
  name: 'checkpoints',
  key: ['id'],
  fields: {
    seq,
    id: checkpoint,
    sessionId: nullable(session),
    messageId: nullable(id),
    kind: word(CHECKPOINT_KINDS),
    description: prose,
    label: nullable(prose),
    createdAt: time,
    gitHead: nullable(commit),
    coverage: word(COVERAGES),
    conversation: nullable(json<Conversation>()),
    importedAt: nullable(seq),
  },
};

export const WINDOWS: Table<Window> = {
  name: 'windows',
  key: ['id'],
  fields: {
    opened: seq,
    id,
    kind: word(WINDOW_KINDS),
    change: inColumn('change_seq', nullable(seq)),
    sessionId: session,
    checkpointId: checkpoint,
    toolCallId: nullable(id),
    subagentId: nullable(id),
    owner: nullable(json<LivingOwner>()),
    description: prose,
    coverage: word(COVERAGES),
    closed: nullable(seq),
    certain: nullable(json<readonly Span[]>()),
    createdAt: time,
  },
};

export const CHANGES: Table<Change> = {
  name: 'changes',
  key: ['seq'],
  fields: {
    seq,
    path,
    before: state,
    after: nullable(state),
    origin: word(CHANGE_ORIGINS),
    attribution: word(ATTRIBUTIONS),
    sessionId: inColumn('session', nullable(session)),
    checkpointId: nullable(checkpoint),
    coAuthors: nullable(json<readonly CoAuthor[]>()),
    operationId: nullable(operation),
    toolCallId: nullable(id),
    subagentId: nullable(id),
    owner: nullable(json<LivingOwner | ImportOwner>()),
    createdAt: time,
  },
};

export const HEADS: Table<Head> = {
  name: 'heads',
  key: ['path'],
  fields: { path, seq, open: boolean, state: inColumn('', state) },
};

/** A path that git ignores and that is on record all the same; see `timeline/private-paths.ts`. */
export interface PrivatePath {
  readonly path: TrackedPath;
}

export const PRIVATE_PATHS: Table<PrivatePath> = {
  name: 'private_paths',
  key: ['path'],
  fields: { path },
};

export const CANCELLATIONS: Table<Cancellation> = {
  name: 'cancellations',
  key: ['change', 'by'],
  fields: { change: inColumn('change_seq', seq), by: inColumn('by_seq', seq), inPart: boolean },
};

export const OPERATIONS: Table<Operation> = {
  name: 'operations',
  key: ['id'],
  fields: {
    seq,
    id: operation,
    kind: word(OPERATION_KINDS),
    checkpointId: nullable(checkpoint),
    reverts: nullable(operation),
    inEffect: boolean,
    safetyCheckpointId: checkpoint,
    description: prose,
    createdAt: time,
  },
};

export const EXECUTIONS: Table<Execution> = {
  name: 'executions',
  key: ['id'],
  fields: {
    id,
    sessionId: session,
    status: word(EXECUTION_STATUSES),
    parentId: nullable(id),
    parentStep: nullable(count),
    token: count,
    owner: nullable(json<ProcessOwner>()),
    leaseUntil: nullable(time),
    root: nullable(part),
    accepted: nullable(seq),
    createdAt: time,
    updatedAt: time,
  },
};

export const STEPS: Table<StepAttempt> = {
  name: 'steps',
  key: ['executionId', 'index', 'attempt'],
  fields: {
    executionId: inColumn('execution', execution),
    index: inColumn('step', count),
    attempt: count,
    name: prose,
    key: nullable(id),
    status: word(STEP_STATUSES),
    checkpointId: nullable(checkpoint),
    root: nullable(part),
    result: nullable(part),
    error: nullable(prose),
    effects: json<readonly StepEffect[]>(),
    writes: nullable(json<readonly string[]>()),
    restored: boolean,
    rolledBackBy: nullable(operation),
    startedAt: time,
    endedAt: nullable(time),
  },
};
