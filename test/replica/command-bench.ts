import { randomUUID } from 'node:crypto';
import { registerBuiltinCommands } from '../../src/replica/commands/builtin-commands.ts';
import type {
  AgentControl,
  CommandContext,
  McpServerShown,
  Todo,
} from '../../src/replica/commands/command.ts';
import { CommandRegistry } from '../../src/replica/commands/command-registry.ts';
import type { AgentFiles } from '../../src/replica/files/agent-files.ts';
import type { Session } from '../../src/replica/sessions/session.ts';
import { RecordingUI } from './recording-ui.ts';

export const NOW: number = Date.parse('2026-03-01T12:00:00Z');
const MINUTE = 60_000;

/** Commands with a person and an agent that note what was asked of them. */
export class CommandBench {
  readonly ui: RecordingUI = new RecordingUI();
  readonly registry: CommandRegistry = new CommandRegistry();
  readonly submitted: string[] = [];
  readonly added: string[] = [];
  readonly deleted: string[] = [];
  readonly left: string[] = [];
  todos: readonly Todo[] = [];
  servers: readonly McpServerShown[] = [];
  isBusy = false;
  rewindSays: string | null = null;
  rewinds: { readonly withCurrent: boolean }[] = [];
  /** The open one first. */
  sessions: Session[];
  open: Session;
  files: AgentFiles | null = null;
  checkpoints: CommandContext['checkpoints'] = { listCheckpoints: () => [] };
  config: CommandContext['config'] = { effective: () => [] };

  constructor(project = '/project') {
    this.open = sessionOf(project, { ago: 1 });
    this.sessions = [this.open];
    registerBuiltinCommands(this.registry);
  }

  /** What the command says, and above it what it showed as a block. */
  run(text: string): Promise<string | null> {
    return this.registry.execute(text, this.context());
  }

  context(): CommandContext {
    const { ui, files, checkpoints, config } = this;
    const paint = (_style: string, text: string): string => text;
    return {
      ui,
      agent: this.#agent(),
      sessions: this.#kept(),
      config,
      checkpoints,
      files,
      paint,
      columns: 80,
      now: () => NOW,
    };
  }

  #agent(): AgentControl {
    return {
      session: this.open,
      isBusy: this.isBusy,
      rewind: async (options) => {
        this.rewinds.push(options);
        return this.rewindSays;
      },
      switchTo: async (session) => {
        this.open = session;
      },
      startAnew: async () => {
        this.open = sessionOf(this.open.project, { ago: 0 });
        this.sessions.unshift(this.open);
      },
      updateSession: async (work) => {
        this.open = await work(this.open);
      },
      submit: (prompt) => this.submitted.push(prompt),
      addContext: (text) => this.added.push(text),
      context: () => this.added,
      todos: () => this.todos,
      status: 'a model',
      mcpServers: async () => this.servers,
      setVerbose: (verbose) => this.ui.setVerbose(verbose),
      exit: () => this.left.push('exit'),
    };
  }

  #kept(): CommandContext['sessions'] {
    return {
      list: async ({ project }) => this.sessions.filter((one) => one.project === project),
      save: async (session, name) => {
        const named = { ...session, name };
        this.sessions = this.sessions.map((one) => (one.id === session.id ? named : one));
        return named;
      },
      delete: async (id) => {
        this.deleted.push(id);
        this.sessions = this.sessions.filter((one) => one.id !== id);
      },
    };
  }
}

/** A conversation that was last used so many minutes ago. */
export function sessionOf(
  project: string,
  { ago, name = null, prompts = [] }: { ago: number; name?: string | null; prompts?: string[] },
): Session {
  const at = new Date(NOW - ago * MINUTE);
  const turns = prompts.map((prompt) => ({
    promptId: randomUUID(),
    prompt,
    lastMessageId: randomUUID(),
  }));
  return {
    id: randomUUID(),
    name,
    project,
    parentId: null,
    createdAt: at,
    updatedAt: at,
    turns,
  };
}
