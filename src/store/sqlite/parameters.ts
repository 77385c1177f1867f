import type { SQLInputValue } from 'node:sqlite';

/**
 * A list of any length as one parameter: JSON with hexadecimal digits, because ids may hold NUL and
 * paths are bytes that need not be text.
 */
export function hexList(values: readonly (string | Uint8Array)[]): string {
  return JSON.stringify(values.map((value) => Buffer.from(value as Uint8Array).toString('hex')));
}

export const LISTED_TEXTS = '(SELECT CAST(unhex(value) AS TEXT) FROM json_each(?))';
export const LISTED_BYTES = '(SELECT unhex(value) FROM json_each(?))';
export const LISTED_NUMBERS = '(SELECT value FROM json_each(?))';

/** For LIMIT, where -1 means all. */
export function limitOf(limit: number | undefined): number {
  return limit === undefined || limit === Number.POSITIVE_INFINITY ? -1 : Math.max(0, limit);
}

/** The conditions of a query. A condition whose value is undefined is left out. */
export class Conditions {
  readonly #texts: string[] = [];
  readonly values: SQLInputValue[] = [];
  #led = false;

  add(text: string, value: SQLInputValue | undefined): void {
    if (value === undefined) return;
    this.#texts.push(text);
    this.values.push(value);
  }

  /** The column is one of these texts. A single one needs no list, which would take a capture longer. */
  among(column: string, texts: readonly string[] | undefined): void {
    const [only] = texts ?? [];
    if (texts?.length === 1) this.narrow(column, '= ?', only);
    else this.narrow(column, `IN ${LISTED_TEXTS}`, texts && hexList(texts));
  }

  /** A condition without a value, for which SQLite is to use the index. */
  lead(text: string): void {
    this.#texts.push(text);
    this.#led = true;
  }

  /**
   * A condition that has an index. Call it for the narrowest one first: SQLite uses that index. A "+" keeps it
   * from using the others, because it would look up every pair of two long lists where an index has both.
   */
  narrow(column: string, test: string, value: SQLInputValue | undefined): void {
    if (value === undefined) return;
    this.add(`${this.#led ? '+' : ''}${column} ${test}`, value);
    this.#led = true;
  }

  get sql(): string {
    return this.#texts.length === 0 ? '' : `WHERE ${this.#texts.join(' AND ')}`;
  }
}
