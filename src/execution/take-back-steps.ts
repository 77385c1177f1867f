import { isSavepointError, SavepointError } from '../model/errors.ts';
import type { Execution, StepAttempt } from '../model/execution.ts';
import type { Receipt } from '../model/operation.ts';
import { selectedPath, type TrackedPath } from '../model/path.ts';
import type { OnConflict, PlanLine, RewindPlan } from '../model/plan.ts';
import { makePlan } from '../plan/make-plan.ts';
import { newOperationId } from '../timeline/new-id.ts';
import { readLog } from './execution-reader.ts';
import type { ExecutionSite } from './execution-site.ts';
import { acquire, fenceOf, LEASE_MS, notFound, release } from './lease.ts';
import { removeFresh } from './recorded-files.ts';
import {
  noFiles,
  type RollbackOptions,
  type RollbackPlan,
  type RollbackRequest,
  refuseEffects,
  refuseStale,
  rollbackPlan,
} from './rollback.ts';
import { BEGINNING } from './step-log.ts';

/** The changes that a plan takes back, and how. */
interface Extent {
  readonly description: string;
  readonly paths: readonly TrackedPath[] | null;
  readonly includeShared: boolean;
  readonly onConflict: OnConflict | null;
  /** Also while changes of the session are open. */
  readonly force: boolean;
}

/** The plan that takes back everything since a step began; null for a step that a fork has taken over. */
async function planSince(
  site: ExecutionSite,
  { checkpointId, index }: StepAttempt,
  extent: Extent,
): Promise<RewindPlan | null> {
  // A step that a fork has taken over changed no files under the fork's session.
  if (checkpointId === null) return null;
  const checkpoint = await site.store.checkpoint(checkpointId);
  if (checkpoint === null) {
    throw new SavepointError('checkpoint-not-found', `the checkpoint of step ${index} is gone`, {
      hint: "look at the files, then open the execution with changedFiles: 'accept'",
      details: { checkpointId },
    });
  }
  const set = { take: 'since', checkpoint } as const;
  const { plan } = await makePlan(site.rewindFiles, { ...extent, set, kind: 'rewind' });
  return plan;
}

/** How often an attempt is planned anew because somebody wrote a file since the plan was made. */
const TRIES = 5;

/**
 * Makes the files that an attempt changed what they were before it. What others did to the same files
 * stays, by merge. Returns the lines of the files that could not be taken back and stay as they are.
 */
export async function restoreAttempt(
  site: ExecutionSite,
  execution: Execution,
  step: StepAttempt,
): Promise<PlanLine[]> {
  const { writes } = step;
  const changes = await site.store.changes({ sessionIds: [execution.sessionId] });
  const ofStep = changes.filter(({ checkpointId }) => checkpointId === step.checkpointId);
  removeFresh(site.files.root, step, new Set(ofStep.map(({ path }) => path)));
  const own = await restoreNow(site, execution, step, { paths: null, includeShared: false });
  if (writes === null || writes.length === 0) return own;
  // Where nobody saw who wrote a file, it was the step below these paths, and somebody else elsewhere.
  const paths = writes.map((path) => selectedPath(site.files.root, path));
  return [...own, ...(await restoreNow(site, execution, step, { paths, includeShared: true }))];
}

async function restoreNow(
  site: ExecutionSite,
  execution: Execution,
  step: StepAttempt,
  which: Pick<Extent, 'paths' | 'includeShared'>,
): Promise<PlanLine[]> {
  const description = `roll back step ${step.index} (${step.name}) of ${execution.id}`;
  // The attempt is over: changes of its session that seem to be open are its own.
  const extent = { ...which, description, onConflict: null, force: true };
  for (let tries = 1; ; tries += 1) {
    const plan = await planSince(site, step, extent);
    if (plan === null) return [];
    try {
      await site.apply(plan, fenceOf(execution));
      return plan.lines.filter((line) => isLeft(line, step));
    } catch (error) {
      if (!isSavepointError(error, 'plan-stale') || tries === TRIES) throw error;
    }
  }
}

/** Whether a line says that a file stays although the step changed it, or may have. */
function isLeft({ action, reason: why }: PlanLine, { writes }: StepAttempt): boolean {
  const reason: string = why ?? '';
  if (action === 'conflict') return true;
  if (action !== 'skip') return false;
  // Where the step says what it writes, all other files are somebody else's.
  if (reason === 'shared-attribution') return writes === null;
  return reason.startsWith('before-unknown') || reason.startsWith('blob-');
}

/** The error for files that could not be taken back, unless the caller accepts them as they are. */
export function filesChanged(message: string, lines: readonly PlanLine[]): SavepointError {
  return new SavepointError('execution-files-changed', message, {
    path: lines[0]?.path,
    hint: "look at the files, then open the execution with changedFiles: 'accept'",
    details: lines.map(({ path, reason }) => ({ path, reason })),
  });
}

/** What a rollback of durable steps would do to files and state, and what it cannot undo. */
export async function planRollback(
  site: ExecutionSite,
  id: string,
  { to, includeShared = false, onConflict = 'fail' }: RollbackRequest,
): Promise<RollbackPlan> {
  if ((await site.store.execution(id)) === null) throw notFound(id);
  const log = await readLog(site.store, id);
  if (to !== BEGINNING) log.at(to);
  const steps = log.live.slice(to + 1);
  const description = `roll ${id} back to ${to === BEGINNING ? 'its beginning' : `step ${to}`}`;
  const extent = { description, paths: null, includeShared, onConflict, force: false };
  const first = steps.find(({ checkpointId }) => checkpointId !== null);
  const files = first === undefined ? null : await planSince(site, first, extent);
  return rollbackPlan(id, to, steps, files ?? noFiles(description, await site.store.seq()));
}

/** Rolls files and state back as one operation, which an undo takes back. */
export async function applyRollback(
  site: ExecutionSite,
  plan: RollbackPlan,
  options: RollbackOptions = {},
): Promise<Receipt> {
  refuseEffects(plan, options);
  const execution = await acquire(site, plan.executionId, { leaseMs: LEASE_MS, create: false });
  try {
    const { live } = await readLog(site.store, plan.executionId);
    const steps = live.slice(plan.to + 1);
    refuseStale(plan, steps);
    const operationId = newOperationId();
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
