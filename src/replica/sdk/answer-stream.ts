import type {
  SDKAssistantMessage,
  SDKPartialAssistantMessage,
} from '@anthropic-ai/claude-agent-sdk';
import type { ConversationEvents } from './conversation.ts';

type Told = Pick<ConversationEvents, 'onAnswerPiece' | 'onThinkingPiece' | 'onAnswerEnd'>;

/**
 * Tells an answer as it comes. The SDK sends each message a second time when it is whole; what was told
 * in pieces is not told again.
 */
export class AnswerStream {
  readonly #told: Told;
  /** Ids of messages that come in pieces. */
  readonly #streamed = new Set<string>();
  #isOpen = false;
  #hasTold = false;

  constructor(told: Told) {
    this.#told = told;
  }

  /** Whether the turn has told anything yet. */
  get hasTold(): boolean {
    return this.#hasTold;
  }

  partial({ event }: SDKPartialAssistantMessage): void {
    if (event.type === 'message_start') {
      // After a request that was tried again, the block before never got an end of its own.
      this.#endBlock();
      this.#streamed.add(event.message.id);
    } else if (event.type === 'content_block_delta') {
      if (event.delta.type === 'text_delta') this.#answer(event.delta.text);
      if (event.delta.type === 'thinking_delta') this.#thinking(event.delta.thinking);
    } else if (event.type === 'content_block_stop') {
      this.#endBlock();
    }
  }

  whole({ message }: SDKAssistantMessage): void {
    if (this.#streamed.has(message.id)) return;
    for (const block of message.content) {
      if (block.type === 'text') this.tell(block.text);
      if (block.type === 'thinking') {
        this.#thinking(block.thinking);
        this.#endBlock();
      }
    }
  }

  /** A text that came at once. */
  tell(text: string): void {
    this.#answer(text);
    this.#endBlock();
  }

  endTurn(): void {
    this.#endBlock();
    this.#streamed.clear();
    this.#hasTold = false;
  }

  #answer(text: string): void {
    if (text === '') return;
    this.#open();
    this.#told.onAnswerPiece(text);
  }

  #thinking(text: string): void {
    if (text === '') return;
    this.#open();
    this.#told.onThinkingPiece(text);
  }

  #open(): void {
    this.#isOpen = true;
    this.#hasTold = true;
  }

  #endBlock(): void {
    if (this.#isOpen) this.#told.onAnswerEnd();
    this.#isOpen = false;
  }
}
