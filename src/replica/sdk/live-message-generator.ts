import type { SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';

/** What a query reads its prompts from, while a person is still thinking of the next one. */
export class LiveMessageGenerator implements AsyncIterable<SDKUserMessage> {
  readonly #waiting: SDKUserMessage[] = [];
  #isClosed = false;
  #wake: () => void = () => undefined;

  /** Throws once it is closed: nobody would ever read the message. */
  push(message: SDKUserMessage): void {
    if (this.#isClosed) throw new Error('The conversation is closed.');
    this.#waiting.push(message);
    this.#wake();
  }

  /** What was pushed is still read, then there is no more. Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** What nobody has read yet is not read any more; it is handed back. */
  abort(): SDKUserMessage[] {
    const unread = this.#waiting.splice(0);
    this.close();
    return unread;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SDKUserMessage, void> {
    for (;;) {
      const message = this.#waiting.shift();
      if (message !== undefined) yield message;
      else if (this.#isClosed) return;
      else await this.#pushedOrClosed();
    }
  }

  #pushedOrClosed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
