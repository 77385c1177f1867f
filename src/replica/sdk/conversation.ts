import type { RewindFilesResult } from '@anthropic-ai/claude-agent-sdk';
import type { Todo } from '../commands/command.ts';
import type { PromptImage } from '../offers/images.ts';
import type { ToolResultShown, ToolUseShown } from '../ui/interactive-ui.ts';

/** How a conversation begins. */
export interface ConversationStart {
  /** The SDK's session; its id is chosen here, not by the SDK. */
  readonly sessionId: string;
  /** What it goes on from; null for a new one. */
  readonly from: ConversationOrigin | null;
}

interface ConversationOrigin {
  readonly sessionId: string;
  /** The last message to keep; null for all of them. */
  readonly lastMessageId: string | null;
  /** Whether it becomes a conversation of its own (`forkSession`), so that the old one stays. */
  readonly fork: boolean;
}

/** What a person sends. */
export interface Prompt {
  /** Chosen by us; the SDK replays the prompt under it, and that is a checkpoint. */
  readonly uuid: string;
  readonly text: string;
  /** For the agent alone, put before the text: files that were rewound, context that was loaded. */
  readonly context: readonly string[];
  readonly images?: readonly PromptImage[];
}

/** What `StreamingQueryManager` tells. */
export interface ConversationEvents {
  onAnswerPiece(text: string): void;
  onThinkingPiece(text: string): void;
  /** A text or thinking block is whole. */
  onAnswerEnd(): void;
  onToolUse(call: ToolUseShown): void;
  onToolResult(result: ToolResultShown): void;
  /** The end of what a command has printed so far; told again when there is more of it. */
  onToolOutput(callId: string, text: string): void;
  onTodos(todos: readonly Todo[]): void;
  /** The SDK has another permission mode now, such as after a plan was agreed to. */
  onPermissionMode?(mode: string): void;
  /** Once for each prompt that was sent, also when the query died. */
  onTurnEnd(end: TurnEnd): void;
}

export interface TurnEnd {
  readonly promptId: string;
  /** The last message of the turn that a conversation can be resumed at. */
  readonly lastMessageId: string | null;
  readonly outcome: 'done' | 'interrupted' | 'failed';
  /** The answer's text, or in one line why it failed. */
  readonly text: string;
  /** What the SDK told with the end of the turn. */
  readonly usage?: ConversationUsage;
}

/** What a conversation has used so far. What the SDK does not tell, or only guesses, is null. */
export interface ConversationUsage {
  readonly model: string | null;
  /** Tokens of the last request and its answer, and how many the model takes. */
  readonly context: { readonly tokens: number; readonly window: number } | null;
  readonly costUSD: number | null;
}

/** The least of the SDK's `Query` that taking files back needs: a test double fits as well. */
export interface RewindableQuery {
  rewindFiles(userMessageId: string, options?: { dryRun?: boolean }): Promise<RewindFilesResult>;
}
