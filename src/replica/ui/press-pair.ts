/** Tells two presses of a key that belong together from two that do not. */
export class PressPair {
  readonly #withinMs: number;
  #last: number | null = null;

  constructor(withinMs: number) {
    this.#withinMs = withinMs;
  }

  /** Whether this press is the second of a pair. A third begins anew. */
  press(at: number): boolean {
    const isSecond = this.#last !== null && at - this.#last <= this.#withinMs;
    this.#last = isSecond ? null : at;
    return isSecond;
  }

  /** The last press meant something else. */
  forget(): void {
    this.#last = null;
  }
}
