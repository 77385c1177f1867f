import type { Paint } from '../../terminal/paint.ts';
import type { CheckpointMetadata } from '../checkpoint/metadata-file.ts';
import type { EffectiveValue } from '../config/replica-config.ts';
import type { AgentFiles } from '../files/agent-files.ts';
import type { Session } from '../sessions/session.ts';
import type { InteractiveUI } from '../ui/interactive-ui.ts';

/** A slash command. */
export interface SlashCommand {
  readonly name: string;
  readonly aliases: readonly string[];
  /** What follows the name in the help: `TEXT`, `[ID]`; empty for nothing. */
  readonly usage: string;
  readonly description: string;
  /** Words that Tab offers after the name. */
  complete?(args: string, context: CommandContext): readonly string[];
  /** What it has to say, or null; what it throws is shown in one line and the prompt goes on. */
  execute(args: string, context: CommandContext): Promise<string | null>;
}

/** What commands have to work with. */
export interface CommandContext {
  readonly ui: InteractiveUI;
  readonly agent: AgentControl;
  readonly sessions: KeptSessions;
  readonly config: KnownConfig;
  /** Null where checkpoints are turned off. */
  readonly checkpoints: ListedCheckpoints | null;
  /** The engine; null where it is turned off or the project cannot be one. */
  readonly files: AgentFiles | null;
  /** For what goes to `displayBlock`. */
  readonly paint: Paint;
  readonly columns: number;
  readonly now: () => number;
}

/** The part of `SessionManager` that commands need. */
export interface KeptSessions {
  /** Newest first; those that are empty are left out. `problems`: what could not be read. */
  list(project: string): Promise<{
    readonly sessions: readonly Session[];
    readonly problems: readonly string[];
  }>;
  /** Gives a conversation the name that `/load` finds it by. Throws where another one has it. */
  save(session: Session, name: string): Promise<Session>;
  delete(id: string): Promise<void>;
}

/** The part of `ConfigManager` that commands need. */
export interface KnownConfig {
  /** To be shown: without what may hold keys. */
  effective(): readonly EffectiveValue[];
  readonly warnings: readonly string[];
}

/** The part of `CheckpointManager` that commands need. */
export interface ListedCheckpoints {
  /** Newest first. */
  listCheckpoints(): readonly CheckpointMetadata[];
}

/** What a command may ask of the running agent. */
export interface AgentControl {
  readonly session: Session;
  readonly isBusy: boolean;
  /** The menu of Esc Esc, with `(current)` first where a command opens it. */
  rewind(options: { readonly withCurrent: boolean }): Promise<string | null>;
  /** Takes up a conversation again. */
  switchTo(session: Session): Promise<void>;
  /** A new, empty conversation. */
  startAnew(): Promise<void>;
  /** Changes what is kept of the open conversation, so that the agent goes on with what was written. */
  updateSession(work: (session: Session) => Promise<Session>): Promise<void>;
  /** Sends a prompt as if the person had typed it. */
  submit(prompt: string): void;
  /** Puts a text in front of the next prompt, for the agent alone. */
  addContext(text: string): void;
  /** What waits to be put in front of the next prompt. */
  context(): readonly string[];
  /** What the agent keeps as its list of things to do, newest state. */
  todos(): readonly Todo[];
  /** What stands below the input: what model answers. */
  readonly status: string;
  mcpServers(): Promise<readonly McpServerShown[]>;
  setVerbose(verbose: boolean): void;
  exit(): void;
}

/** What the SDK says of a server (its `McpServerStatus` fits). */
export interface McpServerShown {
  readonly name: string;
  readonly status: string;
  readonly error?: string | undefined;
}

export interface Todo {
  readonly text: string;
  readonly state: 'pending' | 'in-progress' | 'done';
}
