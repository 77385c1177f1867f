/** What the seeds keep; any other text is a category as well. */
export const CATEGORIES = ['checkpoint', 'conversation', 'history', 'session', 'config'] as const;

export type Category = (typeof CATEGORIES)[number];

export interface SaveOptions {
  /** Throws `document-exists` where the key is taken, and leaves what is there. */
  readonly onlyNew?: boolean | undefined;
}

/**
 * The port of documents: values under a category and a key. Categories and keys are any text, also an
 * empty one, and two that differ in anything never meet: a key is a name and never a path. Processes
 * may use the same place at the same time. Every implementation passes `testStorage` of
 * `savepoint/testing`.
 */
export interface BaseStorage {
  /**
   * Keeps a value, instead of what the key had. It is taken as it is at the moment of the call: what the
   * caller does to it afterwards changes nothing. Atomic and durable: after a crash the key has the new
   * value or the old one, whole. Returns where it is kept, for people to read.
   *
   * Throws `value-unsupported` with the value's path where it could not be given back exactly,
   * `argument-invalid` for null and undefined, which would say that there is nothing, `store-locked` when
   * others write for too long, `store-full`; nothing is changed then.
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
   * The keys of a category, in no order. One whose value is damaged is among them: its `load` says so.
   * Empty for a category that nothing was saved in.
   */
  list(category: string): Promise<string[]>;
}
