import { aText, checkShape, nullable, optional, type Shape, wrong } from '../model/shape.ts';
import { jsonToValue, valueToJson } from '../model/value/index.ts';
import { Checkpoint } from './checkpoint.ts';
import {
  aName,
  anIndex,
  aStatus,
  type CheckpointStatus,
  type Fields,
  someFields,
} from './checkpoint-dict.ts';
import { checkpointId } from './checkpoint-ids.ts';

export interface NewCheckpoint {
  readonly executionId: string;
  readonly stepName: string;
  readonly stepIndex: number;
  readonly state: Fields;
  readonly context: Fields;
  readonly variables: Fields;
  readonly status?: CheckpointStatus | undefined;
  readonly error?: string | null | undefined;
  /** Whatever else is to be known. `attempt`, `file_checkpoint` and `rolled_back` are ours. */
  readonly metadata?: Fields | undefined;
}

const SHAPE: Shape<NewCheckpoint> = {
  executionId: aName,
  stepName: aText,
  stepIndex: anIndex,
  state: someFields,
  context: someFields,
  variables: someFields,
  status: optional(aStatus),
  error: optional(nullable(aText)),
  metadata: optional(someFields),
};

const OURS: readonly string[] = ['attempt', 'file_checkpoint', 'rolled_back'];

/**
 * A first attempt at a step, with values of its own: what the caller goes on to do with theirs changes
 * nothing in it. Throws `value-unsupported` for what could not be given back exactly.
 */
export function newCheckpoint(request: NewCheckpoint, timestamp: Date): Checkpoint {
  checkShape('checkpoint', request, SHAPE);
  const { executionId, stepName, stepIndex, status, error, metadata = {} } = request;
  const ours = OURS.find((key) => Object.hasOwn(metadata, key));
  if (ours !== undefined) throw wrong(`checkpoint.metadata.${ours}`, 'left to Savepoint');
  return new Checkpoint({
    id: checkpointId(executionId, stepIndex),
    executionId,
    stepName,
    stepIndex,
    timestamp,
    state: copied('state', request.state),
    context: copied('context', request.context),
    variables: copied('variables', request.variables),
    status,
    error,
    metadata: copied('metadata', metadata),
  });
}

/** The same checkpoint, with some fields of its metadata set. */
export function withMetadata(checkpoint: Checkpoint, more: Fields, id?: string): Checkpoint {
  const metadata = { ...checkpoint.metadata, ...more };
  return Checkpoint.fromDict({ ...checkpoint.toDict(), metadata, id: id ?? checkpoint.id });
}

function copied(name: string, fields: Fields): Fields {
  return jsonToValue(valueToJson(fields, name)) as Fields;
}
