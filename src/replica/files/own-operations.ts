import { type Operation, type OperationId, type Savepoint, SavepointError } from '../../index.ts';

/** Whose rewinds are meant. */
export interface Own {
  readonly sessionId: string;
  /** Those that belong to no conversation and were made here. */
  readonly made: ReadonlySet<OperationId>;
}

/**
 * The rewind that `/undo` takes back: the newest one in effect to a checkpoint of this conversation, or of
 * one that it was forked from. Another agent's in the same project is for its own person to take back.
 */
export async function rewindToUndo(savepoint: Savepoint, own: Own): Promise<Operation> {
  const isOwn = await ownOperations(savepoint, own);
  for (const operation of await savepoint.operations()) {
    const isRewind = operation.kind === 'rewind' && operation.inEffect;
    if (isRewind && (await isOwn(operation))) return operation;
  }
  throw new SavepointError('nothing-to-undo', 'there is no rewind of this conversation to undo', {
    hint: 'for what others did in this project: savepoint ops, savepoint undo',
  });
}

/** Throws where the undo that would be taken back is none of this conversation's. */
export async function refuseForeignRedo(savepoint: Savepoint, own: Own): Promise<void> {
  const isOwn = await ownOperations(savepoint, own);
  const operations = await savepoint.operations();
  const undo = operations.find(({ kind, inEffect }) => kind === 'undo' && inEffect);
  const undone = operations.find(({ id }) => id === undo?.reverts);
  // Where there is none, the engine says so.
  if (undo === undefined || (undone !== undefined && (await isOwn(undone)))) return;
  throw new SavepointError('nothing-to-redo', 'the newest undo is not of this conversation', {
    hint: 'for what others did in this project: savepoint ops, savepoint redo',
  });
}

async function ownOperations(
  savepoint: Savepoint,
  { sessionId, made }: Own,
): Promise<(operation: Operation) => Promise<boolean>> {
  const sessions = await savepoint.sessions();
  const root = sessions.find(({ id }) => id === sessionId)?.rootId;
  const family = new Set(sessions.filter(({ rootId }) => rootId === root).map(({ id }) => id));
  return async ({ id: operationId, checkpointId }) => {
    if (made.has(operationId)) return true;
    if (checkpointId === null) return false;
    const [checkpoint] = (await savepoint.list()).filter(({ id }) => id === checkpointId);
    return checkpoint?.sessionId != null && family.has(checkpoint.sessionId);
  };
}
