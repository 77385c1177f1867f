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

/** A person's prompt. Prompts that a program sends, such as notices of finished work, are not events. */
export interface MessageSent extends EventOfSession {
  readonly kind: 'message';
  /** The agent's own id of the prompt or turn; null where it has none. */
  readonly messageId: string | null;
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

interface EventOfTool extends EventOfSession {
  /** The prompt that the call belongs to; null where the payload does not say: the session's newest. */
  readonly messageId: string | null;
  /** The agent's own id of the call; null where it has none. Input and tool then tell calls apart. */
  readonly toolCallId: string | null;
  readonly tool: string;
  readonly act: ToolAct;
}

/** A tool is about to write. Tools that only read are not events. */
export interface ToolBegins extends EventOfTool {
  readonly kind: 'before-tool';
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
  | ToolBegins
  | ToolEnded
  | TurnEnded
  | Interrupted;
