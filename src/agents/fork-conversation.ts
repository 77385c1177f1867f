import { type Conversation, SavepointError } from '../index.ts';

/** A conversation, and the prompt before which it is to be cut. */
export interface ForkRequest {
  readonly conversation: Conversation;
  readonly prompt: string;
  /** When the prompt was sent, in milliseconds. */
  readonly sentAt: number;
  /** The folder in which the agent works. No program in it is run. */
  readonly project: string;
  /** The variables of the caller; agents get only those that they need. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ForkedConversation {
  /** The agent's id of the new conversation; null where it begins with nothing. */
  readonly id: string | null;
  /** The words of the one command that continues there. */
  readonly command: readonly string[];
}

/**
 * Copies the part of a conversation before a prompt into a new conversation. It asks no model, and the files
 * of the original stay as they are. Throws `conversation-not-forked`.
 */
export type ForkConversation = (request: ForkRequest) => Promise<ForkedConversation>;

const FORKS: Readonly<Partial<Record<string, () => Promise<ForkConversation>>>> = {
  'claude-code': async () => (await import('./claude-code/fork.ts')).forkClaudeCode,
  codex: async () => (await import('./codex/fork.ts')).forkCodex,
  gemini: async () => (await import('./gemini/fork.ts')).forkGemini,
  opencode: async () => (await import('./opencode/fork.ts')).forkOpencode,
};

/** Throws `conversation-not-forked` for an agent that has no such way. */
export async function loadFork(agent: string | null): Promise<ForkConversation> {
  const load = Object.hasOwn(FORKS, agent ?? '') ? FORKS[agent ?? ''] : undefined;
  if (load === undefined) throw notForked(`${agent ?? 'its agent'} has no way to do it`);
  return load();
}

export function notForked(reason: string, cause?: unknown): SavepointError {
  return new SavepointError(
    'conversation-not-forked',
    `the conversation was not forked: ${reason}`,
    { cause, hint: 'without --conversation the files alone go back' },
  );
}
