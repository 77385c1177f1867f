import { ExecutionCheckpoints, PersistenceManager, ProjectStorage } from '../../execution/index.ts';
import type { Store } from '../../index.ts';

/** Ids of executions whose checkpoints a program keeps among the project's documents. */
export async function knownFromDocuments(store: Store): Promise<string[]> {
  const persistence = new PersistenceManager(new ProjectStorage({ store }));
  return [...(await new ExecutionCheckpoints(persistence).listExecutions()).keys()];
}
