import { isSavepointError, SavepointError } from '../model/errors.ts';
import type { Execution, StepAttempt } from '../model/execution.ts';
import type { Receipt } from '../model/operation.ts';
import { selectedPath } from '../model/path.ts';
import type { PlanLine, RewindPlan } from '../model/plan.ts';
import { makePlan, type PlanRequest } from '../plan/make-plan.ts';
import { currentSeq, findCheckpoint } from '../store/find.ts';
import { newOperationId } from '../timeline/new-id.ts';
import { readLog } from './execution-reader.ts';
import type { DraftWork, ExecutionSite } from './execution-site.ts';
import { HeldExecution, requireExecution } from './lease.ts';
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
import { BEGINNING, stepName } from './step-log.ts';
import { draftEnd } from './step-recording.ts';

/** The changes that a plan takes back, and how. */
type Extent = Omit<PlanRequest, 'set' | 'kind' | 'now'>;

/** The plan that takes back everything since a step began; null for a step that a fork has taken over. */
async function planSince(
  site: ExecutionSite,
  { checkpointId, index }: StepAttempt,
  extent: Extent,
): Promise<RewindPlan | null> {
  // The step changed files under the session of the execution that was forked, not of the fork.
  if (checkpointId === null) return null;
  const checkpoint = await findCheckpoint(site.store, checkpointId);
  if (checkpoint === null) {
    throw new SavepointError('checkpoint-not-found', `the checkpoint of step ${index} is gone`, {
      hint: "look at the files, then open the execution with changedFiles: 'accept'",
      details: { checkpointId },
    });
  }
  const set = { take: 'since', checkpoint } as const;
  const { plan } = await makePlan(site.rewindFiles, {
    ...extent,
    set,
    kind: 'rewind',
    now: site.now(),
  });
  return plan;
}

export interface AttemptEnd {
  /** The attempt with the status in which it ended. */
  readonly ended: (now: number) => StepAttempt;
  /** Commits what the work drafts, with what a scan finds where one is needed. */
  readonly record: (work: DraftWork<StepAttempt>) => Promise<StepAttempt>;
  /** Files that cannot be taken back stop nobody. */
  readonly acceptsChangedFiles: boolean;
  /** Also takes back changes of files of which nobody saw who made them. */
  readonly includeShared?: boolean | undefined;
}

/**
 * Puts on record how an attempt ended that did not succeed, and makes the files that it changed what they
 * were before it. What others did to the same files stays, by merge. Throws `execution-files-changed` where
 * a file could not be taken back. If the process dies meanwhile, `openExecution` does it once more.
 */
export async function rollBackAttempt(
  site: ExecutionSite,
  held: HeldExecution,
  { ended, record, acceptsChangedFiles, includeShared = false }: AttemptEnd,
): Promise<StepAttempt> {
  const step = await record(async (draft, now, coverage) => {
    const made = ended(now);
    await draftEnd(site, draft, held.execution, { now, coverage });
    draft.steps.push(made);
    return made;
  });
  const left = await restoreFiles(site, held, step, includeShared).catch((error: unknown) => {
    // The checkpoint was pruned. A caller who accepts the files as they are may still go on.
    if (acceptsChangedFiles && isSavepointError(error, 'checkpoint-not-found')) return [];
    throw error;
  });
  if (left.length > 0 && !acceptsChangedFiles) {
    const message = `files that ${described(held.execution, step)} changed could not be taken back`;
    throw new SavepointError('execution-files-changed', message, {
      path: left[0]?.path,
      hint: "look at the files, then open the execution with changedFiles: 'accept'",
      details: left.map(({ path, reason }) => ({ path, reason })),
    });
  }
  const restored = { ...step, restored: true };
  await held.write(async (draft) => void draft.steps.push(restored));
  return restored;
}

/** Returns the lines of the files that stay, because they could not be taken back. */
async function restoreFiles(
  site: ExecutionSite,
  held: HeldExecution,
  step: StepAttempt,
  includeShared: boolean,
): Promise<PlanLine[]> {
  const { writes } = step;
  const changes = await site.store.timeline.changes({ sessionIds: [held.execution.sessionId] });
  const ofStep = changes.filter(({ checkpointId }) => checkpointId === step.checkpointId);
  removeFresh(site.files.root, step, new Set(ofStep.map(({ path }) => path)));
  const own = await restoreNow(site, held, step, { paths: null, includeShared });
  if (writes === null || writes.length === 0) return own;
  // Where nobody saw who wrote a file, it was the step below these paths, and somebody else elsewhere.
  const paths = writes.map((path) => selectedPath(site.files.root, path));
  return [...own, ...(await restoreNow(site, held, step, { paths, includeShared: true }))];
}

/** How often files are planned anew because somebody wrote one since the plan was made. */
const TRIES = 5;

async function restoreNow(
  site: ExecutionSite,
  held: HeldExecution,
  step: StepAttempt,
  which: Pick<Extent, 'paths' | 'includeShared'>,
): Promise<PlanLine[]> {
  const description = `roll back ${described(held.execution, step)}`;
  // The attempt is over: changes of its session that seem to be open are its own.
  const extent = { ...which, description, onConflict: null, force: true };
  for (let tries = 1; ; tries += 1) {
    const plan = await planSince(site, step, extent);
    if (plan === null) return [];
    try {
      await site.apply(plan, held.fence);
      return plan.lines.filter((line) => isLeft(line, step));
    } catch (error) {
      if (!isSavepointError(error, 'plan-stale') || tries === TRIES) throw error;
    }
  }
}

function described({ id }: Execution, step: StepAttempt): string {
  return `step ${step.index} (${stepName(step)}) of ${id}`;
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

/** What a rollback of steps that succeeded would do to files and state, and what it cannot undo. */
export async function planRollback(
  site: ExecutionSite,
  id: string,
  { to, includeShared = false, onConflict = 'fail' }: RollbackRequest,
): Promise<RollbackPlan> {
  await requireExecution(site.store, id);
  const log = await readLog(site.store, id);
  if (to !== BEGINNING) log.at(to);
  const steps = log.live.slice(to + 1);
  const description = `roll ${id} back to ${to === BEGINNING ? 'its beginning' : `step ${to}`}`;
  const extent = { description, paths: null, includeShared, onConflict, force: false };
  const first = steps.find(({ checkpointId }) => checkpointId !== null);
  const files = first === undefined ? null : await planSince(site, first, extent);
  return rollbackPlan(id, to, steps, files ?? noFiles(description, await currentSeq(site.store)));
}

/** Rolls files and state back as one operation, which an undo takes back. */
export async function applyRollback(
  site: ExecutionSite,
  plan: RollbackPlan,
  options: RollbackOptions = {},
): Promise<Receipt> {
  refuseEffects(plan, options);
  const held = await HeldExecution.acquire(site, plan.executionId, { create: false });
  try {
    const { live } = await readLog(site.store, plan.executionId);
    const steps = live.slice(plan.to + 1);
    refuseStale(plan, steps);
    const operationId = newOperationId();
    // They count as rolled back from the moment on at which the operation is on record, not before.
    await held.write(async (draft) => {
      for (const step of steps) draft.steps.push({ ...step, rolledBackBy: operationId });
    });
    return await site.apply(plan.files, held.fence, operationId);
  } finally {
    await held.giveBack('open').catch(() => undefined);
  }
}
