import { join } from 'node:path';
import type {
  SDKAssistantMessage,
  SDKUserMessage,
  SessionMessage,
} from '@anthropic-ai/claude-agent-sdk';
import type { Turn } from '../sessions/session-manager.ts';
import type { ConversationEntry, ToolResultShown } from '../ui/interactive-ui.ts';
import type { ConversationStart } from './conversation.ts';
import type { Sdk } from './load-sdk.ts';
import { fieldsOf, toolResultsOf, toolUsesOf } from './message-router.ts';

/** Where the SDK keeps what was said. */
export interface PastPlace {
  readonly sdk: Pick<Sdk, 'getSessionMessages'>;
  readonly project: string;
  /** The environment of the SDK's process. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What was said and done before a conversation goes on from here; `turns` are its prompts. */
export async function pastConversation(
  { sdk, project, env }: PastPlace,
  { from }: ConversationStart,
  turns: readonly Turn[],
): Promise<readonly ConversationEntry[]> {
  if (from === null) return turns.map(({ prompt }) => ({ kind: 'user', text: prompt }));
  const read = async () => sdk.getSessionMessages?.(from.sessionId, { dir: project });
  const messages = (await inConfigFolder(env, read)) ?? [];
  const last = messages.findIndex(({ uuid }) => uuid === from.lastMessageId);
  return entriesOf(last === -1 ? messages : messages.slice(0, last + 1), turns);
}

/**
 * The prompts are taken from our own list: the SDK's have context before them that is for the agent alone, and
 * among them is what the SDK told the agent itself. A prompt that the SDK has not kept is shown all the same.
 */
export function entriesOf(
  messages: readonly SessionMessage[],
  turns: readonly Turn[],
): ConversationEntry[] {
  const entries: ConversationEntry[] = [];
  let next = 0;
  const tellUpTo = (end: number): void => {
    for (const { prompt } of turns.slice(next, end)) entries.push({ kind: 'user', text: prompt });
    next = Math.max(next, end);
  };
  for (const one of messages) {
    if (one.parent_tool_use_id !== null) continue;
    if (one.type === 'assistant') entries.push(...saidIn(one.message));
    if (one.type !== 'user') continue;
    const { message } = one as Pick<SDKUserMessage, 'message'>;
    for (const result of toolResultsOf({ message })) answer(entries, result);
    tellUpTo(turns.findIndex((turn, at) => at >= next && isPrompt(one, turn)) + 1);
  }
  tellUpTo(turns.length);
  return entries;
}

/** Puts a result to its call. */
function answer(entries: ConversationEntry[], result: ToolResultShown): void {
  const at = entries.findLastIndex((one) => one.kind === 'tool' && one.call.id === result.id);
  const call = entries[at];
  if (call?.kind === 'tool') entries[at] = { ...call, result };
}

/** A fork may give its messages other uuids. */
function isPrompt({ uuid, message }: SessionMessage, { promptId, prompt }: Turn): boolean {
  if (uuid === promptId) return true;
  const { content } = fieldsOf(message);
  const text = Array.isArray(content) ? fieldsOf(content.at(-1)).text : content;
  return text === prompt;
}

function saidIn(message: unknown): ConversationEntry[] {
  const { content } = fieldsOf(message);
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown): ConversationEntry[] => {
    const { type, text } = fieldsOf(block);
    if (type === 'text' && typeof text === 'string') return [{ kind: 'answer', text }];
    const own = { message: { content: [block] }, parent_tool_use_id: null };
    return toolUsesOf(own as unknown as SDKAssistantMessage).map((call) => ({
      kind: 'tool',
      call,
      result: null,
    }));
  });
}

/** The SDK's function takes the folder from the environment of this process alone, so that is changed meanwhile. */
async function inConfigFolder<T>(env: PastPlace['env'], work: () => Promise<T>): Promise<T> {
  const before = process.env.CLAUDE_CONFIG_DIR;
  const folder = env.CLAUDE_CONFIG_DIR || (env.HOME && join(env.HOME, '.claude'));
  if (folder) process.env.CLAUDE_CONFIG_DIR = folder;
  try {
    return await work();
  } finally {
    if (before === undefined) delete process.env.CLAUDE_CONFIG_DIR;
    else process.env.CLAUDE_CONFIG_DIR = before;
  }
}
