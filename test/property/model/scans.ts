import { type Event, familyOf } from './event.ts';
import { ANYBODY, type Author, type Finder, type History, PERSON, type Sight } from './history.ts';
import { isHidden } from './names.ts';

/** A command that is running, as far as the engine was told. */
export interface OpenWindow {
  readonly id: string;
  readonly session: string;
  readonly checkpoint: string;
  readonly began: number;
  /** When other commands ran whose ends were told. */
  readonly certain: { readonly from: number; readonly to: number }[];
}

/** What a scan leaves for the next one to compare with. */
interface Index {
  readonly at: number;
  readonly there: ReadonlySet<string>;
  readonly hidden: ReadonlySet<string>;
  /** Paths at which a tool was at work. */
  readonly open: ReadonlySet<string>;
}

/** What the engine's scans can see, and whose doing they take it for. */
export class Scans {
  /** Whether there was a first scan. */
  hasBaseline = false;
  /** Oldest first. */
  windows: OpenWindow[] = [];
  readonly #history: History;
  readonly #hasFile: boolean;
  /** The index of each program that is open and has scanned. */
  readonly #own = new Map<number, Index>();
  /** The index in the file; null where none can be used. */
  #inFile: Index | null = null;

  constructor(history: History, hasFile: boolean) {
    this.#history = history;
    this.#hasFile = hasFile;
  }

  /** A program scans. `movedOn`: a session whose commands must be over, though nobody said so. */
  scan(program: number, movedOn: string | null): Event[] {
    const index = indexOf(this.#history);
    for (const window of this.windows) if (window.session === movedOn) this.#doubt(window);
    const found = this.hasBaseline ? this.#look(program, movedOn) : this.#lookFirst();
    this.windows = this.windows.filter(({ session }) => session !== movedOn);
    this.#own.set(program, index);
    // An older one may be in the file, where only stats moved since: it leads to the same finds.
    if (this.#hasFile) this.#inFile = index;
    return found;
  }

  /** What a program can say about what its tools meet. */
  finder(program: number): Finder {
    if (!this.hasBaseline) return ANYBODY;
    const index = this.#lastOf(program);
    const sight = (path: string): Sight =>
      index !== null && isHidden(path, index.hidden) ? 'hidden' : this.#sight(index, path);
    const began = this.windows.at(-1)?.began ?? 0;
    return { author: authorOf(this.windows, null), sight, began };
  }

  /** The end of a command is told, after a scan. */
  close(id: string): void {
    const ended = this.windows.find((window) => window.id === id);
    this.windows = this.windows.filter((window) => window.id !== id);
    if (ended === undefined) return;
    const span = { from: ended.began, to: this.#history.tick() };
    for (const { certain } of this.windows) certain.push(span);
  }

  /** What programs know by themselves ends with them: each scan has written its index to the file. */
  endPrograms(): void {
    this.#own.clear();
  }

  /** Whether there was an index in the file. */
  loseFile(): boolean {
    const had = this.#inFile !== null;
    this.#inFile = null;
    return had;
  }

  /** Nobody tells the end of a command: what was found while only it ran can be anybody's. */
  #doubt({ checkpoint, began, certain }: OpenWindow): void {
    for (const event of this.#history.events()) {
      const isOfIt = [event, ...event.coAuthors].some((one) => one.checkpoint === checkpoint);
      const isCertain = certain.some(({ from, to }) => from < event.at && event.at < to);
      if (event.found && isOfIt && event.at > began && !isCertain) event.shared = true;
    }
  }

  /** The index that a program goes by. */
  #lastOf(program: number): Index | null {
    return this.#own.get(program) ?? this.#inFile;
  }

  #sight(index: Index | null, path: string): Sight {
    if (index === null || index.open.has(path) || this.#history.recordedAt(path) > index.at) {
      return null;
    }
    if (isHidden(path, index.hidden)) return 'hidden';
    return index.there.has(path) ? 'there' : 'nothing';
  }

  #lookFirst(): Event[] {
    this.hasBaseline = true;
    this.#history.lookAtAll();
    return [];
  }

  #look(program: number, movedOn: string | null): Event[] {
    const index = this.#lastOf(program);
    const author = authorOf(this.windows, movedOn);
    return this.#history.lookAround({
      author,
      sight: (path) => this.#sight(index, path),
      began: 0,
    });
  }
}

/** Before anything is put on record: what the scan records itself is newer, and looked at once more. */
function indexOf(history: History): Index {
  const open = history.events().filter((event) => event.open);
  return {
    at: history.tick(),
    there: new Set(history.inSight()),
    hidden: new Set(history.hidden),
    open: new Set(open.map(({ path }) => path)),
  };
}

/** One family's commands have done it, or nobody can tell who, or somebody outside. */
function authorOf(windows: readonly OpenWindow[], movedOn: string | null): Author {
  const newest = windows.at(-1);
  if (newest === undefined) return PERSON;
  const { session, checkpoint } = newest;
  const family = familyOf(session);
  const isSure = windows.every(
    (one) => familyOf(one.session) === family && one.session !== movedOn,
  );
  const coAuthors = windows.filter((one) => one.checkpoint !== checkpoint);
  return { by: 'agent', session, checkpoint, coAuthors, shared: !isSure, found: true };
}
