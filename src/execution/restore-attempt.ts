import { isSavepointError, SavepointError } from '../model/errors.ts';
import type { Execution, StepAttempt } from '../model/execution.ts';
import { selectedPath, type TrackedPath } from '../model/path.ts';
import type { PlanLine, RewindPlan } from '../model/plan.ts';
import { makePlan } from '../plan/make-plan.ts';
import type { ExecutionSite } from './execution-site.ts';
import { fenceOf } from './lease.ts';
import { removeFresh } from './recorded-files.ts';
import { described } from './step-log.ts';

/** Somebody may write while we plan; not for ever. */
const TRIES = 5;

/**
 * Makes the files that an attempt changed what they were before it. What others did to the same files
 * stays, by merge; where that is impossible the file stays as it is, and the answer names it.
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
  const own = await applyFresh(site, execution, step, { paths: null, includeShared: false });
  if (writes === null || writes.length === 0) return own;
  // Where nobody saw who wrote, it was the step in these places, and somebody else everywhere else.
  const paths = writes.map((path) => selectedPath(site.files.root, path));
  return [...own, ...(await applyFresh(site, execution, step, { paths, includeShared: true }))];
}

interface Extent {
  readonly paths: readonly TrackedPath[] | null;
  readonly includeShared: boolean;
}

async function applyFresh(
  site: ExecutionSite,
  execution: Execution,
  step: StepAttempt,
  extent: Extent,
): Promise<PlanLine[]> {
  for (let tries = 1; ; tries += 1) {
    const plan = await planAttempt(site, execution, step, extent);
    if (plan === null) return [];
    try {
      await site.apply(plan, fenceOf(execution));
      return plan.lines.filter((line) => isLeft(line, step));
    } catch (error) {
      if (!isSavepointError(error, 'plan-stale') || tries === TRIES) throw error;
    }
  }
}

async function planAttempt(
  site: ExecutionSite,
  execution: Execution,
  step: StepAttempt,
  extent: Extent,
): Promise<RewindPlan | null> {
  // A step that a fork has taken over changed nothing here.
  if (step.checkpointId === null) return null;
  const checkpoint = await site.store.checkpoint(step.checkpointId);
  if (checkpoint === null) {
    throw new SavepointError('checkpoint-not-found', 'the checkpoint of the step is gone', {
      hint: "look at the files, then open the execution with changedFiles: 'accept'",
      details: { checkpointId: step.checkpointId },
    });
  }
  const { plan } = await makePlan(site.rewindFiles, {
    set: { take: 'since', checkpoint },
    kind: 'rewind',
    description: `roll back ${described(execution, step)}`,
    ...extent,
    onConflict: null,
    // Whatever of this session seems to be running is ours, and over.
    force: true,
  });
  return plan;
}

/** What is not as it was, although the step changed it, or may have. */
function isLeft({ action, reason: why }: PlanLine, { writes }: StepAttempt): boolean {
  const reason: string = why ?? '';
  if (action === 'conflict') return true;
  if (action !== 'skip') return false;
  // Where the step says what it writes, the rest is somebody else's.
  if (reason === 'shared-attribution') return writes === null;
  return reason.startsWith('before-unknown') || reason.startsWith('blob-');
}

/** For what is left, unless the caller takes it as it is. */
export function filesChanged(message: string, lines: readonly PlanLine[]): SavepointError {
  return new SavepointError('execution-files-changed', message, {
    path: lines[0]?.path,
    hint: "look at the files, then open the execution with changedFiles: 'accept'",
    details: lines.map(({ path, reason }) => ({ path, reason })),
  });
}
