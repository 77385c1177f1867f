import type {
  ModelUsage,
  SDKAssistantMessage,
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKResultMessage,
  SDKStatusMessage,
  SDKSystemMessage,
  SDKTaskStartedMessage,
  SDKUserMessage,
  SDKUserMessageReplay,
} from '@anthropic-ai/claude-agent-sdk';
import type { UsageShown } from '../commands/command.ts';
import type { PromptImage } from '../offers/images.ts';
import type { ToolResultShown, ToolUseShown } from '../ui/interactive-ui.ts';
import type { ConversationUsage, Prompt, TurnEnd } from './conversation.ts';

/** One handler for each kind of message. */
interface MessageHandlers {
  onInit(message: SDKSystemMessage): void;
  onStatus(message: SDKStatusMessage): void;
  onUser(message: SDKUserMessage | SDKUserMessageReplay): void;
  onAssistant(message: SDKAssistantMessage): void;
  onPartial(message: SDKPartialAssistantMessage): void;
  onResult(message: SDKResultMessage): void;
  onTaskStarted(message: SDKTaskStartedMessage): void;
}

/** Between what a person writes and what the SDK speaks. */
export class MessageRouter {
  /** The prompt under the uuid that was chosen for it; what is for the agent alone stands before it. */
  buildStreamMessage({ uuid, text, context, images = [] }: Prompt): SDKUserMessage {
    const block = (one: string) => ({ type: 'text' as const, text: one });
    const before = context.filter((one) => one !== '').map(block);
    // The SDK looks for `@path` in the last text alone, so nothing that a command printed names a file.
    const content = [...before, ...images.map(imageBlock), block(text)];
    return {
      type: 'user',
      message: { role: 'user', content },
      parent_tool_use_id: null,
      uuid: uuid as NonNullable<SDKUserMessage['uuid']>,
    };
  }

  /** Newer SDKs send kinds of messages that nobody here knows: those are passed over. */
  route(message: SDKMessage, handlers: MessageHandlers): void {
    if (message.type === 'user') handlers.onUser(message);
    else if (message.type === 'assistant') handlers.onAssistant(message);
    else if (message.type === 'stream_event') handlers.onPartial(message);
    else if (message.type === 'result') handlers.onResult(message);
    else if (message.type !== 'system') return;
    else if (message.subtype === 'init') handlers.onInit(message);
    else if (message.subtype === 'status') handlers.onStatus(message);
    else if (message.subtype === 'task_started') handlers.onTaskStarted(message);
  }
}

function imageBlock({ mediaType, bytes }: PromptImage) {
  const source = { type: 'base64', media_type: mediaType, data: bytes.toString('base64') } as const;
  return { type: 'image', source } as const;
}

export function toolUsesOf({
  message,
  parent_tool_use_id: parent,
}: SDKAssistantMessage): ToolUseShown[] {
  const from = parent === null ? {} : { isOfSubAgent: true };
  return message.content.flatMap((block) =>
    block.type === 'tool_use'
      ? [{ id: block.id, name: block.name, input: fieldsOf(block.input), ...from }]
      : [],
  );
}

export function toolResultsOf({
  message,
  tool_use_result: output,
}: Pick<SDKUserMessage, 'message' | 'tool_use_result'>): ToolResultShown[] {
  if (typeof message.content === 'string') return [];
  return message.content.flatMap((block) => {
    if (block.type !== 'tool_result') return [];
    const { tool_use_id: id, content, is_error } = block;
    return [{ id, text: textOf(content), isError: is_error === true, output }];
  });
}

/** Pictures and the like are named, not shown. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block: unknown) => {
      const { type, text } = fieldsOf(block);
      return typeof text === 'string' ? text : `[${typeof type === 'string' ? type : 'something'}]`;
    })
    .join('\n');
}

/** The fields of a value that may be anything. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** All that the query has used so far: each result of the SDK carries the sum. */
export function usedBy({ total_cost_usd: costUSD, modelUsage }: SDKResultMessage): UsageShown {
  const models = Object.entries(modelUsage ?? {}).map(([name, used]) => ({
    name,
    input: used.inputTokens + used.cacheCreationInputTokens,
    output: used.outputTokens,
    cached: used.cacheReadInputTokens,
  }));
  return { costUSD: costUSD ?? 0, models };
}

/** `last`: the last message of the agent itself, which tells how much of the context is in use. */
export function usageOf(
  result: SDKResultMessage,
  last: SDKAssistantMessage['message'] | null,
): ConversationUsage {
  // An SDK may tell none of it.
  const { modelUsage = {}, total_cost_usd }: Partial<SDKResultMessage> = result;
  const model = last?.model ?? null;
  const own = model === null ? undefined : modelUsage[model];
  const tokens = tokensOf(last?.usage ?? {});
  const isKnown = own !== undefined && own.costBasis !== 'unknown' && own.contextWindow > 0;
  return {
    model,
    // Of a model that it does not know, the SDK guesses both by another model.
    context: isKnown && tokens > 0 ? { tokens, window: own.contextWindow } : null,
    costUSD: isPriced(Object.values(modelUsage)) ? (total_cost_usd ?? null) : null,
  };
}

function isPriced(models: readonly ModelUsage[]): boolean {
  return models.length > 0 && models.every(({ costBasis }) => costBasis !== 'unknown');
}

function tokensOf(usage: Partial<SDKAssistantMessage['message']['usage']>): number {
  const { input_tokens, output_tokens, ...cache } = usage;
  const { cache_read_input_tokens: read, cache_creation_input_tokens: created } = cache;
  const counts = [input_tokens, output_tokens, read, created];
  return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

const LONGEST_REASON = 500;

/** How a turn went, from the message that ends it. */
export function outcomeOf(
  result: SDKResultMessage,
  wasInterrupted: boolean,
): Pick<TurnEnd, 'outcome' | 'text'> {
  if (!result.is_error) {
    return { outcome: 'done', text: result.subtype === 'success' ? result.result : '' };
  }
  const wasAborted = result.terminal_reason?.startsWith('aborted') === true;
  if (wasAborted || wasInterrupted) return { outcome: 'interrupted', text: '' };
  return { outcome: 'failed', text: reasonOf(result) };
}

/** Why a turn failed, in one line. */
export function reasonOf(result: SDKResultMessage): string {
  const said = result.subtype === 'success' ? [result.result] : result.errors;
  // The SDK's notes to itself tell a person nothing.
  const reason = said.find((text) => text.trim() !== '' && !text.startsWith('[ede_diagnostic]'));
  return oneLine(reason ?? WITHOUT_WORDS[result.subtype] ?? 'The agent stopped with an error.');
}

const WITHOUT_WORDS: Partial<Record<SDKResultMessage['subtype'], string>> = {
  error_max_turns: 'The agent reached the number of steps that it may take for one prompt.',
  error_max_budget_usd: 'The agent reached the amount that it may spend.',
};

export function oneLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON).toWellFormed()}…` : line;
}
