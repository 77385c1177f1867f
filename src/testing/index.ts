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
} from '../messages-server/index.ts';
export {
  type Script,
  type ScriptedModel,
  type Step,
  scripted,
  startScriptedModel,
} from './scripted-model.ts';
export { type StorageSuite, testStorage } from './storage-suite.ts';
export { type StoreSuite, testStore } from './store/test-store.ts';
export type { TestRunner } from './suite.ts';
