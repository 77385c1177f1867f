import type { CheckpointManager } from '../checkpoint/checkpoint-manager.ts';
import type { ConfigManager } from '../config/config-manager.ts';
import type { AgentFiles } from '../files/agent-files.ts';
import type { Session } from '../sessions/session.ts';
import type { SessionManager } from '../sessions/session-manager.ts';
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
  readonly sessions: SessionManager;
  readonly config: ConfigManager;
  /** Null where checkpoints are turned off. */
  readonly checkpoints: CheckpointManager | null;
  /** The engine; null where it is turned off or the project cannot be one. */
  readonly files: AgentFiles | null;
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
  /** Sends a prompt as if the person had typed it. */
  submit(prompt: string): void;
  /** Puts a text in front of the next prompt, for the agent alone. */
  addContext(text: string): void;
  /** What the agent keeps as its list of things to do, newest state. */
  todos(): readonly Todo[];
  setVerbose(verbose: boolean): void;
  exit(): void;
}

export interface Todo {
  readonly text: string;
  readonly state: 'pending' | 'in-progress' | 'done';
}
