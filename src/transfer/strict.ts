import { checkId } from '../model/check.ts';
import { isSavepointError } from '../model/errors.ts';
import { invalid } from './refusals.ts';

/** Turns a value from outside into one of ours, or refuses it; `name` says which one it was. */
export type Reader<T> = (name: string, value: unknown) => T;

/** An object with exactly these fields: what we do not know we do not guess at. */
export function objectOf<T>(fields: { readonly [Key in keyof T]: Reader<T[Key]> }): Reader<T> {
  const known = Object.entries(fields) as [string, Reader<unknown>][];
  return (name, value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw invalid(`${name} is no object`);
    }
    for (const key of Object.keys(value)) {
      if (!Object.hasOwn(fields, key))
        throw invalid(`${name} has an unknown field "${short(key)}"`);
    }
    const read = known.map(([key, reader]) => {
      if (!Object.hasOwn(value, key)) throw invalid(`${name} has no ${key}`);
      return [key, reader(`${name}.${key}`, (value as Record<string, unknown>)[key])];
    });
    return Object.fromEntries(read) as T;
  };
}

export function textOf(maxLength: number): Reader<string> {
  return (name, value) => {
    if (typeof value !== 'string') throw invalid(`${name} is no text`);
    if (value.length > maxLength) throw invalid(`${name} is too long`);
    if (value.includes('\0') || !value.isWellFormed()) {
      throw invalid(`${name} holds NUL or broken Unicode`);
    }
    return value;
  };
}

/** As callers make them up. */
export const id: Reader<string> = (name, value) => {
  try {
    return checkId(name, value);
  } catch (error) {
    if (isSavepointError(error)) throw invalid(error.message, { cause: error });
    throw error;
  }
};

export function matching<T extends string>(pattern: RegExp, what: string): Reader<T> {
  return (name, value) => {
    if (typeof value === 'string' && pattern.test(value)) return value as T;
    throw invalid(`${name} is no ${what}`);
  };
}

export function integer(least: number, most: number): Reader<number> {
  return (name, value) => {
    const fits = Number.isSafeInteger(value) && (value as number) >= least;
    if (fits && (value as number) <= most) return value as number;
    throw invalid(`${name} is no number from ${least} to ${most}`);
  };
}

export const boolean: Reader<boolean> = (name, value) => {
  if (typeof value === 'boolean') return value;
  throw invalid(`${name} is neither true nor false`);
};

export function oneOf<T extends string>(...words: readonly T[]): Reader<T> {
  return (name, value) => {
    const found = words.find((word) => word === value);
    if (found === undefined) throw invalid(`${name} is none of ${words.join(', ')}`);
    return found;
  };
}

export function nullable<T>(reader: Reader<T>): Reader<T | null> {
  return (name, value) => (value === null ? null : reader(name, value));
}

function short(key: string): string {
  return key.slice(0, 40);
}
