import type { ByteText } from './byte-text.ts';
import { type Glob, type GlobToken, matchesGlob, STAR } from './glob.ts';

/** What one component of a pattern asks of one name. */
export interface NamePattern {
  /** The one name that fits, where there is only one. */
  readonly literal: ByteText | null;
  fits(name: ByteText): boolean;
}

export const ANY_NAME: NamePattern = { literal: null, fits: () => true };

/** Most patterns are a name, "*.end" or "start*": those need no general matcher. */
export function namePattern(glob: Glob): NamePattern {
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
