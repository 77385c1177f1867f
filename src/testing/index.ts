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
export { type Script, type Step, scripted } from './scripted-model/script.ts';
export { type ScriptedModel, startScriptedModel } from './scripted-model/scripted-model.ts';
export { type StorageSuite, testStorage } from './storage-suite.ts';
export { type StoreSuite, type TestRunner, testStore } from './store/test-store.ts';
