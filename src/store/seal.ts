const MULTIPLIER = 0x9e3779b1;
// What SQLite keeps in three bytes.
const MASK = 0x7fffff;

/**
 * A number that tells whether a row is still what was written. Against damage, not against people: each
 * step can be inverted, so that no single difference is lost on the way.
 */
export function sealOf(...values: readonly unknown[]): number {
  let seal = values.length;
  for (const value of values) seal = mixed(seal, value);
  return (seal ^ (seal >>> 15)) & MASK;
}

function mixed(seal: number, value: unknown): number {
  if (value === null) return step(seal, 1);
  if (typeof value === 'number') return number(step(seal, 2), value);
  if (typeof value === 'string') return text(step(seal, 3), value);
  return value instanceof Uint8Array ? bytes(step(seal, 4), value) : step(seal, 5);
}

/** In two halves: an integer has up to 53 bits, and another kind of number is its fraction too. */
function number(seal: number, value: number): number {
  const high = Math.floor(value / 0x100000000);
  const low = step(step(seal, value >>> 0), high);
  return Number.isInteger(value) ? low : step(low, Math.round((value % 1) * 0x7fffffff));
}

function text(seal: number, value: string): number {
  let result = step(seal, value.length);
  for (let at = 0; at < value.length; at += 1) result = step(result, value.charCodeAt(at));
  return result;
}

function bytes(seal: number, value: Uint8Array): number {
  let result = step(seal, value.length);
  for (const byte of value) result = step(result, byte);
  return result;
}

function step(seal: number, value: number): number {
  const product = Math.imul(seal ^ value, MULTIPLIER);
  return product ^ (product >>> 16);
}
