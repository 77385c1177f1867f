import type { Event } from './event.ts';
import { ANYBODY, type Author, type Finder, type History, PERSON } from './history.ts';

/** A command that is running, as far as the engine was told. */
export interface OpenWindow {
  readonly id: string;
  readonly session: string;
  readonly checkpoint: string;
}

/** What the engine's scans can see, and whose doing they take it for. */
export class Scans {
  /** Whether there was a first scan. */
  hasBaseline = false;
  /** Oldest first. */
  windows: OpenWindow[] = [];
  readonly #history: History;
  readonly #hasFile: boolean;
  /** When each program that is open has scanned last. */
  readonly #own = new Map<number, number>();
  /** When the index in the file was made; null where none can be used. */
  #inFile: number | null = null;
  /** Paths that rules hid until some time. */
  readonly #hiddenUntil = new Map<string, number>();

  constructor(history: History, hasFile: boolean) {
    this.#history = history;
    this.#hasFile = hasFile;
  }

  /** A program scans. `movedOn`: a session whose commands must be over, though nobody said so. */
  scan(program: number, movedOn: string | null): Event[] {
    const before = this.#lastOf(program);
    const found = this.hasBaseline ? this.#look(before, movedOn) : this.#lookFirst();
    this.windows = this.windows.filter(({ session }) => session !== movedOn);
    const now = this.#history.tick();
    this.#own.set(program, now);
    // An older one may be in the file, where only stats moved since: it leads to the same finds.
    if (this.#hasFile) this.#inFile = now;
    return found;
  }

  /** What a program can say about what its tools meet. */
  finder(program: number): Finder {
    const before = this.#lastOf(program);
    if (!this.hasBaseline) return ANYBODY;
    const sawNothing = (path: string): boolean =>
      before !== null && (this.#hiddenUntil.get(path) ?? 0) <= before;
    return { author: authorOf(this.windows, null), sawNothing };
  }

  close(id: string): void {
    this.windows = this.windows.filter((window) => window.id !== id);
  }

  /** Programs that end leave what they know in the file, and there the newest stays. */
  endPrograms(): void {
    if (this.#hasFile && this.#own.size > 0) {
      this.#inFile = Math.max(this.#inFile ?? 0, ...this.#own.values());
    }
    this.killPrograms();
  }

  /** What a program knows by itself is lost with it. */
  killPrograms(): void {
    this.#own.clear();
  }

  /** Whether there was an index in the file. */
  loseFile(): boolean {
    const had = this.#inFile !== null;
    this.#inFile = null;
    return had;
  }

  /** From now on the rules no longer leave a path out. */
  unhide(path: string): void {
    this.#hiddenUntil.set(path, this.#history.tick());
  }

  /** When the index was made that a program goes by. */
  #lastOf(program: number): number | null {
    return this.#own.get(program) ?? this.#inFile;
  }

  #lookFirst(): Event[] {
    this.hasBaseline = true;
    this.#history.lookAtAll();
    return [];
  }

  #look(before: number | null, movedOn: string | null): Event[] {
    // Without an index, what is on record is all that a path can be compared with.
    const isNew = (path: string): boolean =>
      before === null || (this.#hiddenUntil.get(path) ?? 0) > before;
    return this.#history.lookAround(authorOf(this.windows, movedOn), isNew);
  }
}

/** One message's commands have done it, or nobody can tell who, or somebody outside. */
function authorOf(windows: readonly OpenWindow[], movedOn: string | null): Author {
  const newest = windows.at(-1);
  if (newest === undefined) return PERSON;
  const { session, checkpoint } = newest;
  const isSure = windows.every((one) => one.checkpoint === checkpoint && one.session !== movedOn);
  return { by: 'agent', session, checkpoint, shared: !isSure };
}
