/**
 * What every value is written as: JSON, and, where the form allows it, bytes as they are. An object with
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
