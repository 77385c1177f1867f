import type { Cancellation } from '../model/change.ts';
import { MAX_TEXT } from '../model/check.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { CheckpointId, OperationId } from '../model/ids.ts';
import type { Operation } from '../model/operation.ts';
import type { Session } from '../model/session.ts';
import { RANDOM_ID } from '../timeline/new-id.ts';
import type { EndedChange } from './history.ts';
import { readPath } from './read-path.ts';
import { readState } from './read-state.ts';
import { invalid } from './refusals.ts';
import {
  boolean,
  id,
  integer,
  matching,
  nullable,
  objectOf,
  oneOf,
  type Reader,
  textOf,
} from './strict.ts';

export type Row =
  | { readonly kind: 'session'; readonly value: Session }
  | { readonly kind: 'checkpoint'; readonly value: Checkpoint }
  | { readonly kind: 'change'; readonly value: EndedChange }
  | { readonly kind: 'operation'; readonly value: Operation }
  | { readonly kind: 'cancellation'; readonly value: Cancellation };

/** One line: `[kind, row]`. */
export function readRow(name: string, line: string): Row {
  const parsed = parse(name, line);
  if (!Array.isArray(parsed) || parsed.length !== 2) throw invalid(`${name} is no row`);
  const [kind, value] = parsed;
  switch (kind) {
    case 'session':
      return { kind, value: session(name, value) };
    case 'checkpoint':
      return { kind, value: checkpoint(name, value) };
    case 'change':
      return { kind, value: change(name, value) };
    case 'operation':
      return { kind, value: operation(name, value) };
    case 'cancellation':
      return { kind, value: cancellation(name, value) };
    default:
      throw invalid(`${name} is a row of an unknown kind`);
  }
}

export function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw invalid(`${name} is no JSON`, { cause: error });
  }
}

// The end of the year 9999: beyond it a date has no ordinary text.
const time = integer(0, 253_402_300_799_999);
const place = integer(1, Number.MAX_SAFE_INTEGER);
const prose = textOf(MAX_TEXT);
const checkpointId: Reader<CheckpointId> = matching(RANDOM_ID, 'id of a checkpoint');
const operationId: Reader<OperationId> = matching(RANDOM_ID, 'id of an operation');

const session: Reader<Session> = objectOf({
  id,
  rootId: id,
  agent: id,
  createdAt: time,
  lastActiveAt: time,
  archivedAt: nullable(time),
});

const checkpoint: Reader<Checkpoint> = objectOf({
  seq: place,
  id: checkpointId,
  sessionId: nullable(id),
  messageId: nullable(id),
  kind: oneOf('message', 'step', 'manual', 'safety'),
  description: prose,
  label: nullable(prose),
  createdAt: time,
  gitHead: nullable(matching<string>(/^[0-9a-f]{40,64}$/, 'commit')),
  coverage: oneOf('named', 'scanned', 'deadline', 'too-many-entries', 'too-large', 'failed'),
});

const change: Reader<EndedChange> = objectOf({
  seq: place,
  path: readPath,
  before: readState,
  after: readState,
  origin: oneOf('tool', 'shell', 'operation', 'outside'),
  attribution: oneOf('exact', 'inferred', 'shared'),
  sessionId: nullable(id),
  checkpointId: nullable(checkpointId),
  operationId: nullable(operationId),
  toolCallId: nullable(id),
  // A process of another machine: it tells nobody here anything.
  owner: (name: string, value: unknown): null => {
    if (value !== null) throw invalid(`${name} is not null`);
    return null;
  },
  createdAt: time,
});

const operation: Reader<Operation> = objectOf({
  seq: place,
  id: operationId,
  kind: oneOf('rewind', 'undo', 'redo'),
  checkpointId: nullable(checkpointId),
  reverts: nullable(operationId),
  inEffect: boolean,
  safetyCheckpointId: checkpointId,
  description: prose,
  createdAt: time,
});

const cancellation: Reader<Cancellation> = objectOf({ by: place, change: place });
