import type { Paint } from '../../terminal/paint.ts';
import type { CheckpointManager } from '../checkpoint/checkpoint-manager.ts';
import { registerBuiltinCommands } from '../commands/builtin-commands.ts';
import type { McpServerShown } from '../commands/command.ts';
import { CommandRegistry } from '../commands/command-registry.ts';
import type { CustomPlaces } from '../commands/custom-commands.ts';
import type { ConfigManager } from '../config/config-manager.ts';
import type { ReplicaConfig } from '../config/replica-settings.ts';
import type { FileLogger } from '../file-logger.ts';
import type { EngineFiles } from '../files/engine-files.ts';
import { readInstructions } from '../instructions.ts';
import { PermissionManager, PermissionModes } from '../permissions/permission-manager.ts';
import type { ConversationEvents } from '../sdk/conversation.ts';
import type { Sdk } from '../sdk/load-sdk.ts';
import { MessageRouter } from '../sdk/message-router.ts';
import { pastConversation } from '../sdk/past-conversation.ts';
import { type QueryOptions, SDKQueryExecutor } from '../sdk/sdk-query-executor.ts';
import { StreamingQueryManager } from '../sdk/streaming-query-manager.ts';
import type { Session, SessionManager } from '../sessions/session-manager.ts';
import type { InteractiveUI } from '../ui/interactive-ui.ts';
import { startOf } from './conversation-desk.ts';
import { InteractiveRunner } from './interactive-runner.ts';
import { PrintRunner, type PrintRunnerParts } from './print-runner.ts';

export interface RunnerFactoryParts {
  readonly sdk: Sdk;
  readonly config: ReplicaConfig;
  /** All of the environment of the SDK's process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly project: string;
  readonly session: Session;
  readonly files: EngineFiles | null;
  /** Null where checkpoints are turned off. */
  readonly checkpointManager: CheckpointManager | null;
  readonly checkpointsFor: (session: Session) => Promise<CheckpointManager | null>;
  readonly sessionManager: SessionManager;
  readonly configManager: ConfigManager;
  /** Whether the SDK keeps file checkpoints of its own. */
  readonly sdkKeepsFiles: boolean;
  readonly logger: FileLogger;
  readonly paint: Paint;
  readonly columns: () => number;
  readonly modelLabel: string | null;
  /** The person's own environment, for commands that they run themselves. */
  readonly ownEnv: Readonly<Record<string, string | undefined>>;
  /** Where custom commands are, and the answers whether to trust them. */
  readonly custom: CustomPlaces;
  /** The project, as a person would write its path. */
  readonly folder: string;
  /** Said when it begins; null where nobody sits there. */
  readonly greeting: Greeting | null;
}

export interface Greeting {
  readonly title: string;
  /** Prose, wrapped where the terminal is narrow. */
  readonly lines: readonly string[];
}

/** What a turn without a terminal is about. */
export type Printed = Pick<
  PrintRunnerParts,
  'prompt' | 'format' | 'write' | 'writeError' | 'signal'
>;

/** Makes the runner that a request needs. */
export class RunnerFactory {
  readonly #parts: RunnerFactoryParts;
  readonly #modes: PermissionModes;
  #live: StreamingQueryManager | null = null;
  /** The model that the person has changed to. */
  #model: string | null = null;

  constructor(parts: RunnerFactoryParts) {
    this.#parts = parts;
    this.#modes = new PermissionModes(parts.config.permissionMode);
  }

  createInteractiveRunner(ui: InteractiveUI): InteractiveRunner {
    const { config, modelLabel } = this.#parts;
    const commands = new CommandRegistry();
    registerBuiltinCommands(commands);
    const permissions = new PermissionManager(ui, this.#parts.project);
    return new InteractiveRunner({
      ...this.#parts,
      ui,
      commands,
      converse: (checkpoints, events) => {
        permissions.forget();
        return this.#converse(checkpoints, events, permissions);
      },
      past: (start, turns) => pastConversation(this.#parts, start, turns),
      modes: this.#modes,
      status: modelLabel ?? config.model ?? 'default model',
      mcpServers: () => this.#mcpServers(),
      models: async () => (await this.#live?.getQueryInstance()?.supportedModels()) ?? [],
      setModel: async (name) => {
        await this.#live?.getQueryInstance()?.setModel(name);
        this.#model = name;
      },
      usage: () => this.#live?.usage ?? null,
      permissions: {
        granted: () => permissions.granted(),
        takeBack: async (id) => {
          if (permissions.takeBack(id)) await this.#live?.renew();
        },
      },
    });
  }

  createPrintRunner(printed: Printed): PrintRunner {
    const { session, sessionManager, files, checkpointManager } = this.#parts;
    const permissions = new PermissionManager(null);
    return new PrintRunner({
      ...printed,
      session,
      sessionManager,
      files,
      checkpointManager,
      start: startOf(session),
      converse: (events) => this.#converse(checkpointManager, events, permissions),
    });
  }

  /** `waiting` where no query runs that could be asked: nothing runs before the first prompt. */
  async #mcpServers(): Promise<readonly McpServerShown[]> {
    // A query that has just ended cannot answer, which says nothing about the servers.
    const asked = this.#live?.getQueryInstance()?.mcpServerStatus();
    const told = (await asked?.catch(() => [])) ?? [];
    return Object.keys(this.#parts.config.mcpServers).map((name) => {
      const status = told.find((one) => one.name === name);
      return { name, status: status?.status ?? 'waiting', error: status?.error };
    });
  }

  #converse(
    checkpointManager: CheckpointManager | null,
    events: ConversationEvents,
    permissions: PermissionManager,
  ): StreamingQueryManager {
    this.#live = new StreamingQueryManager({
      executor: new SDKQueryExecutor(this.#parts.sdk),
      messageRouter: new MessageRouter(),
      checkpointManager,
      queryOptions: () => this.#queryOptions(permissions),
      events,
    });
    return this.#live;
  }

  #queryOptions(permissions: PermissionManager): QueryOptions {
    const { config, env, project, files, logger, sdkKeepsFiles } = this.#parts;
    const { model, allowedTools, disallowedTools, extraArgs } = config;
    return {
      cwd: project,
      env,
      model: this.#model ?? model,
      instructions: readInstructions(project),
      permissionMode: this.#modes.current,
      mayBypass: this.#modes.mayBypass,
      allowedTools,
      disallowedTools,
      extraArgs,
      mcpServers: config.mcpServers,
      // The SDK would set the variable for its process; a person who left it out wants the engine alone.
      enableFileCheckpointing: config.enableFileCheckpointing && sdkKeepsFiles,
      canUseTool: permissions.canUseTool,
      ...(files === null ? {} : { hooks: files.hooks }),
      stderr: (text) => void logger.info('the SDK says', { text }),
    };
  }
}
