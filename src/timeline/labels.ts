import { clipText } from '../model/check.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { CheckpointId } from '../model/ids.ts';
import type { Draft } from '../store/draft.ts';
import type { Store } from '../store/store.ts';
import { resolveCheckpoint, SHORTEST_ID } from './resolve.ts';

/**
 * Returns the label as it is stored. Throws `argument-invalid` for a label that nobody could type, that could
 * be mistaken for another name, or that another checkpoint than `owner` has.
 */
export async function checkLabel(
  store: Store,
  text: string,
  owner: CheckpointId | null = null,
): Promise<string> {
  const label = spelledOut(text);
  await refuseIfTaken(store, label, owner);
  if (label === 'latest' || /~\d*$/.test(label)) {
    throw refused('a label must not be "latest" or end like "~1": these count checkpoints');
  }
  const [same] =
    label.length < SHORTEST_ID ? [] : await store.timeline.checkpoints({ prefix: label, limit: 1 });
  if (same === undefined) return label;
  throw refused(`a label must not be the beginning of an id, and there is ${same.id}`);
}

const LONGEST = 200;
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

function spelledOut(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw refused('a label must not be empty');
  if (CONTROL.test(trimmed))
    throw refused('a label must not hold line breaks or control characters');
  // Counts characters as people do, also outside of the basic plane.
  const { length } = [...trimmed];
  if (length > LONGEST)
    throw refused(`a label must not be longer than ${LONGEST} characters, and this has ${length}`);
  return clipText(trimmed);
}

/** A label must name one checkpoint only. */
async function refuseIfTaken(
  store: Store,
  label: string,
  owner: CheckpointId | null,
): Promise<void> {
  const labelled = await store.timeline.checkpoints({ labelled: true });
  const other = labelled.find((one) => one.label === label && one.id !== owner);
  if (other === undefined) return;
  throw refused(
    `another checkpoint has the label "${label}": ${other.id}`,
    `choose another label, or take it away there: savepoint label ${other.id} --remove`,
  );
}

function refused(message: string, hint = 'choose another label'): SavepointError {
  return new SavepointError('argument-invalid', message, { hint });
}

/** Gives a checkpoint a label that no other one has, or removes its label with null. */
export async function labelCheckpoint(
  draft: Draft,
  store: Store,
  ref: string,
  text: string | null,
): Promise<Checkpoint> {
  const checkpoint = await resolveCheckpoint(store, ref);
  const label = text === null ? null : await checkLabel(store, text, checkpoint.id);
  if (label === checkpoint.label) return checkpoint;
  const labelled = { ...checkpoint, label };
  draft.checkpoints.push(labelled);
  return labelled;
}
