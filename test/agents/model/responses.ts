import { randomUUID } from 'node:crypto';
import type { MessagesRequest, ReplyBlock } from '../../../src/messages-server/index.ts';
import type { Fields, Protocol } from './model.ts';

/** OpenAI's Responses API, which Codex speaks. */
export const RESPONSES: Protocol = {
  harmless: '{"title": "Conversation"}',
  read: (path, body) => (path.endsWith('/responses') ? requestOf(body) : null),
  stream: function* (blocks, model) {
    const id = `resp_${randomUUID()}`;
    yield JSON.stringify({ type: 'response.created', response: { id, model } });
    for (const [index, block] of blocks.entries()) {
      const item = itemOf(block);
      yield JSON.stringify({ type: 'response.output_item.added', output_index: index, item });
      yield JSON.stringify({ type: 'response.output_item.done', output_index: index, item });
    }
    yield JSON.stringify({ type: 'response.completed', response: { id, model, usage: USAGE } });
  },
  whole: (blocks, model) => ({
    id: `resp_${randomUUID()}`,
    object: 'response',
    model,
    status: 'completed',
    output: blocks.map(itemOf),
    usage: USAGE,
  }),
};

const USAGE = {
  input_tokens: 1,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 1,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 2,
};

function requestOf(body: Fields): MessagesRequest {
  const input = Array.isArray(body.input) ? (body.input as Fields[]) : [];
  const tools = Array.isArray(body.tools) ? (body.tools as Fields[]) : [];
  return {
    model: String(body.model),
    system: String(body.instructions ?? ''),
    messages: input.map((item) => ({ role: roleOf(item), content: [blockOf(item)] })),
    tools: tools.map(({ name, type }) => String(name ?? type)),
    stream: body.stream === true,
    body,
  };
}

/** Results of tools, and what agents tell each other. */
const FROM_OUTSIDE = ['function_call_output', 'custom_tool_call_output', 'agent_message'];

function roleOf({ type, role }: Fields): MessagesRequest['messages'][number]['role'] {
  if (FROM_OUTSIDE.includes(String(type))) return 'user';
  if (type !== 'message' || role === 'assistant') return 'assistant';
  return role === 'user' ? 'user' : 'system';
}

function blockOf(item: Fields): MessagesRequest['messages'][number]['content'][number] {
  switch (item.type) {
    case 'message':
    case 'agent_message':
      return { type: 'text', text: textIn(item) };
    case 'function_call_output':
    case 'custom_tool_call_output':
      return {
        type: 'tool_result',
        toolUseId: String(item.call_id),
        text: typeof item.output === 'string' ? item.output : JSON.stringify(item.output),
        isError: false,
      };
    default:
      return { type: 'other' };
  }
}

function textIn({ content }: Fields): string {
  const parts = Array.isArray(content) ? (content as Fields[]) : [];
  return parts.map((part) => String(part.text ?? part.encrypted_content ?? '')).join('\n');
}

/**
 * A tool whose input is one text named `patch` is called as Codex's free-form tools are; a slash in the name of a
 * tool stands behind its namespace.
 */
function itemOf(block: ReplyBlock): object {
  const id = randomUUID();
  if (block.type !== 'tool_use') {
    const text = block.type === 'text' ? block.text : block.thinking;
    const content = [{ type: 'output_text', text, annotations: [] }];
    return { type: 'message', role: 'assistant', id: `msg_${id}`, status: 'completed', content };
  }
  const { name: wholeName, input } = block;
  const [name, namespace] = wholeName.split('/').reverse();
  const call = { id: `fc_${id}`, call_id: `call_${id}`, name, namespace, status: 'completed' };
  return typeof input.patch === 'string'
    ? { ...call, type: 'custom_tool_call', input: input.patch }
    : { ...call, type: 'function_call', arguments: JSON.stringify(input) };
}
