import { parseClass } from './byte-class.ts';
import type { ByteText } from './byte-text.ts';
import { ANY_BYTE, type GlobToken, STAR } from './glob.ts';
import { ANY_NAME, type NamePattern, namePattern } from './name-pattern.ts';

/** Stands for any number of folders, also none. */
export const ANY_DEPTH = '**';
export type Component = NamePattern | typeof ANY_DEPTH;

/** One line of a rule file. */
export interface Pattern {
  /** Begins with "!": what fits is in scope after all. */
  readonly negated: boolean;
  readonly directoryOnly: boolean;
  /** Holds no slash but a final one, and so asks only for the name, in whatever folder. */
  readonly anywhere: boolean;
  /** Never empty; the last one is never ANY_DEPTH. */
  readonly components: readonly Component[];
}

/** Longer than any path, were every byte of it escaped. Such a line counts as one that fits nothing. */
const MAX_PATTERN_LENGTH = 8192;

/** Null for a line with a class or an escape that does not end: it fits nothing. */
export function parsePattern(line: ByteText): Pattern | null {
  if (line.length > MAX_PATTERN_LENGTH) return null;
  const negated = line.startsWith('!');
  const rest = negated ? line.slice(1) : line;
  const directoryOnly = rest.endsWith('/');
  const body = directoryOnly ? rest.slice(0, -1) : rest;
  // As git has it, a slash counts here even where it is escaped or a member of a class.
  const anywhere = !body.includes('/');
  const components = new ComponentReader(body.startsWith('/') ? body.slice(1) : body).read();
  return components === null ? null : { negated, directoryOnly, anywhere, components };
}

type Separator = '/' | '\\/' | 'end';

class ComponentReader {
  readonly #pattern: ByteText;
  readonly #components: Component[] = [];
  #glob: GlobToken[] = [];
  /** How many stars the component has, as long as it has nothing else. */
  #onlyStars = 0;

  constructor(pattern: ByteText) {
    this.#pattern = pattern;
  }

  read(): Component[] | null {
    for (let at = 0; at < this.#pattern.length; ) {
      const next = this.#take(at);
      if (next === null) return null;
      at = next;
    }
    this.#endComponent('end', this.#pattern.length);
    return this.#components;
  }

  /** Reads what stands at `at`; null where the pattern is broken. */
  #take(at: number): number | null {
    const char = this.#pattern[at];
    if (char === '/') return this.#endComponent('/', at + 1);
    if (char === '*') return this.#takeStar(at);
    if (char === '[') return this.#takeClass(at);
    if (char === '?') return this.#push(ANY_BYTE, at + 1);
    if (char !== '\\') return this.#push(this.#pattern.charCodeAt(at), at + 1);
    if (at + 1 >= this.#pattern.length) return null;
    if (this.#pattern[at + 1] === '/') return this.#endComponent('\\/', at + 2);
    return this.#push(this.#pattern.charCodeAt(at + 1), at + 2);
  }

  #takeStar(at: number): number {
    if (this.#glob.length === 0 || this.#onlyStars > 0) this.#onlyStars += 1;
    if (this.#glob.at(-1) !== STAR) this.#glob.push(STAR);
    return at + 1;
  }

  #takeClass(at: number): number | null {
    const parsed = parseClass(this.#pattern, at);
    return parsed === null ? null : this.#push(parsed.bytes, parsed.end);
  }

  #push(token: GlobToken, next: number): number {
    this.#glob.push(token);
    this.#onlyStars = 0;
    return next;
  }

  /** An empty component, as in "a//b", stays: it asks for an empty name, and there is none. */
  #endComponent(separator: Separator, next: number): number {
    if (this.#onlyStars < 2) this.#components.push(namePattern(this.#glob));
    else this.#pushAnyDepth(separator);
    this.#glob = [];
    this.#onlyStars = 0;
    return next;
  }

  #pushAnyDepth(separator: Separator): void {
    if (this.#components.at(-1) !== ANY_DEPTH) this.#components.push(ANY_DEPTH);
    // A final "**" fits what is inside, not the folder itself; before an escaped slash it takes at
    // least one folder, since git looks for the plain slash only.
    if (separator !== '/') this.#components.push(ANY_NAME);
  }
}
