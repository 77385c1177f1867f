/** Remembers the values that were used last: at most `limit`, and keys of at most `most` characters in all. */
export class Recent<Value> {
  readonly #values = new Map<string, Value>();
  readonly #limit: number;
  readonly #most: number;
  #length = 0;

  constructor(limit: number, most: number = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
    this.#most = most;
  }

  get(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    // A Map keeps the order of insertion: what comes first was not used for the longest time.
    this.#delete(key);
    this.#values.set(key, value);
    this.#length += key.length;
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#limit && this.#length <= this.#most) return;
      if (this.#values.size > 1) this.#delete(oldest);
    }
  }

  clear(): void {
    this.#values.clear();
    this.#length = 0;
  }

  #delete(key: string): void {
    if (this.#values.delete(key)) this.#length -= key.length;
  }
}
