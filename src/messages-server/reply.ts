import { randomUUID } from 'node:crypto';

/** What a model says in one reply: texts, thoughts and calls of tools, in this order. */
export type ReplyBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string }
  | { readonly type: 'tool_use'; readonly name: string; readonly input: ToolInput };

export type ToolInput = Readonly<Record<string, unknown>>;

/** A reply in slow pieces, so that it can be interrupted. */
export interface PacedReply {
  readonly blocks: readonly ReplyBlock[];
  /** Between two pieces of a stream. */
  readonly pieceDelayMs: number;
}

/** The API's way to say no: 529 `overloaded_error`, 400 `invalid_request_error`. */
export interface ReplyFailure {
  readonly status: number;
  readonly error: string;
  readonly message: string;
}

export type Reply = readonly ReplyBlock[] | PacedReply | ReplyFailure;

export function say(text: string): ReplyBlock {
  return { type: 'text', text };
}

export function think(thinking: string): ReplyBlock {
  return { type: 'thinking', thinking };
}

export function useTool(name: string, input: ToolInput): ReplyBlock {
  return { type: 'tool_use', name, input };
}

/** The blocks with a pause between the pieces that they are sent in. */
export function slowly(pieceDelayMs: number, blocks: readonly ReplyBlock[]): PacedReply {
  return { blocks, pieceDelayMs };
}

export function overloaded(message = 'Overloaded'): ReplyFailure {
  return { status: 529, error: 'overloaded_error', message };
}

export function invalidRequest(message: string): ReplyFailure {
  return { status: 400, error: 'invalid_request_error', message };
}

export function isFailure(reply: Reply): reply is ReplyFailure {
  return 'status' in reply;
}

/** A reply as one JSON value: what a client gets that does not ask for a stream. */
export function replyMessage(model: string, blocks: readonly ReplyBlock[]): object {
  return {
    ...emptyMessage(model),
    content: blocks.map(wholeBlock),
    stop_reason: stopReason(blocks),
    usage: { ...USAGE, output_tokens: tokensOf(blocks) },
  };
}

/** The same as the events of a stream, each with its name as its `type`. */
export function* replyEvents(model: string, blocks: readonly ReplyBlock[]): Generator<StreamEvent> {
  yield { type: 'message_start', message: emptyMessage(model) };
  for (const [index, block] of blocks.entries()) {
    yield { type: 'content_block_start', index, content_block: emptyBlock(block) };
    for (const delta of deltasOf(block)) yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  const delta = { stop_reason: stopReason(blocks), stop_sequence: null };
  yield { type: 'message_delta', delta, usage: { output_tokens: tokensOf(blocks) } };
  yield { type: 'message_stop' };
}

export interface StreamEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

const USAGE = {
  input_tokens: 1,
  output_tokens: 1,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

function emptyMessage(model: string): object {
  return {
    id: `msg_${randomUUID()}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: USAGE,
  };
}

function wholeBlock(block: ReplyBlock): object {
  if (block.type === 'thinking') return { ...block, signature: SIGNATURE };
  return block.type === 'text' ? block : { ...block, id: `toolu_${randomUUID()}` };
}

/** As a stream begins it, before its pieces come. */
function emptyBlock(block: ReplyBlock): object {
  if (block.type === 'text') return { ...block, text: '' };
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' };
  return { ...wholeBlock(block), input: {} };
}

/** Nobody checks it but the real API, to which nothing of this goes. */
const SIGNATURE = 'c2NyaXB0ZWQ=';

function deltasOf(block: ReplyBlock): object[] {
  switch (block.type) {
    case 'text':
      return piecesOf(block.text).map((text) => ({ type: 'text_delta', text }));
    case 'thinking':
      return [
        ...piecesOf(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: SIGNATURE },
      ];
    case 'tool_use':
      return piecesOf(JSON.stringify(block.input)).map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      }));
  }
}

/** Words, and of a text without spaces a few characters at a time; never half a character. */
function piecesOf(text: string): string[] {
  return text.match(/\S{1,40}\s{0,40}|\s{1,40}/gu) ?? [];
}

function stopReason(blocks: readonly ReplyBlock[]): string {
  return blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
}

/** A number that grows with the reply, and no more than that. */
function tokensOf(blocks: readonly ReplyBlock[]): number {
  return Math.ceil(JSON.stringify(blocks).length / 4);
}
