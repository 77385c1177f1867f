import type {
  MessagesRequest,
  ReplyBlock,
  RequestBlock,
} from '../../../src/messages-server/index.ts';
import type { Fields, Protocol } from './model.ts';

/** Google's Gemini API. What is not streamed is asked by the agent for itself, and wants JSON. */
export const GEMINI: Protocol = {
  harmless: JSON.stringify({ reasoning: 'A story.', model_choice: 'flash', next_speaker: 'user' }),
  read: (path, body) => {
    const [, model, method] = /\/models\/([^:/]+):(\w+)/.exec(path) ?? [];
    if (model === undefined) return null;
    if (method === 'streamGenerateContent') return requestOf(model, body, true);
    return method === 'generateContent' ? { ...requestOf(model, body, false), tools: [] } : null;
  },
  stream: function* (blocks, model) {
    yield JSON.stringify(replyOf(blocks, model));
  },
  whole: replyOf,
};

function replyOf(blocks: readonly ReplyBlock[], model: string): object {
  return {
    candidates: [
      { index: 0, finishReason: 'STOP', content: { role: 'model', parts: blocks.map(partOf) } },
    ],
    modelVersion: model,
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  };
}

function partOf(block: ReplyBlock): object {
  if (block.type === 'text') return { text: block.text };
  if (block.type === 'thinking') return { text: block.thinking, thought: true };
  return { functionCall: { name: block.name, args: block.input } };
}

function requestOf(model: string, body: Fields, stream: boolean): MessagesRequest {
  const contents = Array.isArray(body.contents) ? (body.contents as Fields[]) : [];
  const tools = Array.isArray(body.tools) ? (body.tools as Fields[]) : [];
  return {
    model,
    system: '',
    messages: contents.map(({ role, parts }) => ({
      role: role === 'model' ? 'assistant' : 'user',
      content: Array.isArray(parts) ? (parts as Fields[]).map(blockOf) : [],
    })),
    tools: tools.flatMap(({ functionDeclarations }) =>
      Array.isArray(functionDeclarations)
        ? (functionDeclarations as Fields[]).map(({ name }) => String(name))
        : [],
    ),
    stream,
    body,
  };
}

function blockOf({ text, functionResponse }: Fields): RequestBlock {
  if (typeof text === 'string') return { type: 'text', text };
  if (functionResponse === undefined) return { type: 'other' };
  const { id, name, response } = functionResponse as Fields;
  return {
    type: 'tool_result',
    toolUseId: String(id ?? name),
    text: JSON.stringify(response),
    isError: false,
  };
}
