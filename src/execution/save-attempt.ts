import { isSavepointError } from '../model/errors.ts';
import { Checkpoint } from './checkpoint.ts';
import { attemptId } from './checkpoint-ids.ts';
import { withMetadata } from './new-checkpoint.ts';
import type { PersistenceManager } from './persistence-manager.ts';

/**
 * Keeps a checkpoint as the latest attempt at its step, and every earlier one. Attempts have numbers; a
 * number belongs to whoever saves it first, so that of two that come at once none is lost.
 */
export async function saveAttempt(
  persistence: PersistenceManager,
  checkpoint: Checkpoint,
): Promise<Checkpoint> {
  if (await isNew(persistence, checkpoint)) return checkpoint;
  const latest = await readOrNull(persistence, checkpoint.id);
  // Until now it had no number of its own, because it was the only one.
  if (latest?.attempt === 1) await isNew(persistence, numbered(latest, 1));
  let attempt = (latest?.attempt ?? 1) + 1;
  while (!(await isNew(persistence, numbered(checkpoint, attempt)))) attempt += 1;
  const saved = withMetadata(checkpoint, { attempt });
  await persistence.saveCheckpoint(saved.toDict());
  await keepNewest(persistence, saved);
  return saved;
}

/** Who saved a later attempt in the meantime may have been overwritten by ours as the latest. */
async function keepNewest(persistence: PersistenceManager, saved: Checkpoint): Promise<void> {
  const { id, executionId, stepIndex } = saved;
  for (let attempt = saved.attempt + 1; ; attempt += 1) {
    const later = await readOrNull(persistence, attemptId(executionId, stepIndex, attempt));
    if (later === null) return;
    await persistence.saveCheckpoint(withMetadata(later, {}, id).toDict());
  }
}

/** An attempt as it is kept beside the latest one. */
function numbered(checkpoint: Checkpoint, attempt: number): Checkpoint {
  const id = attemptId(checkpoint.executionId, checkpoint.stepIndex, attempt);
  return withMetadata(checkpoint, attempt === 1 ? {} : { attempt }, id);
}

/** Saves it, unless its id is taken. */
async function isNew(persistence: PersistenceManager, checkpoint: Checkpoint): Promise<boolean> {
  try {
    await persistence.saveCheckpoint(checkpoint.toDict(), { onlyNew: true });
    return true;
  } catch (error) {
    if (isSavepointError(error, 'document-exists')) return false;
    throw error;
  }
}

/** Null for a damaged one too: it has nothing that could be kept. */
async function readOrNull(persistence: PersistenceManager, id: string): Promise<Checkpoint | null> {
  try {
    const data = await persistence.loadCheckpoint(id);
    return data === null ? null : Checkpoint.fromDict(data);
  } catch (error) {
    if (isDamage(error)) return null;
    throw error;
  }
}

export function isDamage(error: unknown): boolean {
  return (
    isSavepointError(error, 'document-corrupt') || isSavepointError(error, 'checkpoint-invalid')
  );
}
