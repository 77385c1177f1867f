import type { Change } from '../model/change.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { Operation } from '../model/operation.ts';
import type { Session } from '../model/session.ts';
import type { Store } from '../store/store.ts';
import type { History } from './history.ts';

/**
 * Whether a history is here already, all of it and the same. Ids are kept, so one that is here and means
 * something else is refused: nobody could tell the two apart.
 */
export async function isHere(store: Store, history: History): Promise<boolean> {
  const sessions = await found(history.sessions, (id) => store.session(id), sessionText);
  const checkpoints = await found(
    history.checkpoints,
    (id) => store.checkpoint(id as Checkpoint['id']),
    checkpointText,
  );
  const operations = await found(
    history.operations,
    (id) => store.operation(id as Operation['id']),
    operationText,
  );
  const all = [...sessions, ...checkpoints, ...operations];
  if (all.every((one) => one === 'missing')) {
    await refuseStrangeFamily(store, history);
    return false;
  }
  if (all.every((one) => one === 'same') && (await hasSameChanges(store, history))) return true;
  throw clash('a part of this session is here already, and is not the same');
}

async function found<Row extends { readonly id: string }>(
  rows: readonly Row[],
  find: (id: string) => Promise<Row | null>,
  textOf: (row: Row) => string,
): Promise<('missing' | 'same' | 'other')[]> {
  const answers: ('missing' | 'same' | 'other')[] = [];
  for (const row of rows) {
    const known = await find(row.id);
    const isSame = known !== null && textOf(known) === textOf(row);
    answers.push(known === null ? 'missing' : isSame ? 'same' : 'other');
  }
  return answers;
}

/** Without what may have changed since it came here: activity, labels, what is in effect. */
function sessionText({ rootId, agent, createdAt }: Session): string {
  return JSON.stringify([rootId, agent, createdAt]);
}

function checkpointText(checkpoint: Checkpoint): string {
  const { sessionId, messageId, kind, description, createdAt } = checkpoint;
  return JSON.stringify([sessionId, messageId, kind, description, createdAt]);
}

function operationText({ kind, description, createdAt }: Operation): string {
  return JSON.stringify([kind, description, createdAt]);
}

async function hasSameChanges(store: Store, { checkpoints, changes }: History): Promise<boolean> {
  const checkpointIds = checkpoints.map(({ id }) => id);
  const here = (await store.changes({ checkpointIds })).map(changeText);
  const there = changes.filter(({ checkpointId }) => checkpointId !== null).map(changeText);
  return JSON.stringify(here) === JSON.stringify(there);
}

function changeText({ path, before, after, origin, checkpointId, toolCallId }: Change): string {
  return JSON.stringify([path, before, after, origin, checkpointId, toolCallId]);
}

/** A family is taken back together: nobody joins one from outside. */
async function refuseStrangeFamily(store: Store, { sessions }: History): Promise<void> {
  const known = await store.sessions();
  const taken = new Set(known.flatMap(({ id, rootId }) => [id, rootId]));
  const strange = sessions.find(({ id, rootId }) => taken.has(id) || taken.has(rootId));
  if (strange !== undefined) throw clash('it would join a session that is here already');
}

function clash(message: string): SavepointError {
  return new SavepointError('import-conflict', message, {
    hint: 'nothing was imported; a session is imported as a whole, into a project that does not have it',
  });
}
