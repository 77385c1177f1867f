import { type Entry, type Place, same } from './entry.ts';
import type { Event } from './event.ts';
import { foldersAbove, isBelow, isHidden, linkedName } from './names.ts';

/** Whose doing an event is. */
export type Author = Pick<
  Event,
  'by' | 'session' | 'checkpoint' | 'coAuthors' | 'shared' | 'found'
>;

/**
 * What the index of the last scan says of a path: something was there, or nothing, or a rule hid it. Null
 * where it says nothing of use: there is none, or the record is newer.
 */
export type Sight = 'there' | 'nothing' | 'hidden' | null;

/** What can be said of something that is met unannounced. */
export interface Finder {
  readonly author: Author;
  readonly sight: (path: string) => Sight;
  /** When the newest command began; 0 where none runs. */
  readonly began: number;
}

export const NOBODY: Omit<Author, 'by'> = {
  session: null,
  checkpoint: null,
  coAuthors: [],
  shared: false,
  found: false,
};
export const PERSON: Author = { ...NOBODY, by: 'person' };
/** As long as no scan and no command tells more. */
export const ANYBODY: Finder = { author: PERSON, sight: () => null, began: 0 };
const MOST_LINKS = 4;

/** All that happened to every path, and what is there now. Knows nothing of rewinds. */
export class History {
  readonly tree: Map<string, Entry> = new Map();
  readonly chains: Map<string, Event[]> = new Map();
  /** Names that rules hide. */
  readonly hidden: Set<string> = new Set();
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

  /** What is there and in scope. */
  inSight(): string[] {
    return [...this.tree.keys()].filter((path) => !isHidden(path, this.hidden));
  }

  /** When the newest event of a path went on record. */
  recordedAt(path: string): number {
    return this.chain(path).findLast(({ at }) => at !== Infinity)?.at ?? 0;
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
  settle(path: string, { author, sight, began }: Finder = ANYBODY): void {
    const chain = this.chains.get(path) ?? [];
    const tip = chain.at(-1);
    if (tip?.open) tip.open = false;
    const seen = sight(path);
    // Where no scan looks, it may have happened before the command began.
    const doer = seen === 'hidden' && began > this.recordedAt(path) ? PERSON : author;
    if (seen === 'nothing' && tip?.at === Infinity) this.#appear(path, doer);
    else if (this.#known.has(path)) this.#attribute(path, doer);
    // What was done before the first look cannot be told from what has always been there.
    else if (tip?.at === Infinity) chain.pop();
    this.#known.add(path);
  }

  /** The first scan: from here on it is known of every path what was there. */
  lookAtAll(): void {
    this.atFirstScan = new Map([...this.tree].filter(([path]) => !isHidden(path, this.hidden)));
    for (const path of this.#paths()) {
      const tip = this.chain(path).at(-1);
      if (tip?.open || isHidden(path, this.hidden)) continue;
      if (this.tree.has(path) || this.#known.has(path)) this.settle(path);
      // It went before anybody had seen it.
      else this.chains.delete(path);
    }
  }

  /** A later scan puts down to `author` what nobody recorded, and returns that. */
  lookAround({ author, sight }: Finder): Event[] {
    return this.#paths().flatMap((path) => {
      if (this.chain(path).at(-1)?.open) return [];
      const seen = sight(path);
      // On record, or in the index: it is compared with that, and found whatever it is now.
      if (this.#known.has(path) && (seen === null || seen === 'there')) {
        return this.#attribute(path, author);
      }
      if (!this.tree.has(path) || isHidden(path, this.hidden)) return [];
      return seen === 'nothing' ? this.#appear(path, author) : this.#enter(path);
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

  /** The last scan saw nothing there. What was on record had gone by then, and nobody saw it go. */
  #appear(path: string, author: Author): Event[] {
    const before = this.#recorded(path);
    if (before !== null) this.#appendUnseen(path, before, null);
    const now = this.at(path);
    this.#known.add(path);
    return now === null ? [] : [this.append(path, null, now, author, this.tick())];
  }

  /** A path comes into sight. What it was before, nobody knows, unless it is what it was. */
  #enter(path: string): Event[] {
    const isKnown = this.#known.has(path);
    const before = this.#recorded(path);
    this.#known.add(path);
    if (isKnown && same(before, this.at(path))) return [];
    return [this.#appendUnseen(path, before, this.at(path))];
  }

  /** What the record says is there; what nobody recorded is forgotten. */
  #recorded(path: string): Place {
    const tip = this.chain(path).at(-1);
    if (tip?.at !== Infinity) return this.#known.has(path) ? this.at(path) : null;
    this.chains.get(path)?.pop();
    return this.#known.has(path) ? tip.before : null;
  }

  #appendUnseen(path: string, before: Place, after: Place): Event {
    const event = this.append(path, before, after, PERSON, this.tick());
    event.unseen = true;
    return event;
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
