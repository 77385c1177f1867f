import { type Checkpoint, type KnownExecution, ofSteps, standing } from '../../execution/index.ts';
import {
  type CheckpointId,
  isSavepointError,
  type Savepoint,
  type StepAttempt,
  type StepEffect,
  type TrackedPath,
} from '../../index.ts';
import { type ChangeKind, changeKind } from '../inspection-text.ts';
import type { Executions } from './which.ts';

/** One execution of either kind, with all that is on record of its steps. */
export interface ShownExecution {
  readonly known: KnownExecution;
  /** Null where nobody noted it. */
  readonly createdAt: number | null;
  /** The session under which its files are on record; null where it has none of its own. */
  readonly sessionId: string | null;
  readonly parent: { readonly id: string; readonly step: number } | null;
  readonly steps: readonly ShownStep[];
}

export interface ShownStep {
  readonly index: number;
  readonly name: string;
  readonly status: string;
  readonly attempts: readonly ShownAttempt[];
}

export interface ShownAttempt {
  readonly attempt: number;
  readonly status: string;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly error: string | null;
  readonly effects: readonly StepEffect[];
  /** On the timeline of files; null where there is none. */
  readonly checkpointId: string | null;
  /** Null where nobody told apart who changed what. */
  readonly files: readonly ShownFile[] | null;
}

export interface ShownFile {
  readonly path: TrackedPath;
  readonly change: ChangeKind;
  readonly insertions: number;
  readonly deletions: number;
  readonly takenBack: boolean;
}

export function inspectExecution(
  executions: Executions,
  known: KnownExecution,
): Promise<ShownExecution> {
  return known.kind === 'steps'
    ? withSteps(executions, known.id)
    : withCheckpoints(executions, known);
}

async function withSteps({ reader, savepoint }: Executions, id: string): Promise<ShownExecution> {
  const { execution, steps } = await reader.show(id);
  const { createdAt, sessionId, parentId, parentStep, holder } = execution;
  const shown: ShownStep[] = [];
  for (const { index, name, status, attempts } of steps) {
    const made: ShownAttempt[] = [];
    for (const attempt of attempts) {
      const its = { status: standing(attempt, holder), files: await filesOf(savepoint, attempt) };
      made.push({ ...attemptOf(attempt), ...its });
    }
    shown.push({ index, name, status: standing({ status }, holder), attempts: made });
  }
  return {
    known: ofSteps(execution),
    createdAt,
    sessionId,
    parent: parentId === null ? null : { id: parentId, step: parentStep ?? 0 },
    steps: shown,
  };
}

function attemptOf(step: StepAttempt): Omit<ShownAttempt, 'files' | 'status'> {
  const { attempt, startedAt, endedAt, error, effects, checkpointId } = step;
  return { attempt, startedAt, endedAt, error, effects, checkpointId };
}

/** What the attempt did to files, one line for each. */
async function filesOf(savepoint: Savepoint, { checkpointId }: StepAttempt): Promise<ShownFile[]> {
  if (checkpointId === null) return [];
  const changes = await changesUnder(savepoint, checkpointId);
  return changes.map((change) => {
    const { path, insertions, deletions, takenBack } = change;
    return { path, change: changeKind(change), insertions, deletions, takenBack };
  });
}

async function changesUnder(savepoint: Savepoint, id: CheckpointId) {
  try {
    return (await savepoint.inspect(id)).changes;
  } catch (error) {
    // Pruned: the step is on record, what it did to files is not any more.
    if (isSavepointError(error, 'checkpoint-not-found')) return [];
    throw error;
  }
}

async function withCheckpoints(
  { checkpoints }: Executions,
  known: KnownExecution,
): Promise<ShownExecution> {
  const steps = [...(await checkpoints.listSteps(known.id))].flatMap(([index, attempts]) => {
    const latest = attempts.at(-1);
    if (latest === undefined) return [];
    const made = attempts.map(ofCheckpoint);
    return [{ index, name: latest.stepName, status: statusOf(latest), attempts: made }];
  });
  return { known, createdAt: null, sessionId: null, parent: null, steps };
}

function ofCheckpoint(checkpoint: Checkpoint): ShownAttempt {
  const { attempt, timestamp, error, metadata } = checkpoint;
  const { file_checkpoint: point } = metadata;
  return {
    attempt,
    status: statusOf(checkpoint),
    startedAt: null,
    endedAt: timestamp.getTime(),
    error,
    effects: [],
    checkpointId: typeof point === 'string' ? point : null,
    files: null,
  };
}

function statusOf({ isRolledBack, status }: Checkpoint): string {
  return isRolledBack ? 'rolled-back' : status;
}
