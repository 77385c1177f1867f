import type { ByteText } from './pattern.ts';

/**
 * The bytes that belong to a class such as "[a-z]": one bit for each of the 256, in 16 characters. It is a
 * text because a hostile file can hold 300,000 classes, and a typed array takes several times the memory.
 */
export type ByteClass = string;

export function isInClass(bytes: ByteClass, byte: number): boolean {
  return ((bytes.charCodeAt(byte >> 4) >> (byte & 15)) & 1) === 1;
}

export interface ParsedClass {
  readonly bytes: ByteClass;
  /** Where the pattern goes on. */
  readonly end: number;
}

/**
 * Parses the class whose "[" is at `start`. Null where it has no end or names an unknown class: such a
 * pattern fits nothing.
 */
export function parseClass(pattern: ByteText, start: number): ParsedClass | null {
  let at = start + 1;
  const negated = pattern[at] === '!' || pattern[at] === '^';
  if (negated) at += 1;
  const members = new ClassMembers(pattern);
  // "]" is a member where it comes first.
  for (const first = at; at === first || pattern[at] !== ']'; ) {
    const next = members.take(at);
    if (next === null) return null;
    at = next;
  }
  return { bytes: members.bytes(negated), end: at + 1 };
}

class ClassMembers {
  readonly #pattern: ByteText;
  readonly #bits = new Uint16Array(16);
  /** The byte at which a following "-" would start a range. */
  #rangeStart: number | null = null;

  constructor(pattern: ByteText) {
    this.#pattern = pattern;
  }

  bytes(negated: boolean): ByteClass {
    return String.fromCharCode(...(negated ? this.#bits.map((bits) => ~bits) : this.#bits));
  }

  /** Adds the member at `at` and says where the next one is; null where the class is broken. */
  take(at: number): number | null {
    const pattern = this.#pattern;
    if (at >= pattern.length) return null;
    if (pattern[at] === '-' && this.#rangeStart !== null && this.#hasRangeEnd(at + 1)) {
      return this.#takeRange(this.#rangeStart, at + 1);
    }
    if (pattern.startsWith('[:', at)) return this.#takeNamed(at);
    return this.#takeByte(at);
  }

  #hasRangeEnd(at: number): boolean {
    return at < this.#pattern.length && this.#pattern[at] !== ']';
  }

  #takeRange(from: number, end: number): number | null {
    const at = this.#pattern[end] === '\\' ? end + 1 : end;
    if (at >= this.#pattern.length) return null;
    const to = this.#pattern.charCodeAt(at);
    for (let byte = from; byte <= to; byte += 1) this.#add(byte);
    this.#rangeStart = null;
    return at + 1;
  }

  #takeNamed(at: number): number | null {
    const close = this.#pattern.indexOf(']', at + 2);
    if (close === -1) return null;
    // "[:" without its ":]" is an ordinary "[" among the members.
    if (close === at + 2 || this.#pattern[close - 1] !== ':') return this.#takeByte(at);
    const named = NAMED_CLASSES.get(this.#pattern.slice(at + 2, close - 1));
    if (named === undefined) return null;
    for (let byte = 0; byte < 128; byte += 1) {
      if (named.test(String.fromCharCode(byte))) this.#add(byte);
    }
    this.#rangeStart = null;
    return close + 1;
  }

  #takeByte(start: number): number | null {
    const at = this.#pattern[start] === '\\' ? start + 1 : start;
    if (at >= this.#pattern.length) return null;
    const byte = this.#pattern.charCodeAt(at);
    this.#add(byte);
    this.#rangeStart = byte;
    return at + 1;
  }

  #add(byte: number): void {
    const bits = this.#bits[byte >> 4] ?? 0;
    this.#bits[byte >> 4] = bits | (1 << (byte & 15));
  }
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
