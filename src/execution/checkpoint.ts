import {
  COUNT,
  check,
  ID,
  type Kind,
  nullable,
  object,
  oneOf,
  optional,
  recordOf,
  TEXT,
  unchecked,
  where,
} from '../model/check.ts';
import { SavepointError } from '../model/errors.ts';
import { jsonToValue, valueToJson } from '../model/value/index.ts';
import type { RecordedAttempt } from './step-log.ts';

export type CheckpointStatus = 'success' | 'failed' | 'pending';

/** An object of plain data, with any values that can be stored. */
export type Fields = Readonly<Record<string, unknown>>;

export interface CheckpointFields {
  readonly id: string;
  readonly executionId: string;
  readonly stepName: string;
  readonly stepIndex: number;
  readonly timestamp: Date;
  /** What the agent knows. */
  readonly state: Fields;
  /** What it was given: messages, who asked. */
  readonly context: Fields;
  readonly variables: Fields;
  readonly status?: CheckpointStatus | undefined;
  readonly error?: string | null | undefined;
  readonly metadata?: Fields | undefined;
}

/** The form in which a checkpoint is stored, and that programs in other languages read. */
export interface CheckpointDict
  extends Omit<CheckpointFields, 'executionId' | 'stepName' | 'stepIndex' | 'timestamp'> {
  readonly execution_id: string;
  readonly step_name: string;
  readonly step_index: number;
  /** ISO 8601. Without a zone it is local time, as Python writes it. */
  readonly timestamp: string;
}

/** Where an execution stood after one of its steps. */
export class Checkpoint implements CheckpointFields {
  readonly id: string;
  readonly executionId: string;
  readonly stepName: string;
  readonly stepIndex: number;
  readonly timestamp: Date;
  readonly state: Fields;
  readonly context: Fields;
  readonly variables: Fields;
  readonly status: CheckpointStatus;
  readonly error: string | null;
  readonly metadata: Fields;

  constructor(fields: CheckpointFields) {
    this.id = fields.id;
    this.executionId = fields.executionId;
    this.stepName = fields.stepName;
    this.stepIndex = fields.stepIndex;
    this.timestamp = fields.timestamp;
    this.state = fields.state;
    this.context = fields.context;
    this.variables = fields.variables;
    this.status = fields.status ?? 'success';
    this.error = fields.error ?? null;
    this.metadata = fields.metadata ?? {};
  }

  /** The number of this attempt at its step, from 1 on. */
  get attempt(): number {
    const { attempt } = this.metadata;
    return typeof attempt === 'number' ? attempt : 1;
  }

  /** The session under which its program records what the execution does to files. */
  get sessionId(): string {
    const { session_id: session } = this.metadata;
    return typeof session === 'string' ? session : this.executionId;
  }

  /** Whether somebody rolled back to an earlier step since, so that it counts no more. */
  get isRolledBack(): boolean {
    return this.metadata.rolled_back !== undefined;
  }

  toDict(): CheckpointDict {
    return {
      id: this.id,
      execution_id: this.executionId,
      step_name: this.stepName,
      step_index: this.stepIndex,
      timestamp: this.timestamp.toISOString(),
      state: this.state,
      context: this.context,
      variables: this.variables,
      status: this.status,
      error: this.error,
      metadata: this.metadata,
    };
  }

  /** Throws `checkpoint-invalid` for data that no `toDict` gives; the message and `path` name the field. */
  static fromDict(data: unknown): Checkpoint {
    const dict = checkDict(data);
    return new Checkpoint({
      ...dict,
      executionId: dict.execution_id,
      stepName: dict.step_name,
      stepIndex: dict.step_index,
      timestamp: readTimestamp(dict.timestamp),
    });
  }
}

/** The same checkpoint, with some fields of its metadata set, and under another id if one is given. */
export function withMetadata(checkpoint: Checkpoint, more: Fields, id?: string): Checkpoint {
  const metadata = { ...checkpoint.metadata, ...more };
  return new Checkpoint({ ...checkpoint, metadata, id: id ?? checkpoint.id });
}

/** A checkpoint as an attempt at its step, for everything that both kinds of execution have in common. */
export function attemptOf(checkpoint: Checkpoint): RecordedAttempt {
  const { stepIndex, stepName, attempt, status, error, timestamp, isRolledBack } = checkpoint;
  const { file_checkpoint: point } = checkpoint.metadata;
  return {
    index: stepIndex,
    name: stepName,
    key: null,
    attempt,
    status: isRolledBack ? 'rolled-back' : status,
    error,
    effects: [],
    checkpointId: typeof point === 'string' ? point : null,
    startedAt: null,
    endedAt: timestamp.getTime(),
  };
}

/** The id of a step's latest attempt. */
export function checkpointId(executionId: string, stepIndex: number): string {
  return `ckpt-${executionId}-${stepIndex}`;
}

/**
 * The id under which an attempt is kept when there is more than one. It does not end in `-` and digits, as
 * that of a latest attempt does, and so is never the id of a step of another execution.
 */
export function attemptId({ executionId, stepIndex }: Checkpoint, attempt: number): string {
  return `${checkpointId(executionId, stepIndex)}.attempt${attempt}`;
}

/** Whether `id` belongs to an attempt at the step whose latest attempt has `latestId`. */
export function isAttemptAt(latestId: string, id: string): boolean {
  const prefix = `${latestId}.attempt`;
  return id.startsWith(prefix) && /^\d+$/.test(id.slice(prefix.length));
}

/**
 * Whether a document with this id may be a checkpoint of the execution, and is worth reading. Only the
 * document itself says for sure: `ckpt-exec-1-2-3` is of `exec-1-2` and begins like one of `exec-1`.
 */
export function mayBeOf(executionId: string, id: string): boolean {
  return !id.startsWith('ckpt-') || id.startsWith(`ckpt-${executionId}-`);
}

/** A checkpoint to be made. Some fields of its metadata are ours to set: `OUR_METADATA`. */
export interface NewCheckpoint extends Omit<CheckpointFields, 'id' | 'timestamp'> {
  /**
   * The session under which the program records what the execution does to files. Going back takes back
   * what this session did, and leaves what others did. The execution's own id when left out.
   */
  readonly sessionId?: string | undefined;
}

/**
 * A first attempt at a step, with its own copy of the values: the caller may go on changing theirs. Throws
 * `value-unsupported` for a value that could not be given back exactly.
 */
export function newCheckpoint(request: NewCheckpoint, timestamp: Date): Checkpoint {
  check(NEW, 'checkpoint', request);
  const { executionId, stepIndex, sessionId, metadata = {} } = request;
  const ours = OUR_METADATA.find((key) => Object.hasOwn(metadata, key));
  if (ours !== undefined) {
    const message = `checkpoint.metadata.${ours} must be left to Savepoint`;
    throw new SavepointError('argument-invalid', message);
  }
  return new Checkpoint({
    ...request,
    id: checkpointId(executionId, stepIndex),
    timestamp,
    state: copied('state', request.state),
    context: copied('context', request.context),
    variables: copied('variables', request.variables),
    metadata: {
      ...copied('metadata', metadata),
      ...(sessionId === undefined ? {} : { session_id: sessionId }),
    },
  });
}

const OUR_METADATA: readonly string[] = ['attempt', 'file_checkpoint', 'rolled_back', 'session_id'];

function copied(name: string, fields: Fields): Fields {
  return jsonToValue(valueToJson(fields, name)) as Fields;
}

const NAME = where(TEXT, 'a text that is not empty', (value) => value !== '');

const FIELDS: Kind<Fields> = where(recordOf(unchecked()), 'a plain object', (value) => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
});

const COMMON = {
  state: FIELDS,
  context: FIELDS,
  variables: FIELDS,
  status: optional(oneOf('success', 'failed', 'pending')),
  error: optional(nullable(TEXT)),
  metadata: optional(FIELDS),
};

const NEW: Kind<NewCheckpoint> = object({
  executionId: NAME,
  stepName: TEXT,
  stepIndex: COUNT,
  sessionId: optional(ID),
  ...COMMON,
});

const DICT: Kind<CheckpointDict> = object({
  id: NAME,
  execution_id: NAME,
  step_name: TEXT,
  step_index: COUNT,
  timestamp: where(TEXT, 'a time in ISO 8601', (text) => {
    return !Number.isNaN(readTimestamp(text).getTime());
  }),
  ...COMMON,
});

/** Throws `checkpoint-invalid` with the first field that is wrong. */
export function checkDict(data: unknown): CheckpointDict {
  const found = DICT.mismatch(data);
  if (found === null) return data as CheckpointDict;
  const path = found.place.slice(1);
  throw new SavepointError('checkpoint-invalid', `${path || 'a checkpoint'} ${found.problem}`, {
    path: path || undefined,
  });
}

const DAY = /^(\d{4})-(\d\d)-(\d\d)[T ]/;
const TIME = /^\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$/;

/** An invalid Date for a text that is not a time. Python writes microseconds; a Date keeps milliseconds. */
function readTimestamp(text: string): Date {
  const [day, year, month, date] = DAY.exec(text) ?? [];
  const time = text.slice(day?.length ?? 0);
  if (day === undefined || !TIME.test(time)) return new Date(Number.NaN);
  // JavaScript takes the 30th of February for the 1st of March.
  const real = new Date(Date.UTC(Number(year), Number(month) - 1, Number(date)));
  if (real.getUTCDate() !== Number(date)) return new Date(Number.NaN);
  return new Date(`${year}-${month}-${date}T${time}`);
}
