import { type Operation, type OperationId, type Savepoint, SavepointError } from '../../index.ts';
import { sessionFamily } from './session-family.ts';

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
  const operations = await savepoint.operations();
  const found = operations.find(
    (operation) => operation.kind === 'rewind' && operation.inEffect && isOwn(operation),
  );
  if (found !== undefined) return found;
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
  if (undo === undefined || (undone !== undefined && isOwn(undone))) return;
  throw new SavepointError('nothing-to-redo', 'the newest undo is not of this conversation', {
    hint: 'for what others did in this project: savepoint ops, savepoint redo',
  });
}

async function ownOperations(
  savepoint: Savepoint,
  { sessionId, made }: Own,
): Promise<(operation: Operation) => boolean> {
  const family = await sessionFamily(savepoint, sessionId);
  const inFamily = await savepoint.list({ sessionIds: family });
  const checkpoints = new Set(inFamily.map(({ id }) => id));
  return ({ id, checkpointId }) =>
    made.has(id) || (checkpointId !== null && checkpoints.has(checkpointId));
}
