import { SavepointError } from '../model/errors.ts';
import type { StepEffect } from '../model/execution.ts';
import type { OnConflict, RewindPlan } from '../model/plan.ts';
import type { RecordedAttempt } from './step-log.ts';

export interface RollbackRequest {
  /** The last step to keep; -1 for none. */
  readonly to: number;
  /** Also takes back changes that may be somebody else's. */
  readonly includeShared?: boolean | undefined;
  /** Files that somebody else changed too: `fail` (the default) does nothing, others settle them. */
  readonly onConflict?: OnConflict | undefined;
}

/** What a rollback would do. A value: nothing happens yet. Both kinds of execution have the same one. */
export interface RollbackPlan {
  readonly executionId: string;
  readonly to: number;
  /** The steps that are taken back. */
  readonly steps: readonly Pick<RecordedAttempt, 'index' | 'name' | 'attempt'>[];
  /** Effects that those steps declared. Nobody can undo them. */
  readonly effects: readonly (StepEffect & Pick<RecordedAttempt, 'index' | 'name'>)[];
  /** An empty plan where no file is concerned. */
  readonly files: RewindPlan;
}

export interface RollbackOptions {
  /** Go ahead although the effects that the plan lists stay done. */
  readonly acceptEffects?: boolean | undefined;
}

/** The plan that takes back `steps`, which are all that count after step `to`. */
export function rollbackPlan(
  executionId: string,
  to: number,
  steps: readonly RecordedAttempt[],
  files: RewindPlan,
): RollbackPlan {
  return {
    executionId,
    to,
    steps: steps.map(({ index, name, attempt }) => ({ index, name, attempt })),
    effects: steps.flatMap(({ index, name, effects }) =>
      effects.map((effect) => ({ ...effect, index, name })),
    ),
    files,
  };
}

/** The plan for files of a rollback that is about steps alone. `seq`: the newest change on record. */
export function noFiles(description: string, seq: number): RewindPlan {
  return {
    kind: 'rewind',
    checkpointId: null,
    reverts: null,
    seq,
    families: [],
    onConflict: 'fail',
    description,
    lines: [],
    notes: [],
  };
}

/** Throws `execution-effects` where the plan has effects that the caller does not accept. */
export function refuseEffects(
  { effects }: RollbackPlan,
  { acceptEffects = false }: RollbackOptions,
): void {
  const { length: count } = effects;
  if (count === 0 || acceptEffects) return;
  const message = `${count} ${count === 1 ? 'effect' : 'effects'} would stay done`;
  throw new SavepointError('execution-effects', message, {
    hint: 'pass acceptEffects to go ahead all the same',
    details: effects,
  });
}

/** Throws `plan-stale` where `steps`, which count by now, are not those that the plan takes back. */
export function refuseStale(plan: RollbackPlan, steps: readonly RecordedAttempt[]): void {
  const isSame =
    steps.length === plan.steps.length &&
    steps.every(({ index, attempt }, at) => {
      const planned = plan.steps[at];
      return index === planned?.index && attempt === planned.attempt;
    });
  if (isSame) return;
  throw new SavepointError('plan-stale', 'the execution has gone on since the plan was made');
}
