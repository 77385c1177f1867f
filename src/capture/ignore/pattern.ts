import { pathToBytes } from '../../model/path.ts';

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

/**
 * The bytes that belong to a class such as "[a-z]": one bit for each of the 256, in 16 characters. It is a
 * text because a hostile file can hold 300,000 classes, and a typed array takes several times the memory.
 */
export type ByteClass = string;

export function isInClass(bytes: ByteClass, byte: number): boolean {
  return ((bytes.charCodeAt(byte >> 4) >> (byte & 15)) & 1) === 1;
}

/**
 * Parses the class whose "[" is at `start`. `end` is where the pattern goes on. Null where the class has no
 * end or names an unknown class: such a pattern fits nothing.
 */
export function parseClass(
  pattern: ByteText,
  start: number,
): { readonly bytes: ByteClass; readonly end: number } | null {
  const negated = pattern[start + 1] === '!' || pattern[start + 1] === '^';
  const first = start + (negated ? 2 : 1);
  const bits = new Uint16Array(16);
  const add = (from: number, to: number): void => {
    for (let byte = from; byte <= to; byte += 1) {
      bits[byte >> 4] = (bits[byte >> 4] as number) | (1 << (byte & 15));
    }
  };
  // The byte before, from which a "-" would start a range.
  let before: number | null = null;
  let at = first;
  // "]" is a member where it comes first.
  while (at === first || pattern[at] !== ']') {
    const named = namedClass(pattern, at);
    if (named === 'unknown') return null;
    if (named !== null) {
      for (let byte = 0; byte < 128; byte += 1) {
        if (named.test(String.fromCharCode(byte))) add(byte, byte);
      }
      at = pattern.indexOf(']', at) + 1;
      before = null;
      continue;
    }
    const isRange: boolean =
      before !== null && pattern[at] === '-' && (pattern[at + 1] ?? ']') !== ']';
    if (isRange) at += 1;
    if (pattern[at] === '\\') at += 1;
    if (at >= pattern.length) return null;
    const byte = pattern.charCodeAt(at);
    add(isRange ? (before as number) : byte, byte);
    before = isRange ? null : byte;
    at += 1;
  }
  const members = negated ? bits.map((bit) => ~bit) : bits;
  return { bytes: String.fromCharCode(...members), end: at + 1 };
}

/** The named class at `at`, such as "[:alpha:]"; null where there is none. */
function namedClass(pattern: ByteText, at: number): RegExp | 'unknown' | null {
  if (!pattern.startsWith('[:', at)) return null;
  const close = pattern.indexOf(']', at + 2);
  if (close === -1) return 'unknown';
  // "[:" without its ":]" is an ordinary "[" among the members.
  if (close === at + 2 || pattern[close - 1] !== ':') return null;
  return NAMED_CLASSES.get(pattern.slice(at + 2, close - 1)) ?? 'unknown';
}

/** ASCII only, in every locale. White space has no form feed, as in git. */
const NAMED_CLASSES: ReadonlyMap<string, RegExp> = new Map([
  ['alnum', /[0-9A-Za-z]/],
  ['alpha', /[A-Za-z]/],
  ['blank', /[ \t]/],
  ['cntrl', /[\0-\x1f\x7f]/],
  ['digit', /[0-9]/],
  ['graph', /[!-~]/],
  ['lower', /[a-z]/],
  ['print', /[ -~]/],
  ['punct', /[!-/:-@[-`{-~]/],
  ['space', /[ \t\n\r]/],
  ['upper', /[A-Z]/],
  ['xdigit', /[0-9A-Fa-f]/],
]);
