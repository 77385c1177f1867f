import type { Completion } from '../ui/interactive-ui.ts';
import { FuzzyList } from './fuzzy-list.ts';

export interface PathOffersParts {
  /** Paths of the project; folders end in a slash. `again` looks at the disk. */
  readonly list: (again: boolean) => Promise<readonly string[]>;
  /** Another list is there: what is offered may be another. */
  readonly onChange: () => void;
  readonly now?: () => number;
}

/** The disk is not looked at more often than this while somebody types. */
const FRESH_MS = 2_000;

/** What `@` offers. The list is made off the path of the keys, and made anew when an `@` is typed later. */
export class PathOffers {
  readonly #parts: PathOffersParts;
  readonly #now: () => number;
  #paths = new FuzzyList([]);
  #isListing = false;
  #listedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: PathOffersParts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
  }

  /** Lists what is known already. Never rejects: without a list nothing is offered. */
  async load(again = false): Promise<void> {
    if (this.#isListing) return;
    this.#isListing = true;
    try {
      const paths = await this.#parts.list(again);
      this.#paths = new FuzzyList(paths);
      this.#parts.onChange();
    } catch {
      // The list from before serves.
    } finally {
      this.#isListing = false;
      this.#listedAt = this.#now();
    }
  }

  /** `text` is the word that begins with `@`. Nothing where it is a file's path already. */
  complete(text: string): readonly Completion[] {
    if (this.#now() - this.#listedAt > FRESH_MS) void this.load(true);
    const query = text.replace(/^@"?/, '');
    const best = this.#paths.best(query).filter(isOffered);
    if (best.includes(query) && !query.endsWith('/')) return [];
    return best
      .filter((path) => path !== query)
      .map((path) => ({ text: mention(path), summary: '' }));
  }
}

// The SDK ends a path at a quote, and nobody could see what such a name would do to a terminal.
const UNFIT = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{fffd}"]|\p{Surrogate}/u;

function isOffered(path: string): boolean {
  return !UNFIT.test(path);
}

/** As the SDK reads it: in quotes where the path has blanks. A folder's stays open, to go on in it. */
export function mention(path: string): string {
  if (!/\s/.test(path)) return `@${path}`;
  return path.endsWith('/') ? `@"${path}` : `@"${path}"`;
}
