import { type Entry, type Place, same } from './entry.ts';
import type { Event } from './event.ts';
import { foldersAbove, isBelow, linkedName } from './names.ts';

/** Whose doing an event is. */
export type Author = Pick<Event, 'by' | 'session' | 'checkpoint' | 'shared'>;

/** What can be said of something that is met unannounced. */
export interface Finder {
  readonly author: Author;
  /** Whether a scan saw that nothing was at a path that the engine has not looked at. */
  readonly sawNothing: (path: string) => boolean;
}

export const PERSON: Author = { by: 'person', session: null, checkpoint: null, shared: false };
/** As long as no scan and no command tells more. */
export const ANYBODY: Finder = { author: PERSON, sawNothing: () => false };
const MOST_LINKS = 4;

/** All that happened to every path, and what is there now. Knows nothing of rewinds. */
export class History {
  readonly tree: Map<string, Entry> = new Map();
  readonly chains: Map<string, Event[]> = new Map();
  /** What the first scan found. */
  atFirstScan: ReadonlyMap<string, Entry> = new Map();
  /** Paths that the engine has looked at; before that, it cannot know who made what is there. */
  readonly #known = new Set<string>();
  #clock = 0;

  tick(): number {
    this.#clock += 1;
    return this.#clock;
  }

  at(path: string): Place {
    return this.tree.get(path) ?? null;
  }

  chain(path: string): readonly Event[] {
    return this.chains.get(path) ?? [];
  }

  events(): Event[] {
    return [...this.chains.values()].flat();
  }

  below(folder: string): string[] {
    return [...this.tree.keys()].filter((path) => isBelow(path, folder));
  }

  /** Somebody writes. The engine is not told; what is under an open event counts as its doing. */
  write(path: string, next: Place, by: 'agent' | 'person'): void {
    const before = this.at(path);
    this.place(path, next);
    const tip = this.chain(path).at(-1);
    if (tip?.open || (by === 'person' && tip?.at === Infinity)) tip.after = next;
    else if (by === 'person') this.append(path, before, next, PERSON, Infinity);
    this.#forgetRoundTrip(path);
  }

  place(path: string, next: Place): void {
    if (next === null) this.tree.delete(path);
    else this.tree.set(path, next);
  }

  /** An agent says which paths it is about to write. */
  begin(names: readonly string[], author: Author, finder: Finder): Event[] {
    const paths = new Set(names.flatMap((name) => this.#lookedAt(name)));
    return [...paths].map((path) => {
      this.settle(path, finder);
      const event = this.append(path, this.at(path), this.at(path), author, this.tick());
      event.open = true;
      return event;
    });
  }

  /** The agent is done: what has appeared below the paths that it named is its doing as well. */
  end(opened: readonly Event[], author: Author, finder: Finder): void {
    const mine = new Set(opened.map(({ path }) => path));
    for (const event of opened) {
      event.open = false;
      if (this.at(event.path)?.kind !== 'folder') continue;
      for (const path of this.below(event.path)) {
        if (mine.has(path) || this.chain(path).at(-1)?.open) continue;
        mine.add(path);
        this.settle(path, finder);
        this.append(path, null, this.at(path), author, this.tick());
      }
    }
  }

  /** The engine looks at a path: what nobody recorded becomes part of the record. */
  settle(path: string, { author, sawNothing }: Finder = ANYBODY): void {
    const chain = this.chains.get(path) ?? [];
    const tip = chain.at(-1);
    if (tip?.open) tip.open = false;
    // What was done before the first look cannot be told from what has always been there.
    if (this.#known.has(path) || sawNothing(path)) this.#attribute(path, author);
    else if (tip?.at === Infinity) chain.pop();
    this.#known.add(path);
  }

  /** The first scan: from here on it is known of every path what was there. */
  lookAtAll(): void {
    this.atFirstScan = new Map(this.tree);
    for (const path of this.#paths()) {
      const tip = this.chain(path).at(-1);
      if (tip?.open) continue;
      if (this.tree.has(path) || this.#known.has(path)) this.settle(path);
      // It went before anybody had seen it.
      else this.chains.delete(path);
    }
  }

  /**
   * A later scan puts down to `author` what nobody recorded, and returns that. Of a path that `isNew` to
   * it and that nobody has looked at, nobody can say who made it.
   */
  lookAround(author: Author, isNew: (path: string) => boolean): Event[] {
    return this.#paths().flatMap((path) => {
      const tip = this.chain(path).at(-1);
      if (tip?.open || (tip?.at !== Infinity && this.#known.has(path))) return [];
      // What another program has seen since is no news any more.
      const enters = isNew(path) && !this.#known.has(path);
      return enters ? this.#enter(path) : this.#attribute(path, author);
    });
  }

  append(
    path: string,
    before: Place,
    after: Place,
    author: Author,
    at: number,
    takes: readonly Event[] = [],
  ): Event {
    const event: Event = {
      ...author,
      path,
      at,
      before,
      after,
      open: false,
      takes,
      unseen: false,
      takenBy: [],
    };
    for (const taken of takes) taken.takenBy.push(event);
    this.chains.set(path, [...this.chain(path), event]);
    return event;
  }

  #paths(): string[] {
    return [...new Set([...this.tree.keys(), ...this.chains.keys()])];
  }

  #attribute(path: string, author: Author): Event[] {
    const pending = this.chain(path).at(-1);
    if (pending?.at !== Infinity) return [];
    this.#known.add(path);
    if (author === PERSON) {
      // The same event: an operation may be about to take it back.
      pending.at = this.tick();
      return [pending];
    }
    this.chains.get(path)?.pop();
    return [this.append(path, pending.before, pending.after, author, this.tick())];
  }

  /** A path comes into sight; what was done to it before has left no trace. */
  #enter(path: string): Event[] {
    if (this.chain(path).at(-1)?.at === Infinity) this.chains.get(path)?.pop();
    if (!this.tree.has(path)) return [];
    this.#known.add(path);
    const event = this.append(path, null, this.at(path), PERSON, this.tick());
    event.unseen = true;
    return [event];
  }

  /** What nobody saw and left no trace did not happen. */
  #forgetRoundTrip(path: string): void {
    const chain = this.chains.get(path);
    const tip = chain?.at(-1);
    if (tip?.at === Infinity && same(tip.before, tip.after)) chain?.pop();
  }

  /** A name with what it leads to, if it is a link; null for links in a circle. */
  resolve(name: string): string[] | null {
    const found = [name];
    for (let at = this.at(name); at?.kind === 'link'; at = this.at(found.at(-1) ?? name)) {
      if (found.length > MOST_LINKS) return null;
      found.push(linkedName(at.target));
    }
    return found;
  }

  /** The path, the folders above it that are missing, and all that is below it. */
  #lookedAt(name: string): string[] {
    return (this.resolve(name) ?? []).flatMap((path) => {
      const above = foldersAbove(path);
      const innermost = above.at(-1);
      const complete = innermost === undefined || this.tree.has(innermost);
      const missing = complete ? [] : above.filter((folder) => !this.tree.has(folder));
      return [...missing, path, ...this.below(path)];
    });
  }
}
