import { checkId } from './check.ts';
import { SavepointError } from './errors.ts';

/** Throws `argument-invalid` for a value of the wrong kind; `name` says which one it was. */
export type Check = (name: string, value: unknown) => void;

/** A check for each property that a type has. */
export type Shape<T> = { readonly [Key in keyof Required<T>]: Check };

/**
 * Types end where a caller is not compiled with ours, or passes on what a model wrote. Checks the
 * properties that are known, and leaves others alone.
 */
export function checkShape<T>(name: string, value: unknown, shape: Shape<T>): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrong(name, 'an object');
  }
  for (const [key, check] of Object.entries<Check>(shape)) {
    check(`${name}.${key}`, (value as Record<string, unknown>)[key]);
  }
}

export const anId: Check = (name, value) => void checkId(name, value);

export const aText: Check = (name, value) => {
  if (typeof value !== 'string') throw wrong(name, 'a text');
};

export const aBoolean: Check = (name, value) => {
  if (typeof value !== 'boolean') throw wrong(name, 'true or false');
};

/** A size, a number of days, a place in the timeline. */
export const aNumber: Check = (name, value) => {
  if (typeof value !== 'number' || !(value >= 0)) throw wrong(name, 'a number, not below 0');
};

export const anything: Check = () => undefined;

export function optional(check: Check): Check {
  return (name, value) => value === undefined || check(name, value);
}

export function nullable(check: Check): Check {
  return (name, value) => value === null || check(name, value);
}

export function listOf(check: Check): Check {
  return (name, value) => {
    if (!Array.isArray(value)) throw wrong(name, 'a list');
    for (const [index, entry] of value.entries()) check(`${name}[${index}]`, entry);
  };
}

export function oneOf(...allowed: readonly string[]): Check {
  return (name, value) => {
    if (!allowed.includes(value as string)) throw wrong(name, `one of ${allowed.join(', ')}`);
  };
}

export function shaped<T>(shape: Shape<T>): Check {
  return (name, value) => checkShape(name, value, shape);
}

export function wrong(name: string, expected: string): SavepointError {
  return new SavepointError('argument-invalid', `${name} must be ${expected}`);
}
