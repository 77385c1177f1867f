import type { Change } from '../model/change.ts';
import { nameOf } from '../model/path.ts';
import type { State } from '../model/state.ts';
import { findRenames, LEAST_SIMILARITY, similarity } from '../plan/renames.ts';
import type { Store } from '../store/store.ts';

/** Within so many changes, others of the same scan are looked for. */
const NEAR = 20_000;
/** Of so many files that went, those of the nearest sizes, the contents are compared. */
const MOST_COMPARED = 20;

type LinesOf = (state: State) => Promise<readonly string[] | null>;

/**
 * The change with which a created file went from its old name: one of the same call, command or scan, that removed
 * a file of the same or of similar content. Null where the file is new.
 */
export async function findRenamed(
  store: Store,
  created: Change,
  linesOf: LinesOf,
): Promise<Change | null> {
  if (created.origin === 'operation' || created.before.kind !== 'absent') return null;
  const together = await madeTogether(store, created);
  const moves = together.flatMap((one) =>
    one.after === null ? [] : [{ ...one, after: one.after }],
  );
  const gone = moves.filter(({ path, after }) => path !== created.path && after.kind === 'absent');
  if (gone.length === 0) return null;
  const renames = findRenames(moves);
  const same = renames.get(created.path);
  if (same !== undefined) return gone.find(({ path }) => path === same) ?? null;
  const used = new Set(renames.values());
  return mostSimilar(
    created,
    gone.filter(({ path }) => !used.has(path)),
    linesOf,
  );
}

/** All changes that one call or command made, or that one scan found outside. */
async function madeTogether(store: Store, created: Change): Promise<readonly Change[]> {
  const { seq, origin, checkpointId, toolCallId, sessionId, createdAt } = created;
  if (origin === 'outside') {
    const near = { after: Math.max(0, seq - NEAR), before: seq + NEAR };
    const found = await store.timeline.changes(near);
    return found.filter((one) => one.origin === 'outside' && one.createdAt === createdAt);
  }
  if (checkpointId === null) return [];
  const found = await store.timeline.changes({ checkpointIds: [checkpointId] });
  return found.filter(
    (one) =>
      one.origin === origin &&
      one.sessionId === sessionId &&
      one.toolCallId === toolCallId &&
      // Calls without an id cannot be told apart, but what one capture or scan records has one time.
      (toolCallId !== null || one.createdAt === createdAt),
  );
}

async function mostSimilar(
  created: Change,
  gone: readonly Change[],
  linesOf: LinesOf,
): Promise<Change | null> {
  const { after: state } = created;
  if (state?.kind !== 'captured' || state.type !== 'file') return null;
  const distance = ({ before }: Change): number =>
    before.kind === 'captured' && before.type === 'file'
      ? Math.abs(before.size - state.size)
      : Number.POSITIVE_INFINITY;
  // Texts of which one has twice the size of the other are not similar enough in any case.
  const near = gone
    .filter((one) => distance(one) <= state.size / LEAST_SIMILARITY)
    .sort((a, b) => distance(a) - distance(b))
    .slice(0, MOST_COMPARED);
  const lines = near.length === 0 ? null : await linesOf(state);
  let best: { readonly change: Change; readonly share: number } | null = null;
  for (const change of near) {
    const share = similarity((await linesOf(change.before)) ?? [], lines ?? []);
    const bonus = nameOf(change.path) === nameOf(created.path) ? Number.EPSILON : 0;
    if (share >= LEAST_SIMILARITY && share + bonus > (best?.share ?? 0)) {
      best = { change, share: share + bonus };
    }
  }
  return best?.change ?? null;
}
