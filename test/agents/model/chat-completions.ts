import { randomUUID } from 'node:crypto';
import type {
  MessagesRequest,
  ReplyBlock,
  RequestBlock,
  RequestMessage,
} from '../../../src/messages-server/index.ts';
import type { Fields, Protocol } from './model.ts';

/** OpenAI's Chat Completions, which most agents speak with a model of one's own. */
export const CHAT_COMPLETIONS: Protocol = {
  harmless: 'Conversation',
  read: (path, body) => (path.endsWith('/chat/completions') ? requestOf(body) : null),
  stream: function* (blocks, model) {
    const chunk = (delta: object, finish_reason: string | null): string =>
      JSON.stringify({
        ...headOf(model, 'chat.completion.chunk'),
        choices: [{ index: 0, delta, finish_reason }],
        ...(finish_reason === null ? {} : { usage: USAGE }),
      });
    yield chunk({ ...messageOf(blocks), tool_calls: callsOf(blocks) }, null);
    yield chunk({}, finishOf(blocks));
    yield '[DONE]';
  },
  whole: (blocks, model) => ({
    ...headOf(model, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: { ...messageOf(blocks), tool_calls: callsOf(blocks) },
        finish_reason: finishOf(blocks),
      },
    ],
    usage: USAGE,
  }),
};

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

function headOf(model: string, object: string): object {
  return { id: `chatcmpl-${randomUUID()}`, object, created: 0, model };
}

function finishOf(blocks: readonly ReplyBlock[]): string {
  return callsOf(blocks) === undefined ? 'stop' : 'tool_calls';
}

function messageOf(blocks: readonly ReplyBlock[]): object {
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return { role: 'assistant', content: texts.join('\n') };
}

function callsOf(blocks: readonly ReplyBlock[]): object[] | undefined {
  const calls = blocks.filter((block) => block.type === 'tool_use');
  if (calls.length === 0) return undefined;
  return calls.map(({ name, input }, index) => ({
    index,
    id: `call_${randomUUID()}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
}

function requestOf(body: Fields): MessagesRequest {
  const messages = Array.isArray(body.messages) ? (body.messages as Fields[]) : [];
  const tools = Array.isArray(body.tools) ? (body.tools as { function?: Fields }[]) : [];
  return {
    model: String(body.model),
    system: '',
    messages: messages.map(messageIn),
    tools: tools.map((tool) => String(tool.function?.name)),
    stream: body.stream === true,
    body,
  };
}

function messageIn({ role, content, tool_call_id }: Fields): RequestMessage {
  const text = textOf(content);
  if (role === 'tool') {
    const result = { type: 'tool_result', toolUseId: String(tool_call_id), text, isError: false };
    return { role: 'user', content: [result as RequestBlock] };
  }
  return {
    role: role === 'assistant' || role === 'user' ? role : 'system',
    content: [{ type: 'text', text }],
  };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as Fields[]).map(({ text }) => String(text ?? '')).join('\n');
}
