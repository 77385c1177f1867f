import { SavepointError } from '../model/errors.ts';
import type { Receipt } from '../model/operation.ts';
import type { OnConflict } from '../model/plan.ts';
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

/**
 * Takes files and state back to where they were at a checkpoint. Files come first, all of them or none: when
 * that fails, or the process dies, the state is as it was and it can be done again.
 */
export async function rollBack(
  site: RollbackSite,
  to: Checkpoint,
  onConflict: OnConflict = 'fail',
): Promise<Rollback> {
  if (to.isRolledBack) throw new SavepointError('argument-invalid', rolledBackAlready(to));
  const receipt = await rewindFiles(site.files, to, onConflict);
  const rolledBack = await setLaterStepsAside(site, to, receipt);
  await makeLatest(site, to);
  return { receipt, rolledBack };
}

/** An earlier attempt at a step becomes its next one: what came in between stays on record. */
async function makeLatest({ checkpoints }: RollbackSite, to: Checkpoint): Promise<void> {
  const id = checkpointId(to.executionId, to.stepIndex);
  if (to.id !== id) await saveAttempt(checkpoints.persistence, withMetadata(to, {}, id));
}

async function rewindFiles(
  files: ExecutionFiles | undefined,
  { id, metadata }: Checkpoint,
  onConflict: OnConflict,
): Promise<Receipt | null> {
  const { file_checkpoint: point } = metadata;
  if (files === undefined && point === undefined) return null;
  if (files === undefined) throw unable(`${id} has files, and no timeline of files was given`);
  if (typeof point !== 'string') throw unable(`${id} was made without its files`);
  await files.scanAgain?.();
  const receipt = await files.apply(await files.planRewind({ to: point, onConflict }));
  if (receipt.success) return receipt;
  throw new SavepointError('restore-failed', 'not all files could be taken back', {
    details: receipt,
  });
}

async function setLaterStepsAside(
  { checkpoints, now }: RollbackSite,
  to: Checkpoint,
  receipt: Receipt | null,
): Promise<string[]> {
  const all = await checkpoints.listCheckpoints(to.executionId);
  const later = all.filter(({ stepIndex }) => stepIndex > to.stepIndex);
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

function rolledBackAlready({ id }: Checkpoint): string {
  return `${id} was itself rolled back: a rollback goes to a step that still counts`;
}
