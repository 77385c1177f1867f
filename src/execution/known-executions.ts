import type { StepAttempt } from '../model/execution.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { ExecutionCheckpoints } from './execution-checkpoints.ts';
import type { ExecutionReader, ListedExecution } from './execution-reader.ts';
import type { Holder } from './lease.ts';

/** `steps`: durable steps of `Savepoint.execution`. `checkpoints`: those of `ExecutionCheckpoints`. */
export type ExecutionKind = 'steps' | 'checkpoints';

/** An execution of either kind, as far as both can tell. */
export interface KnownExecution {
  readonly id: string;
  readonly kind: ExecutionKind;
  /** Of checkpoints: how the last step ended. */
  readonly status: 'running' | 'open' | 'finished' | 'cancelled' | Checkpoint['status'];
  /** How many steps succeeded and were not rolled back. */
  readonly done: number;
  /** The last step that was begun; null where none was. */
  readonly last: KnownStep | null;
  readonly updatedAt: number;
  /** The process that goes on with it at this moment; nobody knows of one that keeps checkpoints. */
  readonly holder: Holder | null;
}

export interface KnownStep {
  readonly index: number;
  readonly name: string;
  readonly status: StepAttempt['status'] | Checkpoint['status'];
}

/** Executions of both kinds, most recently updated first. */
export async function knownExecutions(
  reader: ExecutionReader,
  checkpoints: ExecutionCheckpoints,
): Promise<KnownExecution[]> {
  const steps = (await reader.list()).map(ofSteps);
  const kept = [...(await checkpoints.listExecutions()).values()].map(ofCheckpoints);
  return [...steps, ...kept].sort((one, other) => other.updatedAt - one.updatedAt);
}

export function ofSteps(execution: ListedExecution): KnownExecution {
  const { id, status, done, last, updatedAt, holder } = execution;
  return {
    id,
    kind: 'steps',
    status: holder === null ? status : 'running',
    done,
    last: last && { index: last.index, name: last.name, status: standing(last, holder) },
    updatedAt,
    holder,
  };
}

/** What is on record as running has been killed where nobody has the execution any more. */
export function standing(
  { status }: Pick<StepAttempt, 'status'>,
  holder: Holder | null,
): StepAttempt['status'] {
  return status === 'running' && holder === null ? 'killed' : status;
}

/** `checkpoints`: those of one execution that count, by step; at least one. */
export function ofCheckpoints(checkpoints: readonly Checkpoint[]): KnownExecution {
  const last = checkpoints.at(-1);
  if (last === undefined) throw new Error('an execution has a checkpoint');
  return {
    id: last.executionId,
    kind: 'checkpoints',
    status: last.status,
    done: checkpoints.filter(({ status }) => status === 'success').length,
    last: { index: last.stepIndex, name: last.stepName, status: last.status },
    updatedAt: Math.max(...checkpoints.map(({ timestamp }) => timestamp.getTime())),
    holder: null,
  };
}
