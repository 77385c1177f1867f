import { type CaptureSite, look, mayRun } from '../capture/capture.ts';
import { appendChange, outsider, settle } from '../capture/chain.ts';
import { headOf } from '../capture/known-states.ts';
import { SavepointError } from '../model/errors.ts';
import type { TrackedPath } from '../model/path.ts';
import { joins, type State } from '../model/state.ts';
import type { Draft } from '../store/draft.ts';
import type { Blob } from '../store/store.ts';
import type { EndedChange } from './history.ts';

interface End {
  /** How the path is here. */
  readonly local: State;
  /** Its bytes, where no row names them yet. */
  readonly blob: Blob | null;
  /** How the imported chain begins and ends. */
  readonly first: State;
  readonly last: State;
}

/** Ties imported chains to what is here: each `before` joins the previous `after`, on both sides. */
export class LocalEnds {
  readonly #draft: Draft;
  readonly #now: number;
  readonly #ends = new Map<TrackedPath, End>();

  private constructor(draft: Draft, now: number) {
    this.#draft = draft;
    this.#now = now;
  }

  static async find(
    site: CaptureSite,
    draft: Draft,
    changes: readonly EndedChange[],
    now: number,
  ): Promise<LocalEnds> {
    const found = new LocalEnds(draft, now);
    for (const [path, chain] of Map.groupBy(changes, (change) => change.path)) {
      const [oldest, newest] = [chain[0], chain.at(-1)];
      if (oldest === undefined || newest === undefined) continue;
      const here = await localState(site, draft, path, now);
      found.#ends.set(path, { ...here, first: oldest.before, last: newest.after });
    }
    return found;
  }

  /** From what is here to where the imported chains begin. */
  leadIn(owner: string): void {
    for (const [path, end] of this.#ends) this.#link(path, end, end.local, end.first, owner);
  }

  /** And back, so that the last known state of each path is what it was. */
  leadOut(owner: string): void {
    for (const [path, end] of this.#ends) this.#link(path, end, end.last, end.local, owner);
  }

  #link(path: TrackedPath, { blob }: End, before: State, after: State, owner: string): void {
    if (joins(before, after)) return;
    if (blob !== null) this.#draft.addBlob(blob);
    appendChange(this.#draft, path, before, after, { ...outsider(this.#now), owner });
  }
}

/** The last known state; what is on disk, of a path that nobody has looked at yet or is writing to. */
async function localState(
  site: CaptureSite,
  draft: Draft,
  path: TrackedPath,
  now: number,
): Promise<Pick<End, 'local' | 'blob'>> {
  const head = await headOf(draft, site.known, path);
  if (head !== null && !head.open) return { local: head.state, blob: null };
  const seen = look(site, path);
  if (head !== null) {
    await refuseBusy(site, path);
    settle(draft, head, path, seen, now);
  }
  return { local: seen.state, blob: seen.blob };
}

/** A change that a tool call still has open ends with what that call leaves, not with what we see. */
async function refuseBusy({ store }: CaptureSite, path: TrackedPath): Promise<void> {
  const open = await store.changes({ paths: [path], open: true });
  if (!open.some(mayRun)) return;
  throw new SavepointError('session-busy', 'a tool call is at work on a file of the export', {
    path,
    hint: 'nothing was imported; wait until it ends',
  });
}
