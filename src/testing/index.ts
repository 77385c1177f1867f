export {
  invalidRequest,
  type MessagesRequest,
  overloaded,
  type Reply,
  type ReplyBlock,
  type ReplyTo,
  type Script,
  type ScriptedModel,
  type Step,
  say,
  scripted,
  slowly,
  startScriptedModel,
  type ToolResult,
  type Turn,
  think,
  turnOf,
  useTool,
} from './scripted-model/index.ts';
export { type StorageSuite, testStorage } from './storage-suite.ts';
export { type StoreSuite, testStore } from './store/test-store.ts';
export type { TestRunner } from './suite.ts';
