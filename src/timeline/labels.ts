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
  const same = await idLike(store, label);
  if (same === null) return label;
  throw refused(`a label must not be the beginning of an id, and there is ${same}`);
}

const LONGEST = 200;
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

function spelledOut(text: string): string {
  const trimmed = text.trim();
  const problem = formProblem(trimmed);
  if (problem !== null) throw refused(problem);
  return clipText(trimmed);
}

/** Whether it is a label in the form in which labels are stored. */
export function isLabel(text: string): boolean {
  return text === clipText(text.trim()) && formProblem(text) === null;
}

function formProblem(label: string): string | null {
  if (label === '') return 'a label must not be empty';
  if (CONTROL.test(label)) return 'a label must not hold line breaks or control characters';
  // Counts characters as people do, also outside of the basic plane.
  const { length } = [...label];
  if (length > LONGEST)
    return `a label must not be longer than ${LONGEST} characters, and this has ${length}`;
  if (label === 'latest' || /~\d*$/.test(label))
    return 'a label must not be "latest" or end like "~1": these count checkpoints';
  return null;
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

/** Those labels of checkpoints from elsewhere that mean another checkpoint here, by its label or its id. */
export async function clashingLabels(
  store: Store,
  incoming: readonly Checkpoint[],
): Promise<Set<string>> {
  const labels = new Set(incoming.flatMap(({ label }) => label ?? []));
  if (labels.size === 0) return labels;
  const taken = new Set(
    (await store.timeline.checkpoints({ labelled: true })).map(({ label }) => label),
  );
  for (const { id } of incoming) {
    for (let length = SHORTEST_ID; length <= id.length; length += 1) {
      const start = id.slice(0, length);
      if (labels.has(start)) taken.add(start);
    }
  }
  for (const label of labels) {
    if (!taken.has(label) && !(await idLike(store, label))) labels.delete(label);
  }
  return labels;
}

/** The first id that begins with the label. */
async function idLike(store: Store, label: string): Promise<CheckpointId | null> {
  if (label.length < SHORTEST_ID) return null;
  return (await store.timeline.checkpoints({ prefix: label, limit: 1 }))[0]?.id ?? null;
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
