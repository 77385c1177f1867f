import { SavepointError } from '../model/errors.ts';
import type { Execution, StepAttempt, StepEffect } from '../model/execution.ts';
import type { Receipt } from '../model/operation.ts';
import type { OnConflict, RewindPlan } from '../model/plan.ts';
import { makePlan } from '../plan/make-plan.ts';
import { newOperationId } from '../timeline/new-id.ts';
import type { ExecutionSite } from './execution-site.ts';
import { acquire, fenceOf, notFound, release } from './lease.ts';
import { readLog } from './step-log.ts';

export interface RollbackRequest {
  /** The last step to keep; -1 for none. */
  readonly to: number;
  /** Also what may be another's doing. */
  readonly includeShared?: boolean | undefined;
  /** Files that somebody else changed too: `fail` (the default) does nothing, others settle them. */
  readonly onConflict?: OnConflict | undefined;
}

/** What a rollback would do. A value: nothing happens yet. */
export interface RollbackPlan {
  readonly executionId: string;
  readonly to: number;
  /** Those that are taken back, by their index, name and attempt. */
  readonly steps: readonly Pick<StepAttempt, 'index' | 'name' | 'attempt'>[];
  /** What those steps have declared, and nobody can undo. */
  readonly effects: readonly (StepEffect & Pick<StepAttempt, 'index' | 'name'>)[];
  readonly files: RewindPlan;
}

export interface RollbackOptions {
  /** Go ahead although what the plan lists as effects stays done. */
  readonly acceptEffects?: boolean | undefined;
}

const LEASE_MS = 30_000;

export async function planRollback(
  site: ExecutionSite,
  id: string,
  { to, includeShared = false, onConflict = 'fail' }: RollbackRequest,
): Promise<RollbackPlan> {
  const execution = await site.store.execution(id);
  if (execution === null) throw notFound(id);
  const log = await readLog(site.store, id);
  if (to !== -1) log.at(to);
  const steps = log.live.slice(to + 1);
  const effects = steps.flatMap((step) =>
    step.effects.map((effect) => ({ ...effect, index: step.index, name: step.name })),
  );
  return {
    executionId: id,
    to,
    steps: steps.map(({ index, name, attempt }) => ({ index, name, attempt })),
    effects,
    files: await planFiles(site, execution, steps, { to, includeShared, onConflict }),
  };
}

/** Rolls files and state back as one operation, which an undo takes back. */
export async function applyRollback(
  site: ExecutionSite,
  plan: RollbackPlan,
  { acceptEffects = false }: RollbackOptions = {},
): Promise<Receipt> {
  if (plan.effects.length > 0 && !acceptEffects) {
    throw new SavepointError(
      'execution-effects',
      `${plan.effects.length} ${plan.effects.length === 1 ? 'effect' : 'effects'} would stay done`,
      {
        hint: 'pass acceptEffects to go ahead all the same',
        details: plan.effects,
      },
    );
  }
  const execution = await acquire(site, plan.executionId, { leaseMs: LEASE_MS, create: false });
  try {
    const operationId = newOperationId();
    const log = await readLog(site.store, plan.executionId);
    const steps = log.live.slice(plan.to + 1);
    if (!isSame(steps, plan)) throw new SavepointError('plan-stale', 'the execution has gone on');
    // They count as rolled back from the moment on at which the operation is on record, not before.
    await site.write(async (draft) => {
      draft.fence = fenceOf(execution);
      for (const step of steps) draft.steps.push({ ...step, rolledBackBy: operationId });
    });
    return await site.apply(plan.files, fenceOf(execution), operationId);
  } finally {
    await release(site, execution, 'open').catch(() => undefined);
  }
}

function isSame(steps: readonly StepAttempt[], plan: RollbackPlan): boolean {
  return (
    steps.length === plan.steps.length &&
    steps.every(({ attempt }, at) => attempt === plan.steps[at]?.attempt)
  );
}

interface Extent {
  readonly to: number;
  readonly includeShared: boolean;
  readonly onConflict: OnConflict;
}

async function planFiles(
  site: ExecutionSite,
  execution: Execution,
  steps: readonly StepAttempt[],
  { to, includeShared, onConflict }: Extent,
): Promise<RewindPlan> {
  const description = `roll ${execution.id} back to ${to === -1 ? 'its beginning' : `step ${to}`}`;
  // Steps that a fork has taken over changed nothing here.
  const first = steps.find((step) => step.checkpointId !== null);
  if (first?.checkpointId == null) return stateOnly(site, description);
  const checkpoint = await site.store.checkpoint(first.checkpointId);
  if (checkpoint === null) {
    const message = `the checkpoint of step ${first.index} is gone`;
    throw new SavepointError('checkpoint-not-found', message);
  }
  const { plan } = await makePlan(site.rewindFiles, {
    set: { take: 'since', checkpoint },
    kind: 'rewind',
    description,
    paths: null,
    includeShared,
    onConflict,
    force: false,
  });
  return plan;
}

async function stateOnly(site: ExecutionSite, description: string): Promise<RewindPlan> {
  return {
    kind: 'rewind',
    checkpointId: null,
    reverts: null,
    seq: await site.store.seq(),
    families: [],
    onConflict: 'fail',
    description,
    lines: [],
    notes: [],
  };
}
