import type { Change } from '../model/change.ts';
import { SavepointError } from '../model/errors.ts';
import type { Session } from '../model/session.ts';
import { ABSENT, type State } from '../model/state.ts';
import { findCheckpoint, findOperation, findSession } from '../store/find.ts';
import type { Store } from '../store/store.ts';
import { type History, makeHistory } from './history.ts';

/** How much of a history is in a store already. */
export interface Standing {
  /** The part that is not, as a history of its own; null where all of it is there. */
  readonly missing: History | null;
  /** The sessions that are there, the same. */
  readonly here: readonly Session[];
}

/**
 * Finds the sessions of a history that are here already, each wholly and the same, and what is left without
 * them. Ids are kept, so one that is here and means something else is refused: nobody could tell the two
 * apart.
 */
export async function standingOf(store: Store, history: History): Promise<Standing> {
  const { sessions, checkpoints, operations } = history;
  const same = await sameRows(store, history);
  const found = same.sessions.size + same.checkpoints.size + same.operations.size;
  if (found > 0) await refuseParts(store, history, same);
  if (found === sessions.length + checkpoints.length + operations.length) {
    return { missing: null, here: sessions };
  }
  const missing = found === 0 ? history : missingIn(history, same);
  await refuseStrangeFamily(store, missing);
  return { missing, here: sessions.filter(({ id }) => same.sessions.has(id)) };
}

/** Ids of rows that are here and the same. */
export interface Same {
  readonly sessions: ReadonlySet<string>;
  readonly checkpoints: ReadonlySet<string>;
  readonly operations: ReadonlySet<string>;
}

// Left out are the fields that may have changed since a row came here: activity, labels, what is in effect.
const SESSION_CORE = ['rootId', 'agent', 'createdAt'] as const;
const CHECKPOINT_CORE = ['sessionId', 'messageId', 'kind', 'description', 'createdAt'] as const;
const OPERATION_CORE = ['kind', 'description', 'createdAt'] as const;
const CHANGE_CORE = ['path', 'before', 'after', 'origin', 'checkpointId', 'toolCallId'] as const;

function coreOf<Row>(row: Row, fields: readonly (keyof Row)[]): string {
  return JSON.stringify(fields.map((field) => row[field]));
}

/**
 * Throws `import-conflict` for an id that is here and means something else. With `any session`, a checkpoint may have
 * come without its session before, with another one that needed it.
 */
export async function sameRows(
  store: Store,
  history: History,
  of: 'its session' | 'any session' = 'its session',
): Promise<Same> {
  const { sessions, checkpoints, operations } = history;
  const core = CHECKPOINT_CORE.filter((field) => of === 'its session' || field !== 'sessionId');
  return {
    sessions: await sameAmong(sessions, (id) => findSession(store, id), SESSION_CORE),
    checkpoints: await sameAmong(checkpoints, (id) => findCheckpoint(store, id), core),
    operations: await sameAmong(operations, (id) => findOperation(store, id), OPERATION_CORE),
  };
}

async function sameAmong<Row extends { readonly id: string }>(
  rows: readonly Row[],
  find: (id: Row['id']) => Promise<Row | null>,
  fields: readonly (keyof Row)[],
): Promise<Set<string>> {
  const same = new Set<string>();
  for (const row of rows) {
    const known = await find(row.id);
    if (known === null) continue;
    if (coreOf(known, fields) !== coreOf(row, fields)) throw notTheSame();
    same.add(row.id);
  }
  return same;
}

/** A session is here as a whole or not at all: one that went on since is another one. */
async function refuseParts(store: Store, history: History, same: Same): Promise<void> {
  const { checkpoints, changes, cancellations } = history;
  const isSplit = checkpoints.some(
    ({ id, sessionId }) =>
      sessionId !== null && same.checkpoints.has(id) !== same.sessions.has(sessionId),
  );
  const gone = new Set(changes.filter(isOf(same)).map(({ seq }) => seq));
  const isTakenBack = cancellations.some(({ by, change }) => gone.has(change) && !gone.has(by));
  const checkpointIds = checkpoints.flatMap(({ id }) => (same.checkpoints.has(id) ? [id] : []));
  const isSame = ({ checkpointId }: Change): boolean => same.checkpoints.has(checkpointId ?? '');
  const here = (await store.timeline.changes({ checkpointIds })).filter(isSame);
  const there = changes.filter(isSame);
  const text = (rows: readonly Change[]): string =>
    rows.map((change) => coreOf(change, CHANGE_CORE)).join('\n');
  if (isSplit || isTakenBack || text(here) !== text(there)) throw notTheSame();
}

function isOf({ sessions, checkpoints, operations }: Same): (change: Change) => boolean {
  return ({ sessionId, checkpointId, operationId }) =>
    sessions.has(sessionId ?? '') ||
    checkpoints.has(checkpointId ?? '') ||
    operations.has(operationId ?? '');
}

function missingIn(history: History, same: Same): History {
  const isHere = isOf(same);
  const changes = history.changes.filter((change) => !isHere(change));
  // All changes of a history have ended.
  const context = { endOf: () => ABSENT, moved: (state: State) => state };
  return makeHistory({ ...without(history, same), changes }, context);
}

/** The history without the rows that are here; its changes stay. */
export function without(history: History, same: Same): History {
  return {
    ...history,
    sessions: history.sessions.filter(({ id }) => !same.sessions.has(id)),
    checkpoints: history.checkpoints.filter(({ id }) => !same.checkpoints.has(id)),
    operations: history.operations.filter(({ id }) => !same.operations.has(id)),
  };
}

/** A family is taken back together: nobody joins one from outside. */
async function refuseStrangeFamily(store: Store, { sessions }: History): Promise<void> {
  const known = await store.timeline.sessions();
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
