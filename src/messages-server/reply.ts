/** What a model says in one reply: texts, thoughts and calls of tools, in this order. */
export type ReplyBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string }
  | { readonly type: 'tool_use'; readonly name: string; readonly input: ToolInput };

export type ToolInput = Readonly<Record<string, unknown>>;

/** A reply whose pieces take their time, for who wants to interrupt it. */
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
