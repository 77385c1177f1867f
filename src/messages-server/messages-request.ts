/** What a client asked of the Messages API, as far as a reply depends on it. */
export interface MessagesRequest {
  readonly model: string;
  /** The system prompt, its blocks joined by blank lines. */
  readonly system: string;
  readonly messages: readonly RequestMessage[];
  /** Names of the tools that the model may call. */
  readonly tools: readonly string[];
  readonly stream: boolean;
  /** The body as it came. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface RequestMessage {
  /** Some clients put notes of the system between the messages. */
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: readonly RequestBlock[];
}

export type RequestBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    }
  | ToolResult
  | { readonly type: 'other' };

export interface ToolResult {
  readonly type: 'tool_result';
  readonly toolUseId: string;
  readonly text: string;
  readonly isError: boolean;
}

/** Null for a body that the Messages API would refuse. */
export function messagesRequest(body: unknown): MessagesRequest | null {
  if (!isObject(body) || typeof body.model !== 'string' || !Array.isArray(body.messages)) {
    return null;
  }
  const tools = Array.isArray(body.tools) ? body.tools : [];
  return {
    model: body.model,
    system: textOf(body.system, '\n\n'),
    messages: body.messages.filter(isObject).map(messageOf),
    tools: tools.filter(isObject).map(({ name }) => String(name)),
    stream: body.stream === true,
    body,
  };
}

function messageOf({ role, content }: Fields): RequestMessage {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return {
    role: role === 'assistant' || role === 'system' ? role : 'user',
    content: Array.isArray(blocks) ? blocks.filter(isObject).map(blockOf) : [],
  };
}

function blockOf(block: Fields): RequestBlock {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: String(block.text) };
    case 'tool_use':
      return { type: 'tool_use', id: `${block.id}`, name: `${block.name}`, input: block.input };
    case 'tool_result':
      return {
        type: 'tool_result',
        toolUseId: String(block.tool_use_id),
        text: textOf(block.content, '\n'),
        isError: block.is_error === true,
      };
    default:
      return { type: 'other' };
  }
}

/** A text, or the texts of a list of blocks. */
function textOf(content: unknown, separator: string): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = content.filter(isObject).filter(({ type }) => type === 'text');
  return texts.map(({ text }) => String(text)).join(separator);
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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
