import { SavepointError } from '../errors.ts';

/**
 * The form in which every value is written: JSON, and bytes as they are where the form allows it. An object with
 * one key that begins with `$` is a *tag* and stands for something that JSON lacks, as in
 * `{"$Date": "2026-01-01T00:00:00.000Z"}`. A key of the value's own that begins with `$` is written with
 * one more, so that the two can never be taken for each other.
 */
export type Tree = null | boolean | number | string | Uint8Array | readonly Tree[] | TreeObject;

export interface TreeObject {
  readonly [key: string]: Tree;
}

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

const DOLLAR = 36;

export function writtenKey(key: string): string {
  return key.charCodeAt(0) === DOLLAR ? `$${key}` : key;
}

export function readKey(key: string): string {
  return key.charCodeAt(0) === DOLLAR ? key.slice(1) : key;
}

/** The tag that an object is, or null for an object that is one. */
export function tagOf(object: object): string | null {
  const keys = Object.keys(object);
  const [key] = keys;
  if (keys.length !== 1 || key === undefined || key.charCodeAt(0) !== DOLLAR) return null;
  return key.charCodeAt(1) === DOLLAR ? null : key;
}

/** As an assignment, also for `__proto__`, which an assignment would take for something else. */
export function setKey(object: object, key: string, value: unknown): void {
  if (key !== '__proto__') (object as Record<string, unknown>)[key] = value;
  else {
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
}

/**
 * Where a value is within another: an own key, or a number: of an entry of a list or set, and in a Map the
 * keys and values counted together, in their order.
 */
export type Segment = string | number;

export interface Place {
  readonly parent: Place | null;
  /** Without a parent: the name that the caller gave to the whole. */
  readonly key: Segment;
  readonly depth: number;
}

/** From the whole value, which is the empty list, down to here. */
export function segmentsOf(place: Place): Segment[] {
  const segments: Segment[] = [];
  for (let at = place; at.parent !== null; at = at.parent) segments.push(at.key);
  return segments.reverse();
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** As one would write it in a program: `state.messages[3]["content-type"]`. */
export function pathText(name: string, segments: readonly Segment[]): string {
  return segments.reduce<string>((text, segment) => {
    if (typeof segment === 'number') return `${text}[${segment}]`;
    return IDENTIFIER.test(segment) ? `${text}.${segment}` : `${text}[${JSON.stringify(segment)}]`;
  }, name);
}

function placeText(place: Place): string {
  let root = place;
  while (root.parent !== null) root = root.parent;
  return pathText(String(root.key), segmentsOf(place));
}

/** Why a value cannot be stored as it is. */
export function unsupported(place: Place, what: string, cause?: unknown): SavepointError {
  const path = placeText(place);
  return new SavepointError('value-unsupported', `${path} cannot be stored as it is: ${what}`, {
    path,
    hint: 'store plain data, or turn it into plain data first',
    cause,
  });
}
