export type {
  MessagesRequest,
  RequestBlock,
  RequestMessage,
  ToolResult,
} from './messages-request.ts';
export { type Turn, turnOf } from './messages-request.ts';
export {
  type MessagesServer,
  type MessagesServerOptions,
  type ReplyTo,
  startMessagesServer,
} from './messages-server.ts';
export {
  invalidRequest,
  isFailure,
  overloaded,
  type PacedReply,
  type Reply,
  type ReplyBlock,
  type ReplyFailure,
  say,
  slowly,
  type ToolInput,
  think,
  useTool,
} from './reply.ts';
