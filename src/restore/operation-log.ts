import { SavepointError } from '../model/errors.ts';
import type { Operation } from '../model/operation.ts';
import type { Store } from '../store/store.ts';
import { resolveOperation } from '../timeline/resolve.ts';

/** The operation that an undo takes back: the one named, by its id or the beginning of it, or the newest rewind in effect. */
export async function operationToUndo(store: Store, id?: string): Promise<Operation> {
  if (id !== undefined) return named(store, id);
  const found = (await store.operations()).find(
    (operation) => operation.kind === 'rewind' && operation.inEffect,
  );
  if (found !== undefined) return found;
  throw new SavepointError('nothing-to-undo', 'there is no rewind to undo');
}

/**
 * The undo that a redo takes back: the newest one in effect, as long as nothing but undos and redos
 * came after it. A new rewind ends the chance, as typing ends it in an editor.
 */
export async function operationToRedo(store: Store): Promise<Operation> {
  for (const operation of await store.operations()) {
    // One that an import brought is not in effect, and no end of anything here.
    if (operation.kind === 'rewind' && operation.inEffect) break;
    if (operation.kind === 'undo' && operation.inEffect) return operation;
  }
  throw new SavepointError('nothing-to-redo', 'there is no undo to take back');
}

async function named(store: Store, ref: string): Promise<Operation> {
  const operation = await resolveOperation(store, ref);
  if (!operation.inEffect) {
    throw new SavepointError('nothing-to-undo', 'this operation was taken back already');
  }
  return operation;
}
