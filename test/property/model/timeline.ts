import type { OnConflict, OperationKind } from '../../../src/index.ts';
import { type Place, same } from './entry.ts';
import { type Event, isLive } from './event.ts';
import { fitFolders, type Line, type Lines } from './fit-folders.ts';
import { type Author, History, NOBODY } from './history.ts';
import { isBelow } from './names.ts';
import { CONFLICT, isReversible, takeOut, UNKNOWN } from './take-out.ts';

export interface Checkpoint {
  readonly id: string;
  readonly at: number;
  readonly session: string | null;
  readonly messageId: string | null;
  /** What counted then of all that agents had done. */
  readonly live: ReadonlySet<Event>;
}

export interface Operation {
  readonly id: string;
  readonly kind: OperationKind;
  readonly reverts: string | null;
  readonly at: number;
  inEffect: boolean;
  readonly events: readonly Event[];
}

export interface Choices {
  readonly onConflict: OnConflict | undefined;
  /** Only these paths and what is below them. */
  readonly paths: readonly string[] | undefined;
  /** Paths of which nothing is taken back because all of it is shared. */
  readonly leftOut: readonly string[];
  /** Whether everybody's changes are taken back, seen or not. */
  readonly exact: boolean;
}

/** What an operation is called, as far as only the engine can say. */
export type Recorded = Pick<Operation, 'id' | 'kind' | 'reverts'> & { readonly safetyId: string };

const OPERATION: Author = { ...NOBODY, by: 'operation' };

/** The points to return to, and what returning does to the history. */
export class Timeline {
  readonly history: History = new History();
  /** Newest first, as they are listed. */
  checkpoints: Checkpoint[] = [];
  operations: Operation[] = [];
  readonly #pruned = new Set<Event>();

  addCheckpoint(made: Pick<Checkpoint, 'id' | 'session' | 'messageId'>): void {
    const live = this.history.events().filter((event) => event.by === 'agent' && isLive(event));
    this.checkpoints.unshift({ ...made, at: this.history.tick(), live: new Set(live) });
  }

  /** What taking a set of events back is expected to do to each path. */
  plan(set: ReadonlySet<Event>, choices: Choices): Lines {
    const lines: Lines = new Map();
    const isChosen = (path: string): boolean =>
      choices.paths?.some((name) => path === name || isBelow(path, name)) ?? true;
    for (const path of new Set([...set].map((event) => event.path))) {
      if (isChosen(path)) lines.set(path, this.#line(path, set, choices));
    }
    for (const path of choices.leftOut) if (isChosen(path)) lines.set(path, this.#skipped(path));
    fitFolders(lines, this.history.tree, (path) => this.#newFolder(path, choices));
    return lines;
  }

  /** Carries lines out that have an effect, and puts it on record. */
  record(lines: Lines, made: Recorded): void {
    const effective = [...lines].filter(([, line]) => isEffective(line));
    for (const [path] of effective) this.history.settle(path);
    this.addCheckpoint({ id: made.safetyId, session: null, messageId: null });
    const began = this.history.tick();
    const events = effective.map(([path, { target, takes }]) => {
      const at = this.history.tick();
      // What was not worth a record when the path was looked at cannot be taken back either.
      const taken = takes.filter((event) => event.at !== Infinity);
      const event = this.history.append(path, this.history.at(path), target, OPERATION, at, taken);
      this.history.place(path, target);
      return event;
    });
    const conflicts = [...lines.values()].some(({ verdict }) => verdict === 'conflict');
    if (made.reverts !== null && !conflicts) this.#revert(made.reverts);
    this.operations.unshift({ ...made, at: began, inEffect: true, events });
  }

  /** The rewind that an undo takes back. */
  toUndo(): Operation | undefined {
    return this.operations.find(({ kind, inEffect }) => kind === 'rewind' && inEffect);
  }

  /** The undo that a redo takes back: a newer rewind ends the chance. */
  toRedo(): Operation | undefined {
    const rewind = this.operations.findIndex(({ kind }) => kind === 'rewind');
    const newer = rewind === -1 ? this.operations : this.operations.slice(0, rewind);
    return newer.find(({ kind, inEffect }) => kind === 'undo' && inEffect);
  }

  /** Rows older than all that is listed are gone; only what they say about folders is missed. */
  prune(): void {
    const listed = [this.checkpoints.at(-1)?.at, this.operations.at(-1)?.at];
    const floor = Math.min(...listed.map((at) => at ?? Infinity));
    for (const event of this.history.events()) {
      if (event.at < floor && !event.open) this.#pruned.add(event);
    }
  }

  #line(path: string, set: ReadonlySet<Event>, { onConflict }: Choices): Line {
    const now = this.history.at(path);
    const chain = this.history.chain(path);
    const takes = chain.filter((event) => set.has(event));
    const outcome = takeOut(chain, set, now);
    if (outcome === UNKNOWN) return { ...this.#skipped(path), isLost: now === null };
    const conflict = outcome === CONFLICT;
    const muddles = !isReversible(chain, set, now);
    if (conflict && onConflict === 'keep') return { verdict: 'keep', target: now, takes, muddles };
    if (conflict && onConflict !== 'restore') {
      return { verdict: 'conflict', target: now, takes: [] };
    }
    const target = conflict ? (takes[0]?.before ?? null) : outcome;
    return { verdict: same(target, now) ? 'already-there' : 'work', target, takes, muddles };
  }

  #skipped(path: string): Line {
    return { verdict: 'skip', target: this.history.at(path), takes: [] };
  }

  #revert(id: string): void {
    const reverted = this.operations.find((operation) => operation.id === id);
    if (reverted === undefined) return;
    reverted.inEffect = false;
    const revived = this.operations.find((operation) => operation.id === reverted.reverts);
    if (revived !== undefined) revived.inEffect = true;
  }

  #newFolder(path: string, { exact }: Choices): Line {
    const unseen = this.history.chain(path).filter((event) => event.at === Infinity);
    const target: Place = { kind: 'folder', mode: this.#modeOf(path) };
    return { verdict: 'work', target, takes: exact ? unseen : [] };
  }

  /** A folder that has to be made again gets the mode that it was last seen with. */
  #modeOf(folder: string): number {
    const rows = this.history.chain(folder).filter((event) => event.at !== Infinity);
    const left = rows.filter((event) => !this.#pruned.has(event));
    const places = left.flatMap(({ before, after }) => [before, after]);
    const last = places.findLast((place) => place?.kind === 'folder');
    const known = last ?? rows.at(-1)?.after ?? this.history.atFirstScan.get(folder);
    return known?.kind === 'folder' ? known.mode : 0o755;
  }
}

/** Whether a line goes on record: it works, or settles without work what was to be taken back. */
export function isEffective({ verdict }: Line): boolean {
  return verdict === 'work' || verdict === 'already-there' || verdict === 'keep';
}
