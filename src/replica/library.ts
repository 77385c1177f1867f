/**
 * The classes of the interactive agent, published as `savepoint/replica` for programs that build an agent of
 * their own. Loading them loads neither the SDK nor a terminal: `loadSdk` does the one, `Application` the
 * other when a person is to sit there.
 */
export { Application, runReplica } from './application.ts';
export {
  CheckpointManager,
  type CheckpointManagerOptions,
  type CheckpointMetadata,
} from './checkpoint/checkpoint-manager.ts';
export { registerBuiltinCommands } from './commands/builtin-commands.ts';
export { CheckpointCommand } from './commands/checkpoint.ts';
export type { CommandContext, SlashCommand } from './commands/command.ts';
export { CommandRegistry } from './commands/command-registry.ts';
export {
  ConfigManager,
  type ConfigPlaces,
  type LoadedConfig,
  SDKConfigLoader,
} from './config/config-manager.ts';
export type { EffectiveValue, ReplicaConfig } from './config/replica-settings.ts';
export { FileLogger } from './file-logger.ts';
export { EngineFiles, openEngineFiles } from './files/engine-files.ts';
export { PermissionManager } from './permissions/permission-manager.ts';
export type { ReplicaIo, ReplicaRequest } from './request.ts';
export { InteractiveRunner, type InteractiveRunnerParts } from './runners/interactive-runner.ts';
export { PrintRunner, type PrintRunnerParts } from './runners/print-runner.ts';
export { RunnerFactory, type RunnerFactoryParts } from './runners/runner-factory.ts';
export type {
  ConversationEvents,
  ConversationStart,
  Prompt,
  RewindableQuery,
  TurnEnd,
} from './sdk/conversation.ts';
export { LiveMessageGenerator } from './sdk/live-query.ts';
export { loadSdk, type Sdk } from './sdk/load-sdk.ts';
export { MessageRouter } from './sdk/message-router.ts';
export { type QueryOptions, SDKQueryExecutor } from './sdk/sdk-query-executor.ts';
export {
  StreamingQueryManager,
  type StreamingQueryManagerOptions,
} from './sdk/streaming-query-manager.ts';
export {
  type Session,
  SessionManager,
  type SessionManagerOptions,
  type Turn,
} from './sessions/session-manager.ts';
export { type Stage, setStage } from './stage.ts';
export type {
  InteractiveUI,
  RewindChoice,
  RewindEntry,
  RewindPreview,
} from './ui/interactive-ui.ts';
