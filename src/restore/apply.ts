import { isSavepointError, SavepointError } from '../model/errors.ts';
import type { OperationId } from '../model/ids.ts';
import type { Journal } from '../model/journal.ts';
import type { Receipt } from '../model/operation.ts';
import type { TrackedPath } from '../model/path.ts';
import { isWork, type PlanNote, type RewindPlan, takesEffect } from '../model/plan.ts';
import { refuseBusy } from '../plan/make-plan.ts';
import { receiptOf } from '../plan/receipt.ts';
import { currentSeq, findOperation } from '../store/find.ts';
import type { Batch, Store } from '../store/store.ts';
import { type Alongside, runAlongside } from './alongside.ts';
import { checkLines, checkPlan } from './check-plan.ts';
import { dropAllCompanions, unfinished } from './companions.ts';
import { type ApplyContext, type Prepared, prepare } from './prepare.ts';
import { stageAll } from './staging.ts';
import { hasNoRoom, reasonOf } from './step-place.ts';
import {
  changedMeanwhile,
  loosenAll,
  recordTakenBack,
  swapAll,
  swapBack,
  takenBack,
  withoutGuards,
} from './steps.ts';

/**
 * Executes exactly this plan, or throws. Files are then as they were, except with `restore-unfinished` and
 * for paths that `details` names, which somebody else changed meanwhile. The caller holds the project lock
 * and has recovered any earlier journal. A plan that is not fresh may come from any caller, and may be old.
 */
export async function applyPlan(
  context: ApplyContext,
  plan: RewindPlan,
  other: Alongside | null = null,
): Promise<Receipt> {
  if (context.fresh === null) await checkPlan(context.site, plan);
  else checkLines(context.site, plan);
  refuseConflicts(plan);
  const lines = plan.lines.filter(takesEffect);
  if (lines.length === 0 && !(await mustBeRecorded(context, plan))) return receiptOf(plan);
  await checkTimeline(context, plan);
  const touched = other === null ? null : [...other.paths, ...lines.map((line) => line.path)];
  const idle = !plan.lines.some(isWork);
  const prepared = await prepare(context, plan, lines, idle ? null : touched);
  const notes = await (idle ? recordOnly(context, prepared) : restore(context, prepared, other));
  const { operationId, safetyCheckpointId } = prepared.journal;
  return receiptOf(plan, { operationId, safetyCheckpointId }, notes);
}

/** A plan without lines may still take back the steps of an execution. */
async function mustBeRecorded(
  { operationId, site }: ApplyContext,
  plan: RewindPlan,
): Promise<boolean> {
  if (operationId !== undefined) return true;
  return plan.reverts !== null && plan.lines.length === 0 && rollsSteps(site.store, plan.reverts);
}

/** Whether an operation, or the one that it takes back in the end, has rolled back steps. */
async function rollsSteps(store: Store, id: OperationId): Promise<boolean> {
  const reverts = (await findOperation(store, id))?.reverts ?? null;
  if (reverts !== null) return rollsSteps(store, reverts);
  for (const execution of await store.timeline.executions()) {
    const steps = await store.timeline.steps(execution.id);
    if (steps.some(({ rolledBackBy }) => rolledBackBy === id)) return true;
  }
  return false;
}

function refuseConflicts(plan: RewindPlan): void {
  const conflicts = plan.lines.filter((line) => line.action === 'conflict');
  if (plan.onConflict !== 'fail' || conflicts.length === 0) return;
  throw new SavepointError('conflicts', `${conflicts.length} paths are in conflict`, {
    hint: 'nothing was changed; choose keep or restore for conflicts, or leave them',
    details: conflicts.map(({ path, reason }) => ({ path, reason })),
  });
}

/**
 * Changes that came since and touch the plan's paths or its sessions make it stale. A tool or command that began
 * since is in the way, as it is when a plan is made.
 */
async function checkTimeline({ site, now, fresh }: ApplyContext, plan: RewindPlan): Promise<void> {
  const paths = new Set(plan.lines.map((line) => line.path));
  // A plan that was made from damaged rows would restore what never was.
  await site.store.maintain('verify', [...paths], plan.checkpointId);
  if (fresh !== null) return;
  for (const change of await site.store.timeline.changes({ after: plan.seq })) {
    const ours = plan.families?.includes(change.sessionId ?? '') ?? true;
    if (ours || paths.has(change.path)) throw changedMeanwhile(change.path);
  }
  if (plan.forced !== true) await refuseBusy(site.store, { families: plan.families, paths, now });
}

/** Every file is as it should be already: only the operation goes on record. */
async function recordOnly({ site }: ApplyContext, { safety, journal }: Prepared): Promise<[]> {
  const changes = [...safety.changes, ...journal.changes];
  await site.store.timeline.commit({
    ...safety.batch(),
    ...recordOf(journal),
    changes,
    base: safety.base,
  });
  return [];
}

/** After a crash at any moment the journal leads to the old files or to the new ones. */
async function restore(
  context: ApplyContext,
  prepared: Prepared,
  other: Alongside | null,
): Promise<PlanNote[]> {
  const { site } = context;
  try {
    await site.store.timeline.commit({ ...prepared.safety.batch(), journal: prepared.journal });
  } catch (failure) {
    throw await withdraw(failure, context, prepared.journal);
  }
  const { journal, notes } = await afterOther(context, prepared.journal, other);
  try {
    // Only now that the intent is on record: recovery closes every folder again that is opened here.
    loosenAll(site, journal.steps);
    await stageAll(site, journal.steps, context.fresh?.contents);
    await swapAll(site, journal.steps, prepared.seen);
  } catch (error) {
    throw await takeBack(error, context, journal);
  }
  try {
    await site.store.timeline.commit({
      ...recordOf(journal),
      journal: { ...journal, phase: 'done' },
    });
  } catch (failure) {
    // Not taken back: a commit that failed may still be found on record after a crash.
    throw unfinished(site.root, journal, failure);
  }
  // The restore is on record and holds. That its companions are gone need not be durable yet: the
  // journal stays, as done, until the next write or the end of the process makes sure of it.
  return [...notes, ...dropAllCompanions(site, journal).notes];
}

interface Begun {
  readonly journal: Journal;
  readonly notes: readonly PlanNote[];
}

/** Lets the other program do its part first, and then goes on as if it had done nothing. */
async function afterOther(
  { site }: ApplyContext,
  journal: Journal,
  other: Alongside | null,
): Promise<Begun> {
  if (other === null) return { journal, notes: [] };
  if (journal.phase !== 'alongside') return { journal, notes: [NOT_ALONGSIDE] };
  try {
    const { notes, foreign } = await runAlongside(site, journal, () => other.run());
    const [path] = foreign;
    const rest = withoutGuards(journal, foreign);
    if (path !== undefined) {
      await recordTakenBack(site, rest, foreign);
      throw refusal(changedMeanwhile(path), journal, foreign);
    }
    const next: Journal = { ...rest, phase: 'intent' };
    await site.store.timeline.commit({ base: await currentSeq(site.store), journal: next });
    return { journal: next, notes };
  } catch (error) {
    throw isSavepointError(error, 'plan-stale') ? error : unfinished(site.root, journal, error);
  }
}

const NOT_ALONGSIDE: PlanNote = {
  code: 'alongside-skipped',
  message: "the agent's own rewind was left out: it would touch what could not be brought back",
};

/**
 * The intent could not be committed. If only the sync failed, the intent may be on disk after all, and the next start
 * would carry it out. So a journal that is taken back is committed over it.
 */
async function withdraw(
  failure: unknown,
  { site }: ApplyContext,
  journal: Journal,
): Promise<unknown> {
  if (!isSavepointError(failure, 'store-failed')) return failure;
  try {
    await site.store.timeline.commit({
      base: await currentSeq(site.store),
      journal: takenBack(journal),
    });
    return failure;
  } catch (second) {
    return unfinished(site.root, journal, new AggregateError([failure, second]));
  }
}

/** The rows that record the operation. */
export function recordOf({ base, operations, changes, cancellations }: Journal): Batch {
  return { base, operations, changes, cancellations };
}

async function takeBack(
  error: unknown,
  { site, tell }: ApplyContext,
  journal: Journal,
): Promise<SavepointError> {
  // Whoever closed the store gave the lock away, and the files with it.
  if (isSavepointError(error, 'store-closed')) return unfinished(site.root, journal, error);
  try {
    const left = await swapBack(site, journal.steps);
    const done = await recordTakenBack(site, journal, left);
    const reason = refusal(error, journal, left);
    const others = left.filter((path) => path !== reason.path);
    tell?.([...leftAsIs(others), ...dropAllCompanions(site, done).notes]);
    return reason;
  } catch (failure) {
    return unfinished(site.root, journal, new AggregateError([error, failure]));
  }
}

/** The note about paths that somebody else wrote to, or may have written to, while the restore ran. */
function leftAsIs(paths: readonly TrackedPath[]): PlanNote[] {
  if (paths.length === 0) return [];
  const message =
    'what was done was taken back, except where files changed meanwhile or nothing shows who wrote them';
  return [{ code: 'written-meanwhile', message, paths }];
}

/** The error of a restore that was taken back. `left`: the paths that were left as somebody made them. */
function refusal(
  error: unknown,
  { safetyCheckpointId }: Journal,
  left: readonly TrackedPath[],
): SavepointError {
  const isOurs = isSavepointError(error);
  if (isOurs && left.length === 0) return error;
  const code = isOurs ? error.code : hasNoRoom(error) ? 'store-full' : 'restore-failed';
  const message = isOurs ? error.message : `a file could not be restored: ${reasonOf(error)}`;
  if (left.length === 0) {
    return new SavepointError(code, message, { hint: 'nothing was changed', cause: error });
  }
  const hint = `what was done was taken back, except for the paths named here; checkpoint ${safetyCheckpointId} holds what was there`;
  const path = isOurs ? error.path : undefined;
  const details = left.map((one) => ({ path: one }));
  return new SavepointError(code, message, { path, hint, details, cause: error });
}
