import { LockQueue, PROJECT_LOCK } from '../lock-queue.ts';

interface Shared {
  readonly queue: LockQueue;
  users: number;
}

const queues = new Map<string, Shared>();

/** The queue of all stores of this process that are opened on the same real folder. */
export function joinQueue(realDirectory: string): LockQueue {
  const shared = queues.get(realDirectory) ?? { queue: new LockQueue(PROJECT_LOCK), users: 0 };
  shared.users += 1;
  queues.set(realDirectory, shared);
  return shared.queue;
}

export function partFromQueue(realDirectory: string): void {
  const shared = queues.get(realDirectory);
  if (shared === undefined) return;
  shared.users -= 1;
  if (shared.users === 0) queues.delete(realDirectory);
}
