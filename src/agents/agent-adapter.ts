/** The agents that Savepoint records through their hooks or plug-ins. Each has a folder of this name. */
export const AGENT_NAMES = [
  'claude-code',
  'codex',
  'gemini',
  'opencode',
  'qwen',
  'copilot',
  'pi',
  'kilo',
  'cline',
  'droid',
] as const;

export type AgentName = (typeof AGENT_NAMES)[number];

/** What every event of an agent says. */
interface EventOfSession {
  /** The agent's own id of the conversation. */
  readonly sessionId: string;
  /** The folder in which the agent works; null where the payload does not say. */
  readonly cwd: string | null;
  /** Names the sub-agent that works for the session; null for the agent itself. */
  readonly subagentId: string | null;
}

export interface SessionStarted extends EventOfSession {
  readonly kind: 'session-started';
  /** The session that this one continues or works for. */
  readonly parentSessionId: string | null;
}

export interface SessionEnded extends EventOfSession {
  readonly kind: 'session-ended';
}

/** A person's prompt. */
export interface MessageSent extends EventOfSession {
  readonly kind: 'message';
  /** Names the prompt in its session; null where nothing in the payload does. */
  readonly messageId: string | null;
  /** The agent's own ids, by which it finds the prompt in the conversation; null where it has none. */
  readonly promptId: string | null;
  readonly turnId: string | null;
  readonly prompt: string;
  /** Where the agent keeps the conversation; null where the payload does not say. */
  readonly transcriptPath: string | null;
}

/**
 * A program's prompt, such as the notice of finished background work. The agent goes on with the person's newest
 * prompt, under another id.
 */
export interface TurnContinued extends EventOfSession {
  readonly kind: 'turn-continued';
  readonly messageId: string;
}

/** What a tool is about to do, as far as its input tells. */
export type ToolAct =
  /** It writes to these files and to no others. The paths are as the agent gave them. */
  | { readonly kind: 'files'; readonly paths: readonly string[] }
  /** It can write anything. */
  | { readonly kind: 'command'; readonly command: string };

interface EventOfTool extends EventOfSession {
  /** The prompt that the call belongs to; null where the payload does not say: the session's newest. */
  readonly messageId: string | null;
  /** The agent's own id of the call; null where it has none. Input and tool then tell calls apart. */
  readonly toolCallId: string | null;
  readonly tool: string;
  /** Null where the end of a call does not repeat it; such a call has an id. */
  readonly act: ToolAct | null;
}

/** A tool is about to write. Tools that only read are not events. */
export interface ToolBegins extends EventOfTool {
  readonly kind: 'before-tool';
  readonly act: ToolAct;
}

export interface ToolEnded extends EventOfTool {
  readonly kind: 'after-tool';
}

/** The agent has answered and waits. Sub-agents may go on in the background. */
export interface TurnEnded extends EventOfSession {
  readonly kind: 'turn-ended';
  readonly messageId: string | null;
}

/** The person stopped the agent. */
export interface Interrupted extends EventOfSession {
  readonly kind: 'interrupted';
  readonly messageId: string | null;
}

/** An event of an agent, in the words of the timeline. */
export type AgentEvent =
  | SessionStarted
  | SessionEnded
  | MessageSent
  | TurnContinued
  | ToolBegins
  | ToolEnded
  | TurnEnded
  | Interrupted;

/** Why a payload has no event. */
export const DROP_REASONS = [
  // A field that the adapter needs is missing or of another kind.
  'malformed',
  'unknown-event',
  // The event is known and says nothing about files or prompts.
  'not-needed',
  // The tool is not known to write files.
  'other-tool',
  // The agent sends its prompt again.
  'repeated',
] as const;

export type DropReason = (typeof DROP_REASONS)[number];

/** What a payload means. It has events, or the reason why it has none. */
export type Parsed =
  | { readonly events: readonly AgentEvent[]; readonly dropped: null }
  | { readonly events: readonly []; readonly dropped: Dropped };

export interface Dropped {
  readonly reason: DropReason;
  /** The event or tool by its name, or what is wrong with which field. It never holds a value of a field. */
  readonly detail: string;
}

/** One agent, as the hook sees it. */
export interface AgentAdapter {
  readonly name: AgentName;
  /**
   * Never throws. `event` is the name that the registered command gives the event; null where the payload
   * itself says it.
   */
  parse(payload: unknown, event: string | null): Parsed;
  /**
   * The text that the hook prints so that the model reads the notice; null where the agent has no such way.
   */
  answer(notice: string): string | null;
  /**
   * Whether the agent hands what the hook prints at this event to its model. Without it, agents do so at prompts
   * alone.
   */
  readonly hears?: (event: AgentEvent) => boolean;
  /** The text that the hook prints when it has nothing to say. */
  readonly silence: string;
  /** Whether the parent of the hook is known to be a process that lives as long as the session does. */
  readonly parentIsAgent: boolean;
  /** The variable in which the hook finds the folder in which the agent was started; null where there is none. */
  readonly projectVariable: string | null;
}
