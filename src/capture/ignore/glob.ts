import { type ByteClass, isInClass } from './byte-class.ts';
import type { ByteText } from './byte-text.ts';

export const ANY_BYTE = -1;
export const STAR = -2;
/** A byte as it is, one of a class, any one, or any number of any. */
export type GlobToken = number | ByteClass | typeof ANY_BYTE | typeof STAR;
export type Glob = readonly GlobToken[];

/**
 * Whether a name fits. Only the last star is ever tried again: what an earlier one could take more,
 * the last one can take as well. So the time is bounded by the product of the lengths, whatever the
 * pattern.
 */
export function matchesGlob(glob: Glob, name: ByteText): boolean {
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
    } else if (wanted !== undefined && fits(wanted, name.charCodeAt(at))) {
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

function fits(wanted: GlobToken, byte: number): boolean {
  if (typeof wanted === 'string') return isInClass(wanted, byte);
  return wanted === byte || wanted === ANY_BYTE;
}
