import type { KnownStates } from '../capture/known-states.ts';
import type { Change } from '../model/change.ts';
import type { BlobId, Seq } from '../model/ids.ts';
import type { Gap } from '../model/line-origin.ts';
import { isOutside, type TrackedPath } from '../model/path.ts';
import { type Captured, joins, type State } from '../model/state.ts';
import { splitLines } from '../plan/line-diff.ts';
import { isBinary } from '../plan/merge.ts';
import { readIntact } from '../store/find.ts';
import type { Store } from '../store/store.ts';
import { privatePaths } from './private-paths.ts';
import { findRenamed } from './renamed.ts';

/** One state in the life of a file. */
export interface Version {
  readonly path: TrackedPath;
  /** Its place in the order of the timeline. A version comes after those that its lines can come from. */
  readonly at: number;
  readonly state: State;
  /** What made it. `start`: the record begins here. `hole`: changes before it are not kept. `now`: nobody has recorded it. */
  readonly madeBy: Change | 'start' | 'hole' | 'now';
}

/** Where lines of a version can come from. */
export interface Descent {
  /** The first one that has a line is where it comes from. */
  readonly parents: readonly Version[];
  /** Lines that no parent has: they were `made` with this version, were there `before` the record, or nobody knows. */
  readonly rest: 'made' | 'before' | Gap;
}

interface Chain {
  /** Oldest first, without a last change that is open. */
  readonly versions: readonly Version[];
  /** The change that is being made. */
  readonly open: Change | null;
  /** The changes that each change of an operation took back. */
  readonly taken: ReadonlyMap<Seq, ReadonlySet<Seq>>;
}

/** The states of files, over all their names, as far as they are on record. */
export class FileVersions {
  readonly #store: Store;
  readonly #known: KnownStates;
  readonly #chains = new Map<TrackedPath, Promise<Chain>>();
  readonly #contents = new Contents();

  constructor(store: Store, known: KnownStates) {
    this.#store = store;
    this.#known = known;
  }

  /** The state of a file that somebody has just looked at. */
  async now(path: TrackedPath, state: State, bytes: Uint8Array | null): Promise<Version> {
    if (isFile(state) && bytes !== null) this.#contents.put(state.blob, linesOf(bytes));
    const { open } = await this.#chain(path);
    return { path, at: Number.POSITIVE_INFINITY, state, madeBy: open ?? 'now' };
  }

  /** Whether anything of the path is on record. */
  async isOnRecord(path: TrackedPath): Promise<boolean> {
    const { versions, open } = await this.#chain(path);
    return open !== null || versions.length > 0 || (await this.#known.find(path)) !== null;
  }

  /** Null where the content is not known; no lines where there is no file, or no text. */
  async lines({ state }: Version): Promise<readonly string[] | null> {
    if (state.kind === 'unknown') return null;
    if (!isFile(state)) return [];
    const known = this.#contents.get(state.blob);
    if (known !== undefined) return known;
    const bytes = await readIntact(this.#store, state.blob);
    return bytes === null ? null : this.#contents.put(state.blob, linesOf(bytes));
  }

  async descent(version: Version): Promise<Descent> {
    const { path, madeBy } = version;
    const { versions, taken } = await this.#chain(path);
    const older = versions.filter(({ at }) => at < version.at);
    if (madeBy === 'start' || older.length === 0) return this.#beforeRecord(version);
    const { last, gap } = await this.#lastKnown(older);
    const parents = last === null ? [] : [last];
    if (last !== null && isSameContent(last.state, version.state)) return { parents, rest: 'made' };
    if (madeBy === 'hole') return { parents, rest: 'not-kept' };
    const rest = gap ?? 'made';
    if (madeBy === 'now') return { parents, rest };
    if (madeBy.origin === 'operation') {
      const restored = restoredBy(taken.get(madeBy.seq) ?? new Set(), older);
      const same = restored.find(({ state }) => isSameContent(state, version.state));
      if (same !== undefined) return { parents: [same], rest };
      // Any older version comes last: a rewind can take back a part of a change as well.
      return { parents: [...restored, ...parents, ...older.toReversed()], rest };
    }
    if (madeBy.origin === 'outside' && madeBy.owner?.kind === 'import') {
      return linkOfImport(version, madeBy.owner.first, older) ?? { parents, rest };
    }
    if (madeBy.before.kind !== 'absent' || !isFile(version.state)) return { parents, rest };
    const from = await this.renamedFrom(madeBy);
    return { parents: from === null ? [] : [from], rest: 'made' };
  }

  /** The file that a change has renamed, as it was under its old name; null where it made a new one. */
  async renamedFrom(change: Change): Promise<Version | null> {
    const gone = await findRenamed(this.#store, change, (state) => this.#linesOf(state));
    if (gone === null) return null;
    const { versions } = await this.#chain(gone.path);
    const before = versions.findLast(
      ({ at, state }) => at < gone.seq && isSameContent(state, gone.before),
    );
    // Otherwise two names could each come from the other.
    return before !== undefined && before.at < change.seq ? before : null;
  }

  #linesOf(state: State): Promise<readonly string[] | null> {
    return this.lines({ state } as Version);
  }

  #chain(path: TrackedPath): Promise<Chain> {
    const known = this.#chains.get(path) ?? this.#load(path);
    this.#chains.set(path, known);
    return known;
  }

  async #load(path: TrackedPath): Promise<Chain> {
    const changes = await this.#store.timeline.changes({ paths: [path] });
    const pairs = await this.#store.timeline.cancellations(changes.map(({ seq }) => seq));
    const taken = [...Map.groupBy(pairs, ({ by }) => by)].map(
      ([by, list]) => [by, new Set(list.map(({ change }) => change))] as const,
    );
    const last = changes.at(-1);
    return {
      versions: versionsOf(changes),
      open: last?.after === null ? last : null,
      taken: new Map(taken),
    };
  }

  /** The newest version whose content is known, and why those after it are not. */
  async #lastKnown(
    older: readonly Version[],
  ): Promise<{ readonly last: Version | null; readonly gap: Gap | null }> {
    let gap: Gap | null = null;
    for (const version of older.toReversed()) {
      if ((await this.lines(version)) !== null) return { last: version, gap };
      gap ??= gapOf(version.state);
    }
    return { last: null, gap };
  }

  /** What the first scan saw is older than a chain whose first changes are not kept any more. */
  async #beforeRecord({ path, at, state: now, madeBy }: Version): Promise<Descent> {
    const rest = madeBy === 'start' ? 'before' : 'made';
    const { baseline } = await this.#store.state();
    if (baseline === null || baseline.seq >= at || isOutside(path)) return { parents: [], rest };
    const found = (await this.#known.manifest())?.find(path) ?? null;
    if (found === null) {
      // A file that git ignores was not looked at before a tool named it.
      const isFirst = madeBy !== 'start' || (await privatePaths(this.#store))(path);
      return { parents: [], rest: isFirst ? rest : 'not-kept' };
    }
    const { state } = await this.#known.resolve(found);
    const first: Version = { path, at: baseline.seq, state, madeBy: 'start' };
    if ((await this.lines(first)) === null) return { parents: [], rest: gapOf(state) };
    const isKept = madeBy !== 'start' || isSameContent(state, now);
    return { parents: [first], rest: isKept ? rest : 'not-kept' };
  }
}

function versionsOf(changes: readonly Change[]): Version[] {
  const versions: Version[] = [];
  for (const change of changes) {
    const { path, seq, before, after } = change;
    const last = versions.at(-1);
    if (last === undefined) {
      versions.push({ path, at: seq - 0.5, state: before, madeBy: 'start' });
    } else if (!joins(last.state, before)) {
      versions.push({ path, at: seq - 0.5, state: before, madeBy: 'hole' });
    }
    if (after !== null) versions.push({ path, at: seq, state: after, madeBy: change });
  }
  return versions;
}

/** The versions before each stretch of changes that an operation took back, oldest first. */
function restoredBy(taken: ReadonlySet<Seq>, older: readonly Version[]): Version[] {
  const isTaken = (version: Version | undefined): boolean =>
    typeof version?.madeBy === 'object' && taken.has(version.madeBy.seq);
  return older.filter((version, i) => !isTaken(version) && isTaken(older[i + 1]));
}

/**
 * An import ties its history to the file that is here: a first link leads to the imported states, and a last one
 * back. Neither was written by anybody.
 */
function linkOfImport({ state }: Version, first: Seq, older: readonly Version[]): Descent | null {
  const before = older.findLast(({ at }) => at < first);
  if (before === undefined) return null;
  if (isSameContent(before.state, state)) return { parents: [before], rest: 'made' };
  return before === older.at(-1) ? { parents: [], rest: 'before' } : null;
}

function isFile(state: State): state is Captured & { readonly blob: BlobId } {
  return state.kind === 'captured' && state.type === 'file' && state.blob !== null;
}

export function isSameContent(a: State, b: State): boolean {
  return isFile(a) && isFile(b) && a.blob === b.blob;
}

function gapOf(state: State): Gap {
  return state.kind === 'unknown' ? state.reason : 'damaged';
}

function linesOf(bytes: Uint8Array): readonly string[] {
  return isBinary(bytes) ? [] : splitLines(bytes);
}

const MOST_HELD = 8;

/** The lines of the contents that were read last: a version is compared with the next, then with the one before. */
class Contents {
  readonly #held = new Map<BlobId, readonly string[]>();

  get(id: BlobId): readonly string[] | undefined {
    const found = this.#held.get(id);
    if (found !== undefined) this.put(id, found);
    return found;
  }

  put(id: BlobId, lines: readonly string[]): readonly string[] {
    this.#held.delete(id);
    this.#held.set(id, lines);
    const [oldest] = this.#held.keys();
    if (oldest !== undefined && this.#held.size > MOST_HELD) this.#held.delete(oldest);
    return lines;
  }
}
