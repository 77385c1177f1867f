import type { Checkpoint } from '../model/checkpoint.ts';
import type { Session } from '../model/session.ts';
import type { CheckpointQuery, Store } from '../store/store.ts';

/** A checkpoint with what a list says of it. */
export interface ListedCheckpoint extends Checkpoint {
  readonly agent: string | null;
  /** How many paths changed under it. */
  readonly files: number;
}

/** Newest first. */
export async function listCheckpoints(
  store: Store,
  query: CheckpointQuery,
): Promise<ListedCheckpoint[]> {
  const checkpoints = await store.checkpoints(query);
  const counts = await store.changedPathCounts(checkpoints.map(({ id }) => id));
  const sessions = await sessionsOf(store, checkpoints);
  return checkpoints.map((checkpoint) => ({
    ...checkpoint,
    agent: sessions.get(checkpoint.sessionId ?? '')?.agent ?? null,
    files: counts.get(checkpoint.id) ?? 0,
  }));
}

// Up to here it is quicker to ask for each than to read all of them.
const FEW = 100;

async function sessionsOf(
  store: Store,
  checkpoints: readonly Checkpoint[],
): Promise<Map<string, Session>> {
  const ids = new Set(checkpoints.flatMap(({ sessionId }) => sessionId ?? []));
  const found =
    ids.size > FEW
      ? await store.sessions()
      : await Promise.all([...ids].map((id) => store.session(id)));
  return new Map(found.flatMap((session) => (session === null ? [] : [[session.id, session]])));
}
