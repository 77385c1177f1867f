import { clipText } from '../model/check.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { Draft } from '../store/draft.ts';
import type { Store } from '../store/store.ts';
import { resolveCheckpoint } from './resolve-checkpoint.ts';
import { SHORTEST_ID } from './unique-lengths.ts';

/** A label as it is kept. Throws `argument-invalid` for one that could be taken for something else. */
export async function checkLabel(store: Store, text: string): Promise<string> {
  const label = clipText(text).trim();
  if (label === '') throw refused('a label must not be empty');
  if (label === 'latest' || /~\d*$/.test(label)) {
    throw refused('a label must not be "latest" or end like "~1": these count checkpoints');
  }
  const [same] = label.length < SHORTEST_ID ? [] : await store.checkpointsByPrefix(label, 1);
  if (same === undefined) return label;
  throw refused(`a label must not be the beginning of an id, and there is ${same.id}`);
}

function refused(message: string): SavepointError {
  return new SavepointError('argument-invalid', message, { hint: 'choose another label' });
}

/** Gives a checkpoint a label, or takes it away with null. Others may have the same. */
export async function labelCheckpoint(
  draft: Draft,
  store: Store,
  ref: string,
  text: string | null,
): Promise<Checkpoint> {
  const checkpoint = await resolveCheckpoint(store, ref);
  const label = text === null ? null : await checkLabel(store, text);
  if (label === checkpoint.label) return checkpoint;
  const labelled = { ...checkpoint, label };
  draft.checkpoints.push(labelled);
  return labelled;
}
