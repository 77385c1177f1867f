/** The agents that Savepoint records through their hooks or plug-ins. */
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
interface OfSession {
  /** The agent's own id of the conversation. */
  readonly sessionId: string;
  /** The folder in which the agent works; null where the payload does not say. */
  readonly cwd: string | null;
  /** Names the sub-agent that works for the session; null for the agent itself. */
  readonly subagentId: string | null;
}

/** The prompt that something belongs to; null where the payload does not say: the session's newest. */
interface OfMessage extends OfSession {
  readonly messageId: string | null;
}

/** A person's prompt. Its `messageId` is null where nothing in the payload names it. */
export interface MessageSent extends OfMessage {
  readonly kind: 'message';
  /** The agent's own ids, by which it finds the prompt in the conversation; null where it has none. */
  readonly promptId: string | null;
  readonly turnId: string | null;
  readonly prompt: string;
  /** Where the agent keeps the conversation; null where the payload does not say. */
  readonly transcriptPath: string | null;
}

/** What a tool is about to do, as far as its input tells. */
export type ToolAct =
  /** It writes to these files and to no others. The paths are as the agent gave them. */
  | { readonly kind: 'files'; readonly paths: readonly string[] }
  /** It can write anything. */
  | { readonly kind: 'command'; readonly command: string };

interface OfTool extends OfMessage {
  /** The agent's own id of the call; null where it has none. Input and tool then tell calls apart. */
  readonly toolCallId: string | null;
  readonly tool: string;
}

/** A tool is about to write. Tools that only read are not events. */
export interface ToolBegins extends OfTool {
  readonly kind: 'before-tool';
  readonly act: ToolAct;
}

export interface ToolEnded extends OfTool {
  readonly kind: 'after-tool';
  /** Null where the end of a call does not repeat it; such a call has an id. */
  readonly act: ToolAct | null;
}

/** An event of an agent, in the words of the timeline. */
export type AgentEvent =
  | (OfSession & { readonly kind: 'session-started' | 'session-ended' })
  | MessageSent
  /**
   * A program's prompt, such as the notice of finished background work. The agent goes on with the person's newest
   * prompt, under another id.
   */
  | (OfSession & { readonly kind: 'turn-continued'; readonly messageId: string })
  | ToolBegins
  | ToolEnded
  /** The agent has answered and waits, and sub-agents may go on in the background; or the person stopped it. */
  | (OfMessage & { readonly kind: 'turn-ended' | 'interrupted' });

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
export interface Parsed {
  readonly events: readonly AgentEvent[];
  readonly dropped: Dropped | null;
}

interface Dropped {
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
  /** The text that the hook prints so that the model reads the notice; null where the agent has no such way. */
  answer(notice: string): string | null;
  /**
   * Whether the agent hands what the hook prints at this event to its model. Without it, agents do so at prompts
   * alone.
   */
  readonly hears?: (event: AgentEvent) => boolean;
  /** The text that the hook prints when it has nothing to say; left out, none. */
  readonly silence?: string;
  /** Whether the parent of the hook is known to be a process that lives as long as the session does. */
  readonly parentIsAgent: boolean;
  /** The variable in which the hook finds the folder in which the agent was started, where there is one. */
  readonly projectVariable?: string;
}
