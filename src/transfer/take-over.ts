import type { CaptureSite } from '../capture/capture.ts';
import type { Cancellation, Change } from '../model/change.ts';
import { SavepointError } from '../model/errors.ts';
import type { BlobId, Seq } from '../model/ids.ts';
import type { ChangeOrigin } from '../model/owner.ts';
import { selectedPath } from '../model/path.ts';
import type { Session } from '../model/session.ts';
import { type State, unknown } from '../model/state.ts';
import type {
  BlobReference,
  Store,
  StoreReader,
  WorktreeEntry,
  Worktrees,
} from '../store/store.ts';
import { resolveSession } from '../timeline/resolve.ts';
import {
  blobsIn,
  type Collected,
  collect,
  countRows,
  type HistoryContext,
  numberHistory,
  withoutHalves,
} from './history.ts';
import { batchOf, type Continued, withoutClashes } from './import-sessions.ts';
import type { TakeoverReceipt, TakeoverRequest } from './requests.ts';
import { sameRows, without } from './standing.ts';

/**
 * Brings a session of another worktree of the project, with its family, into the timeline of this one: all that is not
 * here yet. No file is touched, and contents are there already. The caller holds the project lock.
 */
export async function takeOver(
  site: CaptureSite,
  request: TakeoverRequest,
  now: number,
): Promise<TakeoverReceipt> {
  const { store } = site;
  const worktrees = worktreesOf(store);
  const { source, reader, session } = await findSource(worktrees, request);
  const family = (await reader.timeline.sessions()).filter(
    ({ rootId }) => rootId === session.rootId,
  );
  const named = request.privatePaths?.map((path) => selectedPath(site.root, path)) ?? [];
  const there = await collect(reader, family, named);
  const own = (await worktrees.list()).find(({ isThis }) => isThis)?.id ?? '';
  const known = await KnownChanges.load(store, own, there);
  const fresh = there.changes.filter((change) => known.isFresh(change, source.id));
  const collected = known.withoutHalves(there, fresh, source.id);
  const contents = await keepContents(worktrees, fresh);
  const { history, number } = numberHistory({ ...collected, changes: fresh }, contents);
  const same = await sameRows(store, history, 'any session');
  const { free, clashing } = await withoutClashes(site, without(history, same));
  const origins = new Map(fresh.map((change) => [number(change.seq), originOf(change, source.id)]));
  const receipt = {
    ...countRows(free),
    open: collected.changes.filter(isOpen).length,
    from: source,
    brought: free.sessions,
    alreadyHere: history.sessions.filter(({ id }) => same.sessions.has(id)),
    labelsLeftOut: clashing,
    leftOut: collected.leftOut,
    privateOut: collected.privateOut,
    unreadable: contents.missing.size,
  };
  const isNew = free.sessions.length + free.checkpoints.length + free.changes.length > 0;
  if (!isNew && free.operations.length === 0) return { ...receipt, takenOver: false };
  const continued: Continued = {
    ...(await standing(store, family)),
    originOf: (seq) => origins.get(seq) ?? null,
    cancellations: known
      .cancelledBy(collected, fresh, source.id)
      .map((pair) => ({ ...pair, by: number(pair.by) })),
    sessions: await store.timeline.sessions(receipt.alreadyHere.map(({ id }) => id)),
  };
  await store.timeline.commit(await batchOf(site, free, contents.references, now, continued));
  return { ...receipt, takenOver: true };
}

function worktreesOf({ worktrees }: Store): Worktrees {
  if (worktrees !== null) return worktrees;
  const message =
    'this project has one worktree alone: its timeline is in a folder of this machine';
  throw new SavepointError('worktree-not-found', message, {
    hint: 'sessions of other machines come with: savepoint export and savepoint import',
  });
}

interface Source {
  readonly source: WorktreeEntry;
  readonly reader: StoreReader;
  readonly session: Session;
  /** When something was last recorded of the session there, and not brought from elsewhere. */
  readonly lastOwn: number;
}

/** Where several worktrees have the session, the one in which it was worked on last. */
async function findSource(
  worktrees: Worktrees,
  { sessionId, from }: TakeoverRequest,
): Promise<Source> {
  const others = (await worktrees.list()).filter(
    ({ isThis, id, machine }) => !isThis && (from === undefined || from === id || from === machine),
  );
  if (from !== undefined && others.length === 0) {
    throw new SavepointError('worktree-not-found', 'no other worktree has this id or machine', {
      hint: 'savepoint sessions --everywhere shows them',
    });
  }
  const found: Source[] = [];
  for (const source of others) {
    const reader = await worktrees.reader(source.id);
    const all = await reader.timeline.sessions();
    const session =
      all.find(({ id }) => id === sessionId) ??
      (all.some(({ id }) => sessionId !== '' && id.startsWith(sessionId))
        ? await resolveSession(reader, sessionId)
        : undefined);
    if (session === undefined) continue;
    const query = { sessionIds: [session.id], importedAt: null, limit: 1 };
    const [newest] = await reader.timeline.checkpoints(query);
    found.push({ source, reader, session, lastOwn: newest?.createdAt ?? 0 });
  }
  const ids = new Set(found.map(({ session }) => session.id));
  if (ids.size > 1) {
    throw new SavepointError('session-ambiguous', 'this fits several sessions of other worktrees', {
      hint: 'type more characters',
    });
  }
  const [best] = found.sort((a, b) => b.lastOwn - a.lastOwn);
  if (best !== undefined) return best;
  throw new SavepointError('session-not-found', 'no other worktree has this session', {
    hint: 'savepoint sessions --everywhere shows them',
  });
}

/** Tools that are at work there end their changes there: the next takeover brings them. */
function isOpen({ after }: Change): boolean {
  return after === null;
}

/** Ties that an import put around what it brought: they say how files are in that worktree alone. */
function isTie({ owner, origin }: Change): boolean {
  return owner?.kind === 'import' && owner.from === undefined && origin === 'outside';
}

function originOf({ owner, seq }: Change, worktree: string): ChangeOrigin {
  return (owner?.kind === 'import' ? owner.from : undefined) ?? { worktree, seq };
}

/** The changes that are here, by where they happened. */
class KnownChanges {
  readonly #own: string;
  readonly #family: ReadonlySet<string>;
  readonly #seqs = new Map<string, Seq>();
  /** The newest that is here, for each path and each worktree in which it happened. Older ones may be pruned. */
  readonly #newest = new Map<string, Seq>();

  private constructor(own: string, family: ReadonlySet<string>, here: readonly Change[]) {
    this.#own = own;
    this.#family = family;
    for (const change of here) {
      const origin = originOf(change, own);
      this.#seqs.set(keyOf(origin), change.seq);
      const lines = [
        this.#lineOf(change, origin),
        this.#lineOf({ ...change, sessionId: null }, origin),
      ];
      for (const line of lines) {
        this.#newest.set(line, Math.max(this.#newest.get(line) ?? 0, origin.seq));
      }
    }
  }

  static async load(
    store: Store,
    own: string,
    { changes, sessions }: Collected,
  ): Promise<KnownChanges> {
    const paths = [...new Set(changes.map(({ path }) => path))];
    const family = new Set(sessions.map(({ id }) => id));
    return new KnownChanges(own, family, await store.timeline.changes({ paths }));
  }

  isFresh(change: Change, source: string): boolean {
    const origin = originOf(change, source);
    if (isOpen(change) || isTie(change) || origin.worktree === this.#own) return false;
    return origin.seq > (this.#newest.get(this.#lineOf(change, origin)) ?? 0);
  }

  /** Another session may have brought a change of the family before, as nobody's: that is not the same line. */
  #lineOf({ path, sessionId }: Change, { worktree }: ChangeOrigin): string {
    return JSON.stringify([worktree, path, sessionId !== null && this.#family.has(sessionId)]);
  }

  /**
   * Imported changes that are here and that fresh ones cancel. What happened here by itself is not cancelled: nobody
   * took it back here.
   */
  cancelledBy(
    { changes, cancellations }: Collected,
    fresh: readonly Change[],
    source: string,
  ): Cancellation[] {
    const isNew = new Set(fresh.map(({ seq }) => seq));
    const seqHere = this.#seqsHere(changes, source);
    return cancellations.flatMap(({ by, change, inPart }) => {
      const seq = isNew.has(by) && !isNew.has(change) ? seqHere(change) : undefined;
      return seq === undefined ? [] : [{ by, change: seq, inPart }];
    });
  }

  /** Without rewinds of hunks some of whose changes are neither fresh nor imported here. */
  withoutHalves(collected: Collected, fresh: readonly Change[], source: string): Collected {
    const { changes, cancellations } = collected;
    const isNew = new Set(fresh.map(({ seq }) => seq));
    const seqHere = this.#seqsHere(changes, source);
    const moves = ({ change }: Cancellation): boolean =>
      isNew.has(change) || seqHere(change) !== undefined;
    return { ...collected, cancellations: withoutHalves(cancellations, cancellations, moves) };
  }

  /** The number here of an imported change that has this one there. */
  #seqsHere(changes: readonly Change[], source: string): (seq: Seq) => Seq | undefined {
    const bySeq = new Map(changes.map((change) => [change.seq, change]));
    return (seq) => {
      const change = bySeq.get(seq);
      const origin = change && originOf(change, source);
      if (origin === undefined || origin.worktree === this.#own) return undefined;
      return this.#seqs.get(keyOf(origin));
    };
  }
}

function keyOf({ worktree, seq }: ChangeOrigin): string {
  return `${worktree} ${seq}`;
}

/** The contents that changes name. They are in the project, unless somebody has pruned there since. */
async function keepContents(worktrees: Worktrees, changes: readonly Change[]): Promise<Contents> {
  const states = changes.flatMap(({ before, after }) =>
    after === null ? [before] : [before, after],
  );
  const sizes = blobsIn(states);
  const missing = new Set(sizes.size === 0 ? [] : await worktrees.keep([...sizes.keys()]));
  const isMissing = (state: State): boolean =>
    state.kind === 'captured' && state.blob !== null && missing.has(state.blob);
  const kept = [...sizes].filter(([id]) => !missing.has(id));
  return {
    references: kept.map(([id, size]) => ({ id, size, source: 'pack', key: null })),
    missing,
    moved: (state) => (isMissing(state) ? unknown('damaged') : state),
    endOf: () => unknown('not-seen'),
  };
}

interface Contents extends HistoryContext {
  readonly references: readonly BlobReference[];
  readonly missing: ReadonlySet<BlobId>;
}

/** How the family stands here: since when by itself, and since when by a takeover. */
async function standing(
  store: Store,
  family: readonly Session[],
): Promise<Pick<Continued, 'continues' | 'began'>> {
  const sessionIds = family.map(({ id }) => id);
  const checkpoints = await store.timeline.checkpoints({ sessionIds, oldestFirst: true });
  return {
    continues: checkpoints.find(({ importedAt }) => importedAt !== null)?.importedAt ?? null,
    began: checkpoints.find(({ importedAt }) => importedAt === null)?.seq ?? null,
  };
}
