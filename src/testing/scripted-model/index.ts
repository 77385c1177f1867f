export {
  invalidRequest,
  type MessagesRequest,
  overloaded,
  type Reply,
  type ReplyBlock,
  type ReplyTo,
  say,
  slowly,
  type ToolResult,
  type Turn,
  think,
  turnOf,
  useTool,
} from '../../messages-server/index.ts';
export { type Script, type Step, scripted } from './script.ts';
export { type ScriptedModel, startScriptedModel } from './scripted-model.ts';
