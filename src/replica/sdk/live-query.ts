import { setTimeout as pause } from 'node:timers/promises';
import type { Query, SDKMessage, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { messageOf } from '../../terminal/phrases.ts';
import type { ConversationStart } from './conversation.ts';
import { oneLine } from './message-router.ts';

/** How long a query that was told to end may take to write down what it has. */
const GENTLY_MS = 2000;

interface LiveQueryParts {
  readonly execute: (input: AsyncIterable<SDKUserMessage>) => Query;
  readonly start: ConversationStart;
  readonly onMessage: (message: SDKMessage) => void;
  /** Called once, when no more messages will come, for any reason. */
  readonly onEnd: (live: LiveQuery) => void;
}

/** A query of the SDK while it runs: what goes in, what comes out, and how it ended. */
export class LiveQuery {
  readonly query: Query;
  readonly start: ConversationStart;
  readonly #input = new LiveMessageGenerator();
  readonly #ended: Promise<void>;
  #failure = '';
  isInitialized = false;
  isClosed = false;

  constructor(parts: LiveQueryParts) {
    this.start = parts.start;
    this.query = parts.execute(this.#input);
    this.#ended = this.#read(parts);
  }

  send(message: SDKUserMessage): void {
    this.#input.push(message);
  }

  /** The query reported that it cannot go on. */
  failed(reason: string): void {
    this.#failure = reason;
    this.query.close();
  }

  /** Why it ended, in one line. The SDK's error quotes what its process printed last. */
  get reason(): string {
    return oneLine(`The agent's process has ended: ${this.#failure || 'it gave no reason'}`);
  }

  // The SDK has no codes for these two.
  get isUnknownSession(): boolean {
    return this.reason.includes('No conversation found');
  }

  get isSessionTaken(): boolean {
    return this.reason.includes('already in use');
  }

  /** An error here means that the query has ended, which `onEnd` tells. */
  async interrupt(): Promise<void> {
    await this.query.interrupt().catch(() => undefined);
  }

  /** Gently: no more prompts, and time to write down what was said. Otherwise at once. */
  async close({ gently }: { readonly gently: boolean }): Promise<void> {
    this.isClosed = true;
    this.#input.close();
    if (gently) await Promise.race([this.#ended, pause(GENTLY_MS, undefined, { ref: false })]);
    this.query.close();
    await this.#ended;
  }

  async #read({ onMessage, onEnd }: LiveQueryParts): Promise<void> {
    try {
      for await (const message of this.query) onMessage(message);
    } catch (error) {
      this.#failure ||= messageOf(error);
    }
    this.#input.close();
    onEnd(this);
  }
}

/** The prompts that a query reads; it waits here while the person thinks of the next one. */
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

  /** Ends at once: what nobody has read is dropped. Idempotent. */
  close(): void {
    this.#waiting.length = 0;
    this.#isClosed = true;
    this.#wake();
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
