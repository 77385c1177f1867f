import { pathToBytes } from '../../model/path.ts';
import { type ByteClass, isInClass, parseClass } from './byte-class.ts';

/**
 * A text with one character for each byte. Git's patterns are about bytes: its "?" matches half of an
 * "é". Most names are ASCII, and are their own byte text.
 */
export type ByteText = string;

/** The byte text of a path, or of a whole rule file. */
export function byteText(path: string): ByteText {
  return /[^\0-\x7f]/.test(path) ? Buffer.from(pathToBytes(path)).toString('latin1') : path;
}

/** Matches any number of folders, also none. */
export const ANY_DEPTH = '**';
export type Component = NamePattern | typeof ANY_DEPTH;

/** One line of a rule file. */
export interface Pattern {
  /** Begins with "!": an entry that fits is in scope after all. */
  readonly negated: boolean;
  readonly directoryOnly: boolean;
  /** Has no slash except a final one, so it is only about the name, in every folder. */
  readonly anywhere: boolean;
  /** Never empty; the last one is never ANY_DEPTH. */
  readonly components: readonly Component[];
}

/** No path is longer, even with every byte escaped. A longer line fits nothing. */
const MAX_PATTERN_LENGTH = 8192;

/** Null for a line with a class or an escape that does not end: it fits nothing. */
export function parsePattern(line: ByteText): Pattern | null {
  if (line.length > MAX_PATTERN_LENGTH) return null;
  const negated = line.startsWith('!');
  const rest = negated ? line.slice(1) : line;
  const directoryOnly = rest.endsWith('/');
  const body = directoryOnly ? rest.slice(0, -1) : rest;
  // As in git, a slash counts here even where it is escaped or a member of a class.
  const anywhere = !body.includes('/');
  const components = new ComponentReader(body.startsWith('/') ? body.slice(1) : body).read();
  return components === null ? null : { negated, directoryOnly, anywhere, components };
}

type Separator = '/' | '\\/' | 'end';

class ComponentReader {
  readonly #pattern: ByteText;
  readonly #components: Component[] = [];
  #glob: GlobToken[] = [];
  /** The number of stars, while the component has nothing else. */
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

  /** Reads the token at `at` and returns where the next one is; null where the pattern is broken. */
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

  /** Keeps an empty component, as in "a//b": it asks for an empty name, so nothing fits. */
  #endComponent(separator: Separator, next: number): number {
    if (this.#onlyStars < 2) this.#components.push(namePattern(this.#glob));
    else this.#pushAnyDepth(separator);
    this.#glob = [];
    this.#onlyStars = 0;
    return next;
  }

  #pushAnyDepth(separator: Separator): void {
    if (this.#components.at(-1) !== ANY_DEPTH) this.#components.push(ANY_DEPTH);
    // A final "**" fits the entries inside, not the folder itself. Before an escaped slash it takes at
    // least one folder, since git looks for a plain slash only.
    if (separator !== '/') this.#components.push(ANY_NAME);
  }
}

/** One component of a pattern, which a name fits or not. */
export interface NamePattern {
  /** The one name that fits, where there is only one. */
  readonly literal: ByteText | null;
  fits(name: ByteText): boolean;
}

const ANY_NAME: NamePattern = { literal: null, fits: () => true };

/** Most patterns are a name, "*.end" or "start*", which need no general matcher. */
function namePattern(glob: Glob): NamePattern {
  const literal = literalOf(glob);
  if (literal !== null) return { literal, fits: (name) => name === literal };
  const end = glob[0] === STAR ? literalOf(glob.slice(1)) : null;
  if (end !== null) return { literal: null, fits: (name) => name.endsWith(end) };
  const start = glob.at(-1) === STAR ? literalOf(glob.slice(0, -1)) : null;
  if (start !== null) return { literal: null, fits: (name) => name.startsWith(start) };
  return { literal: null, fits: (name) => matchesGlob(glob, name) };
}

function literalOf(glob: Glob): ByteText | null {
  return glob.every(isByte) ? glob.map((byte) => String.fromCharCode(byte)).join('') : null;
}

function isByte(token: GlobToken): token is number {
  return typeof token === 'number' && token >= 0;
}

const ANY_BYTE = -1;
const STAR = -2;
/** One certain byte, one byte of a class, any byte, or any number of bytes. */
type GlobToken = number | ByteClass | typeof ANY_BYTE | typeof STAR;
type Glob = readonly GlobToken[];

/**
 * Whether a name fits. On a mismatch only the last star is tried with one byte more: an earlier star
 * could match nothing that the last one cannot. So the time is at most the product of both lengths, even
 * for a hostile pattern.
 */
function matchesGlob(glob: Glob, name: ByteText): boolean {
  let token = 0;
  let at = 0;
  let afterStar = -1;
  let starEnd = 0;
  while (at < name.length) {
    const wanted = glob[token];
    if (wanted === STAR) {
      token += 1;
      afterStar = token;
      starEnd = at;
    } else if (wanted !== undefined && fitsByte(wanted, name.charCodeAt(at))) {
      token += 1;
      at += 1;
    } else if (afterStar !== -1) {
      token = afterStar;
      starEnd += 1;
      at = starEnd;
    } else {
      return false;
    }
  }
  while (glob[token] === STAR) token += 1;
  return token === glob.length;
}

function fitsByte(wanted: GlobToken, byte: number): boolean {
  if (typeof wanted === 'string') return isInClass(wanted, byte);
  return wanted === byte || wanted === ANY_BYTE;
}
