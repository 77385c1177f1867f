import { setImmediate } from 'node:timers/promises';

/** Standard output, which can fail at any time: what is under way is finished all the same. */
export class Output {
  /** Whether anything was written. */
  isUsed = false;
  readonly #stream: NodeJS.WriteStream;
  #failure: NodeJS.ErrnoException | null = null;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    stream.on('error', (error) => {
      this.#failure ??= error;
    });
  }

  write(text: string): void {
    this.isUsed = true;
    if (this.#failure === null) this.#stream.write(text);
  }

  /** Waits until everything is written. A reader that leaves early, such as `head`, is no failure. */
  async failure(): Promise<Error | null> {
    await new Promise((resolve) => this.#stream.write('', resolve));
    // A stream says that it failed only after it has answered the write.
    await setImmediate();
    return this.#failure?.code === 'EPIPE' ? null : this.#failure;
  }
}
