import type { Change } from '../model/change.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { Operation } from '../model/operation.ts';
import type { Session } from '../model/session.ts';
import type { Store } from '../store/store.ts';
import type { History } from './history.ts';
import { makeHistory } from './make-history.ts';

/** How much of a history is in a store already. */
export interface Standing {
  /** What is not, as a history of its own; null where all of it is there. */
  readonly missing: History | null;
  /** The sessions that are there, the same. */
  readonly here: readonly Session[];
}

/**
 * Which sessions of a history are here already, each wholly and the same, and what is left without them. Ids
 * are kept, so one that is here and means something else is refused: nobody could tell the two apart.
 */
export async function standingOf(store: Store, history: History): Promise<Standing> {
  const same = await sameRows(store, history);
  const found = same.sessions.size + same.checkpoints.size + same.operations.size;
  const all = history.sessions.length + history.checkpoints.length + history.operations.length;
  if (found > 0) await refuseOtherwise(store, history, same);
  if (found === all && all > 0) return { missing: null, here: history.sessions };
  const missing = found === 0 ? history : without(history, same);
  await refuseStrangeFamily(store, missing);
  return { missing, here: history.sessions.filter(({ id }) => same.sessions.has(id)) };
}

/** Ids of rows that are here and the same. */
interface Same {
  readonly sessions: ReadonlySet<string>;
  readonly checkpoints: ReadonlySet<string>;
  readonly operations: ReadonlySet<string>;
}

async function sameRows(store: Store, history: History): Promise<Same> {
  return {
    sessions: await sameAmong(history.sessions, (id) => store.session(id), sessionText),
    checkpoints: await sameAmong(history.checkpoints, (id) => store.checkpoint(id), checkpointText),
    operations: await sameAmong(history.operations, (id) => store.operation(id), operationText),
  };
}

async function sameAmong<Row extends { readonly id: string }>(
  rows: readonly Row[],
  find: (id: Row['id']) => Promise<Row | null>,
  textOf: (row: Row) => string,
): Promise<Set<string>> {
  const same = new Set<string>();
  for (const row of rows) {
    const known = await find(row.id);
    if (known !== null && textOf(known) !== textOf(row)) throw notTheSame();
    if (known !== null) same.add(row.id);
  }
  return same;
}

/** A session is here as a whole or not at all: one that went on since is another one. */
async function refuseOtherwise(store: Store, history: History, same: Same): Promise<void> {
  const { sessions, checkpoints } = same;
  const isSplit = history.checkpoints.some(
    ({ id, sessionId }) => sessionId !== null && checkpoints.has(id) !== sessions.has(sessionId),
  );
  const gone = new Set(history.changes.filter(isOf(same)).map(({ seq }) => seq));
  const isTakenBack = history.cancellations.some(
    ({ by, change }) => gone.has(change) && !gone.has(by),
  );
  if (isSplit || isTakenBack || !(await hasSameChanges(store, history, same))) throw notTheSame();
}

function isOf({ sessions, checkpoints, operations }: Same): (change: Change) => boolean {
  return ({ sessionId, checkpointId, operationId }) =>
    sessions.has(sessionId ?? '') ||
    checkpoints.has(checkpointId ?? '') ||
    operations.has(operationId ?? '');
}

function without(history: History, same: Same): History {
  const isHere = isOf(same);
  return makeHistory(
    {
      sessions: history.sessions.filter(({ id }) => !same.sessions.has(id)),
      checkpoints: history.checkpoints.filter(({ id }) => !same.checkpoints.has(id)),
      operations: history.operations.filter(({ id }) => !same.operations.has(id)),
      changes: history.changes.filter((change) => !isHere(change)),
      leftOut: [],
    },
    {
      cancellations: history.cancellations,
      // All changes of a history have ended.
      endOf: () => ({ kind: 'absent' }),
      moved: (state) => state,
    },
  );
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

async function hasSameChanges(
  store: Store,
  { checkpoints, changes }: History,
  same: Same,
): Promise<boolean> {
  const checkpointIds = checkpoints.flatMap(({ id }) => (same.checkpoints.has(id) ? [id] : []));
  const here = (await store.changes({ checkpointIds })).map(changeText);
  const there = changes
    .filter(({ checkpointId }) => same.checkpoints.has(checkpointId ?? ''))
    .map(changeText);
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

function notTheSame(): SavepointError {
  return clash('a part of this session is here already, and is not the same');
}

function clash(message: string): SavepointError {
  return new SavepointError('import-conflict', message, {
    hint: 'nothing was imported; a session is imported as a whole, into a project that does not have it',
  });
}
