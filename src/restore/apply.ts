import type { CaptureSite } from '../capture/capture.ts';
import { isSavepointError, SavepointError } from '../model/errors.ts';
import type { Receipt } from '../model/operation.ts';
import { type PlanNote, type RewindPlan, takesEffect } from '../model/plan.ts';
import type { Batch } from '../store/store.ts';
import { checkPlan } from './check-plan.ts';
import { type ApplyContext, type Prepared, prepare } from './prepare.ts';
import { receiptOf } from './receipt.ts';
import { changedMeanwhile, dropAllCompanions, stageAll, swapAll, swapBack } from './run-journal.ts';

/**
 * Executes exactly this plan, or throws `plan-stale` with everything as it was. The caller holds the
 * project lock and has recovered any earlier journal.
 */
export async function applyPlan(context: ApplyContext, plan: RewindPlan): Promise<Receipt> {
  await checkPlan(context.site, plan);
  refuseConflicts(plan);
  const lines = plan.lines.filter(takesEffect);
  if (lines.length === 0) return receiptOf(plan);
  await checkTimeline(context, plan);
  const prepared = await prepare(context, plan, lines);
  const idle = prepared.journal.steps.length === 0;
  const notes = await (idle ? recordOnly(context, prepared) : restore(context, prepared));
  const { operationId, safetyCheckpointId } = prepared.journal;
  return receiptOf(plan, { operationId, safetyCheckpointId }, notes);
}

function refuseConflicts(plan: RewindPlan): void {
  const conflicts = plan.lines.filter((line) => line.action === 'conflict');
  if (plan.onConflict !== 'fail' || conflicts.length === 0) return;
  throw new SavepointError('conflicts', `${conflicts.length} paths are in conflict`, {
    hint: 'nothing was changed; choose keep or restore for conflicts, or leave them',
    details: conflicts.map(({ path, reason }) => ({ path, reason })),
  });
}

/** Changes that came since and touch the plan's paths or its sessions make it stale. */
async function checkTimeline({ site }: ApplyContext, plan: RewindPlan): Promise<void> {
  const paths = new Set(plan.lines.map((line) => line.path));
  for (const change of await site.store.changes({ after: plan.seq })) {
    const ours = plan.families?.includes(change.sessionId ?? '') ?? true;
    if (ours || paths.has(change.path)) throw changedMeanwhile(change.path);
  }
}

/** Nothing to write: what was to be taken back is gone already, and that goes on record, at once. */
async function recordOnly({ site }: ApplyContext, { safety, journal }: Prepared): Promise<[]> {
  const changes = [...safety.changes, ...journal.changes];
  await site.store.commit({ ...safety.batch(), ...recordOf(journal), changes, base: safety.base });
  return [];
}

/** Safety checkpoint and intent, staging, swap, record: at each moment either side can be reached. */
async function restore({ site }: ApplyContext, { safety, journal }: Prepared): Promise<PlanNote[]> {
  const { store } = site;
  await store.commit({ ...safety.batch(), journal });
  try {
    await stageAll(site, journal.steps);
    await swapAll(site, journal.steps);
  } catch (error) {
    throw await takeBack(error, { site }, journal);
  }
  try {
    await store.commit({ ...recordOf(journal), journal: { ...journal, phase: 'done' } });
  } catch (failure) {
    // Not taken back: a commit that failed may still be found on record after a crash.
    throw unfinished(failure);
  }
  return tidyUp(site, journal);
}

/**
 * The restore is on record and holds. That its companions are gone need not be durable yet: the journal
 * stays, as done, until the next write or the end of the process makes sure of it.
 */
function tidyUp(site: CaptureSite, journal: Prepared['journal']): PlanNote[] {
  try {
    return dropAllCompanions(site, journal);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `the next savepoint command removes files of ours that are left: ${reason}`;
    return [{ code: 'left-to-tidy', message }];
  }
}

/** The rows that say what was done. */
export function recordOf(journal: Prepared['journal']): Batch {
  return {
    base: journal.base,
    operations: journal.operations,
    changes: journal.changes,
    cancellations: journal.cancellations,
  };
}

async function takeBack(
  error: unknown,
  { site }: Pick<ApplyContext, 'site'>,
  journal: Prepared['journal'],
): Promise<SavepointError> {
  try {
    swapBack(site, journal.steps);
    const removedCheckpoints = [journal.safetyCheckpointId];
    await site.store.commit({ base: journal.base, removedCheckpoints, journal: null });
  } catch (failure) {
    return unfinished(new AggregateError([error, failure]));
  }
  if (isSavepointError(error)) return error;
  const full = (error as NodeJS.ErrnoException).code === 'ENOSPC';
  return new SavepointError(full ? 'store-full' : 'restore-failed', describe(error), {
    hint: 'nothing was changed',
    cause: error,
  });
}

function unfinished(cause: unknown): SavepointError {
  return new SavepointError('restore-unfinished', 'a restore stopped half way', {
    hint: 'your files are safe; the next savepoint command finishes it',
    cause,
  });
}

function describe(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `a file could not be restored: ${reason}`;
}
