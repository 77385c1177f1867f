import { check, TEXT } from '../../model/check.ts';
import { SavepointError } from '../../model/errors.ts';

/** The categories that `PersistenceManager` uses; any other text is a category as well. */
export const CATEGORIES = ['checkpoint', 'conversation', 'history', 'session', 'config'] as const;

export type Category = (typeof CATEGORIES)[number];

export interface SaveOptions {
  /** Throws `document-exists` where the key is taken, and leaves what is there. */
  readonly onlyNew?: boolean | undefined;
}

/**
 * The port of documents: values under a category and a key. Categories and keys are any text, also an
 * empty one, and two that differ in anything never meet: a key is a name and never a path. A storage of
 * files may refuse a new one that differs from another in capital letters alone. Processes may use the
 * same place at the same time. Every implementation passes `testStorage` of `savepoint/testing`.
 */
export interface BaseStorage {
  /**
   * Keeps a value and replaces the one that the key had. The value counts as it is at the moment of the call:
   * the caller may change it afterwards. Atomic and durable: after a crash the key has the new
   * value or the old one, whole. Returns where it is kept, for people to read.
   *
   * Throws `value-unsupported` with the value's path where it could not be given back exactly,
   * `argument-invalid` for null and undefined, which would say that there is nothing, `store-locked` when
   * others write for too long, `store-full`, or `document-clash` (see above); nothing is changed then.
   */
  save(category: string, key: string, data: unknown, options?: SaveOptions): Promise<string>;

  /**
   * The value of a key with every type that it had, or null where there is none. Waits for nobody. Throws
   * `document-corrupt`, naming the place, where there is one that cannot be read back.
   */
  load(category: string, key: string): Promise<unknown>;

  /** Whether there was something to remove, damaged or not. Durable. */
  delete(category: string, key: string): Promise<boolean>;

  /**
   * The keys of a category, in no order. Keys of damaged values are among them: `load` throws for those.
   * Empty for a category that nothing was saved in.
   */
  list(category: string): Promise<string[]>;
}

/** How long files and databases of documents wait for other writers, unless they are told otherwise. */
export const LOCK_TIMEOUT_MS = 5_000;

/** There is a document, and it cannot be read back. */
export function documentCorrupt(path: string, reason: string, cause?: unknown): SavepointError {
  return new SavepointError('document-corrupt', `a document cannot be read back: ${reason}`, {
    path,
    hint: 'the others are as they were; mend it, or delete it by its key',
    cause,
  });
}

export function documentExists(category: string, key: string): SavepointError {
  const message = `the category ${category} has something under the key ${key} already`;
  return new SavepointError('document-exists', message);
}

/** A disk that does not tell capital from small letters would keep both in one place. */
export function documentClash(name: string, other: string): SavepointError {
  const message = `${JSON.stringify(name)} and ${JSON.stringify(other)} are one name on some disks`;
  return new SavepointError('document-clash', message, {
    hint: 'nothing was saved; choose a name that differs in more than capital letters',
  });
}

/** Callers may not be compiled with our types. */
export function checkText(name: string, value: unknown): string {
  check(TEXT, name, value);
  return value;
}

/** `load` says with null that there is nothing. */
export function checkData(data: unknown): void {
  if (data !== null && data !== undefined) return;
  const hint = 'wrap it in an object';
  throw new SavepointError('argument-invalid', `data must not be ${data}`, { hint });
}
