import type { MessagesRequest, RequestMessage, ToolResult } from './messages-request.ts';

/** Where a conversation is: what the person asked for last, and what has come of it so far. */
export interface Turn {
  readonly prompt: string;
  /** What else came with the prompt, before it: context that the program added. */
  readonly context: readonly string[];
  /** Whether the conversation begins with it. */
  readonly isFirst: boolean;
  /** How many replies the model has given in this turn. */
  readonly step: number;
  /** What the tools answered that the last reply called, in the order of the calls. */
  readonly results: readonly ToolResult[];
  /** The same of every reply of the turn, oldest first. */
  readonly history: readonly ToolResult[];
}

/** Null where nobody asked for anything. */
export function turnOf({ messages }: MessagesRequest): Turn | null {
  const at = messages.findLastIndex((message) => promptTexts(message).length > 0);
  const texts = promptTexts(messages[at]);
  const prompt = texts.at(-1);
  if (prompt === undefined) return null;
  const later = messages.slice(at + 1);
  const last = later.findLastIndex(isReply);
  return {
    prompt,
    context: texts.slice(0, -1),
    isFirst: !messages.slice(0, at).some(isReply),
    step: later.filter(isReply).length,
    results: later.slice(last + 1).flatMap(resultsIn),
    history: later.flatMap(resultsIn),
  };
}

/**
 * What a person wrote. A message of the user may begin with the results of an interrupted turn, and the
 * program puts notes of its own between what was written.
 */
function promptTexts(message: RequestMessage | undefined): string[] {
  if (message?.role !== 'user') return [];
  return message.content.flatMap((block) =>
    block.type === 'text' && !NOTE.test(block.text) ? [block.text.trim()] : [],
  );
}

const NOTE = /^\s*(<system-reminder>|\[Request interrupted by user)|^\s*$/;

function isReply({ role }: RequestMessage): boolean {
  return role === 'assistant';
}

function resultsIn({ content }: RequestMessage): ToolResult[] {
  return content.filter((block) => block.type === 'tool_result');
}
