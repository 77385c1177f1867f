import type { Checkpoint, CheckpointKind } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { CheckpointId } from '../model/ids.ts';
import type { Store } from '../store/store.ts';

/** How many candidates an error lists. */
const CANDIDATES = 10;

/**
 * Finds a checkpoint by its id, its label, the beginning of its id, or as `latest`. Each of these followed
 * by `~N` means the Nth before it; `~N` alone counts from the latest.
 */
export async function resolveCheckpoint(store: Store, ref: string): Promise<Checkpoint> {
  const [, name = ref, back] = /^(.*?)~(\d{1,6})$/s.exec(ref) ?? [];
  const steps = Number(back ?? 0);
  if (name === 'latest' || (name === '' && back !== undefined)) return nth(store, steps, ref);
  const start = await named(store, name);
  return steps === 0 ? start : nth(store, steps - 1, ref, start);
}

/** The newest but `skipped`, of all or of those before one of them. */
async function nth(
  store: Store,
  skipped: number,
  ref: string,
  start?: Checkpoint,
): Promise<Checkpoint> {
  // What was made before a rewind is not what a person counts back to; it has an id of its own.
  const kinds: CheckpointKind[] = ['message', 'step', 'manual'];
  const older = start === undefined ? {} : { before: start.seq };
  const found = (await store.checkpoints({ ...older, kinds, limit: skipped + 1 }))[skipped];
  if (found === undefined) throw notFound(ref);
  return found;
}

/** Whole ids first, so that no label can stand before one; then labels, which were chosen, not drawn. */
async function named(store: Store, name: string): Promise<Checkpoint> {
  const exact = await store.checkpoint(name as CheckpointId);
  if (exact !== null) return exact;
  const labelled = (await store.checkpoints({ labelled: true })).filter(
    ({ label }) => label === name,
  );
  if (labelled.length > 0) return onlyOne(labelled, name, 'name one of them by its id');
  const fitting = name === '' ? [] : await store.checkpointsByPrefix(name, CANDIDATES);
  return onlyOne(fitting, name, 'type more characters of the id');
}

function onlyOne(candidates: readonly Checkpoint[], ref: string, hint: string): Checkpoint {
  const [first] = candidates;
  if (first === undefined) throw notFound(ref);
  if (candidates.length === 1) return first;
  throw new SavepointError('checkpoint-ambiguous', `"${shown(ref)}" fits several checkpoints`, {
    hint,
    details: candidates
      .slice(0, CANDIDATES)
      .map(({ id, description, label, createdAt }) => ({ id, description, label, createdAt })),
  });
}

function notFound(ref: string): SavepointError {
  return new SavepointError('checkpoint-not-found', `no checkpoint "${shown(ref)}"`, {
    hint: 'list the checkpoints with: savepoint list',
  });
}

/** A caller's text in a message: as much of it as a person reads. */
function shown(ref: string): string {
  return ref.slice(0, 100);
}
