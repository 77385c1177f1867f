import { SavepointError } from '../model/errors.ts';
import type { Receipt } from '../model/operation.ts';
import type { OnConflict, RewindPlan } from '../model/plan.ts';
import type { Checkpoint } from './checkpoint.ts';
import { checkpointId } from './checkpoint-ids.ts';
import type { ExecutionCheckpoints } from './execution-checkpoints.ts';
import type { ExecutionFiles } from './execution-files.ts';
import { withMetadata } from './new-checkpoint.ts';
import { saveAttempt } from './save-attempt.ts';

/** What a rollback did. */
export interface Rollback {
  /** Null where no files go with the execution. */
  readonly receipt: Receipt | null;
  /** Ids of the later steps, which count no more. They are kept, and the next attempt follows them. */
  readonly rolledBack: readonly string[];
}

export interface RollbackSite {
  readonly checkpoints: ExecutionCheckpoints;
  readonly files: ExecutionFiles | undefined;
  readonly now: () => number;
}

export interface CheckpointRollbackOptions {
  readonly onConflict?: OnConflict | undefined;
  /** What was planned for the files: exactly that is carried out, or nothing. */
  readonly plan?: RewindPlan | null | undefined;
}

/** What a rollback would do. A value: nothing happens yet. */
export interface CheckpointRollbackPlan {
  readonly to: Checkpoint;
  /** The later steps, which will count no more. */
  readonly steps: readonly Checkpoint[];
  /** Null where no files go with the execution. */
  readonly files: RewindPlan | null;
}

export async function planRollBack(
  site: RollbackSite,
  to: Checkpoint,
  onConflict: OnConflict = 'fail',
): Promise<CheckpointRollbackPlan> {
  refuseRolledBack(to);
  const files = await planFiles(site.files, to, onConflict);
  return { to, steps: await laterSteps(site, to), files };
}

/**
 * Takes files and state back to where they were at a checkpoint. Files come first, all of them or none: when
 * that fails, or the process dies, the state is as it was and it can be done again.
 */
export async function rollBack(
  site: RollbackSite,
  to: Checkpoint,
  { onConflict = 'fail', plan }: CheckpointRollbackOptions = {},
): Promise<Rollback> {
  refuseRolledBack(to);
  const chosen = plan === undefined ? await planFiles(site.files, to, onConflict) : plan;
  const receipt = await applyFiles(site.files, chosen);
  const rolledBack = await setLaterStepsAside(site, to, receipt);
  await makeLatest(site, to);
  return { receipt, rolledBack };
}

/** An earlier attempt at a step becomes its next one: what came in between stays on record. */
async function makeLatest({ checkpoints }: RollbackSite, to: Checkpoint): Promise<void> {
  const id = checkpointId(to.executionId, to.stepIndex);
  if (to.id !== id) await saveAttempt(checkpoints.persistence, withMetadata(to, {}, id));
}

async function planFiles(
  files: ExecutionFiles | undefined,
  { id, metadata }: Checkpoint,
  onConflict: OnConflict,
): Promise<RewindPlan | null> {
  const { file_checkpoint: point } = metadata;
  if (files === undefined && point === undefined) return null;
  if (files === undefined) throw unable(`${id} has files, and no timeline of files was given`);
  if (typeof point !== 'string') throw unable(`${id} was made without its files`);
  await files.scanAgain?.();
  return files.planRewind({ to: point, onConflict });
}

async function applyFiles(
  files: ExecutionFiles | undefined,
  plan: RewindPlan | null,
): Promise<Receipt | null> {
  if (files === undefined || plan === null) return null;
  const receipt = await files.apply(plan);
  if (receipt.success) return receipt;
  throw new SavepointError('restore-failed', 'not all files could be taken back', {
    details: receipt,
  });
}

async function laterSteps({ checkpoints }: RollbackSite, to: Checkpoint): Promise<Checkpoint[]> {
  const all = await checkpoints.listCheckpoints(to.executionId);
  return all.filter(({ stepIndex }) => stepIndex > to.stepIndex);
}

async function setLaterStepsAside(
  site: RollbackSite,
  to: Checkpoint,
  receipt: Receipt | null,
): Promise<string[]> {
  const { checkpoints, now } = site;
  const later = await laterSteps(site, to);
  const rolled_back = {
    at: new Date(now()).toISOString(),
    to: to.id,
    operation: receipt?.operationId ?? null,
  };
  // From the end: whoever looks after a crash finds an execution without a step missing in between.
  for (const checkpoint of later.toReversed()) {
    const marked = withMetadata(checkpoint, { rolled_back });
    await checkpoints.persistence.saveCheckpoint(marked.toDict());
  }
  return later.map(({ id }) => id);
}

function unable(message: string): SavepointError {
  return new SavepointError('argument-invalid', `files cannot be taken back: ${message}`);
}

function refuseRolledBack({ id, isRolledBack }: Checkpoint): void {
  if (!isRolledBack) return;
  const message = `${id} was itself rolled back: a rollback goes to a step that still counts`;
  throw new SavepointError('argument-invalid', message);
}
