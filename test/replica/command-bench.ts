import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { registerBuiltinCommands } from '../../src/replica/commands/builtin-commands.ts';
import type {
  AgentControl,
  CommandContext,
  McpServerShown,
  ModelShown,
  Todo,
  UsageShown,
} from '../../src/replica/commands/command.ts';
import { CommandRegistry } from '../../src/replica/commands/command-registry.ts';
import { ConfigManager, SDKConfigLoader } from '../../src/replica/config/config-manager.ts';
import type { EngineFiles } from '../../src/replica/files/engine-files.ts';
import type { Session } from '../../src/replica/sessions/session-manager.ts';
import { SessionManager } from '../../src/replica/sessions/session-manager.ts';
import type { ConversationEntry } from '../../src/replica/ui/interactive-ui.ts';
import type { Paint } from '../../src/terminal/paint.ts';
import { RecordingUI } from './recording-ui.ts';

export const NOW: number = Date.parse('2026-03-01T12:00:00Z');
const MINUTE = 60_000;

/** Commands with a person and an agent that note what was asked of them. */
export class CommandBench {
  readonly ui: RecordingUI = new RecordingUI();
  readonly registry: CommandRegistry = new CommandRegistry();
  models: readonly ModelShown[] = [];
  readonly modelsSet: string[] = [];
  used: UsageShown | null = null;
  readonly grants: Set<string> = new Set();
  said: readonly ConversationEntry[] = [];
  readonly submitted: string[] = [];
  readonly added: string[] = [];
  readonly left: string[] = [];
  todos: readonly Todo[] = [];
  /** Null: nobody can be asked. */
  servers: readonly McpServerShown[] | null = [];
  isBusy = false;
  rewindSays: string | null = null;
  rewinds = 0;
  files: EngineFiles | null = null;
  paint: Paint = (_style, text) => text;
  checkpoints: CommandContext['checkpoints'] = { listCheckpoints: () => [] };
  open: Session;
  readonly sessions: SessionManager;
  readonly config: ConfigManager;
  readonly #clock: Clock;

  private constructor(scratch: string, sessions: SessionManager, open: Session, clock: Clock) {
    this.sessions = sessions;
    this.open = open;
    this.#clock = clock;
    const environment = { CLAUDE_REPLICA_MODEL: 'some-model' };
    this.config = new ConfigManager(
      new SDKConfigLoader({ home: scratch, project: open.project, environment }),
    );
    registerBuiltinCommands(this.registry);
  }

  /** In a folder of the test's own, with an empty project and an empty conversation. */
  static async create(scratch: string): Promise<CommandBench> {
    const project = join(scratch, 'project');
    mkdirSync(project, { recursive: true });
    const clock = { ago: 0 };
    const now = (): Date => new Date(NOW - clock.ago * MINUTE);
    const sessions = new SessionManager({ root: join(scratch, 'sessions'), now });
    return new CommandBench(scratch, sessions, await sessions.create({ project }), clock);
  }

  /** A conversation that was last used so many minutes ago. */
  async talk({ ago, name, prompts = ['hello'] }: Talk): Promise<Session> {
    this.#clock.ago = ago;
    let session = await this.sessions.create({ project: this.open.project });
    for (const prompt of prompts) {
      session = await this.sessions.addTurn(session, randomUUID(), prompt);
    }
    if (name !== undefined) session = await this.sessions.save(session, name);
    this.#clock.ago = 0;
    return session;
  }

  /** What the command says, and above it what it showed as a block. */
  run(text: string): Promise<string | null> {
    return this.registry.execute(text, this.context());
  }

  context(): CommandContext {
    const { ui, files, checkpoints, config, sessions } = this;
    const { paint } = this;
    const now = (): number => NOW;
    const agent = this.#agent();
    return { ui, agent, sessions, config, checkpoints, files, paint, columns: 80, now };
  }

  #agent(): AgentControl {
    return {
      session: this.open,
      isBusy: this.isBusy,
      rewind: async () => {
        this.rewinds += 1;
        return this.rewindSays;
      },
      switchTo: async (session) => {
        this.open = session;
      },
      startAnew: async () => {
        this.open = await this.sessions.create({ project: this.open.project });
      },
      updateSession: async (work) => {
        this.open = await work(this.open);
      },
      submit: (prompt) => this.submitted.push(prompt),
      addContext: (text) => this.added.push(text),
      context: () => this.added,
      todos: () => this.todos,
      status: 'a model',
      mcpServers: async () => {
        if (this.servers === null) throw new Error('no query');
        return this.servers;
      },
      models: async () => this.models,
      setModel: async (name) => void this.modelsSet.push(name),
      usage: () => this.used,
      permissions: {
        granted: () => [...this.grants].map((id) => ({ id, text: id })),
        takeBack: async (id) => void this.grants.delete(id),
      },
      past: async () => this.said,
      exit: () => this.left.push('exit'),
    };
  }
}

interface Clock {
  ago: number;
}

interface Talk {
  readonly ago: number;
  readonly name?: string;
  readonly prompts?: readonly string[];
}
