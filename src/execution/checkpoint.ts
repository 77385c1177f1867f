import {
  type CheckpointDict,
  type CheckpointStatus,
  checkDict,
  type Fields,
  readTimestamp,
} from './checkpoint-dict.ts';

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

  /** Which attempt at its step this is, from 1 on. */
  get attempt(): number {
    const { attempt } = this.metadata;
    return typeof attempt === 'number' ? attempt : 1;
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

  /** Throws `checkpoint-invalid` for what no `toDict` gives; the message and `path` name the field. */
  static fromDict(data: unknown): Checkpoint {
    const dict = checkDict(data);
    return new Checkpoint({
      id: dict.id,
      executionId: dict.execution_id,
      stepName: dict.step_name,
      stepIndex: dict.step_index,
      timestamp: readTimestamp(dict.timestamp),
      state: dict.state,
      context: dict.context,
      variables: dict.variables,
      status: dict.status,
      error: dict.error,
      metadata: dict.metadata,
    });
  }
}
