import { type Change, importedAt, isOfFolder } from '../model/change.ts';
import type { OperationId } from '../model/ids.ts';
import type { TrackedPath } from '../model/path.ts';
import { sameState } from '../model/state.ts';
import type { Draft } from '../store/draft.ts';
import { findSession } from '../store/find.ts';
import type { Store } from '../store/store.ts';
import { privatePaths } from './private-paths.ts';

/** Files of a session that operations changed since its agent was last told of it. */
export interface Untold {
  /** Without private ones. */
  readonly paths: readonly TrackedPath[];
  /** How many files there are, private ones among them. */
  readonly count: number;
  /** Oldest first. */
  readonly operationIds: readonly OperationId[];
}

/**
 * The files that the session or its family has changed, and that a rewind, an undo or a redo then changed: they
 * are not what the agent remembers. Null where there is nothing to tell. What one operation took back and the next
 * brought back is as it was, and is left out.
 */
export async function untold(store: Store, sessionId: string): Promise<Untold | null> {
  const session = await findSession(store, sessionId);
  const told = session?.told ?? 0;
  const [newest] = await store.timeline.operations({ limit: 1 });
  if (session === null || newest === undefined || newest.seq <= told) return null;
  const operations = (await store.timeline.operations()).filter(({ seq }) => seq > told);
  const changes: Change[] = [];
  for (const { id } of operations.toReversed()) {
    const made = await store.timeline.changes({ operationId: id });
    // What an import brought did not happen here.
    changes.push(...made.filter((change) => importedAt(change) === null && !isOfFolder(change)));
  }
  const theirs = changes.length === 0 ? [] : await concerning(store, session.rootId, changes);
  const paths = [...new Set(theirs.map(({ path }) => path))];
  if (paths.length === 0) return null;
  const isPrivate = await privatePaths(store);
  return {
    paths: paths.filter((path) => !isPrivate(path)),
    count: paths.length,
    operationIds: [...new Set(theirs.flatMap(({ operationId }) => operationId ?? []))],
  };
}

/** The changes at paths that the family had changed before, and that are not as they were before these changes. */
async function concerning(
  store: Store,
  rootId: string,
  changes: readonly Change[],
): Promise<Change[]> {
  const family = (await store.timeline.sessions()).filter((one) => one.rootId === rootId);
  const sessionIds = family.map(({ id }) => id);
  const own = await store.timeline.changes({ sessionIds, paths: changes.map(({ path }) => path) });
  const firsts = new Map(own.toReversed().map(({ path, seq }) => [path, seq]));
  const since = changes.filter(({ path, seq }) => seq > (firsts.get(path) ?? seq));
  return [...Map.groupBy(since, ({ path }) => path).values()].flatMap((chain) => {
    const [before, after] = [chain[0]?.before, chain.at(-1)?.after];
    return before && after && sameState(before, after) ? [] : chain;
  });
}

/** The agent of the session knows of all operations until now. */
export async function tell(draft: Draft, store: Store, sessionId: string): Promise<void> {
  const session = await findSession(store, sessionId);
  const [newest] = await store.timeline.operations({ limit: 1 });
  if (session === null || newest === undefined || newest.seq <= (session.told ?? 0)) return;
  draft.putSession({ ...session, told: newest.seq });
}
