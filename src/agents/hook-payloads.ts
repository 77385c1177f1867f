import {
  AMOUNT,
  anyOf,
  ID,
  type Kind,
  nullable,
  object,
  optional,
  problemWith,
  TEXT,
  type TypeOf,
  unchecked,
} from '../model/check.ts';
import type { AgentAdapter, AgentEvent, DropReason, Parsed } from './agent-adapter.ts';
import { actOf, type ToolTable } from './tools.ts';

/** What an event of an agent means for the timeline. */
export type Meaning = AgentEvent['kind'] | 'subagent-ended' | 'nothing';

/** How the payloads of one agent differ from those of Claude Code, whose form most agents have taken over. */
export interface HookTable {
  readonly events: Readonly<Record<string, Meaning>>;
  readonly tools: ToolTable;
  /** Whether the agent sends a prompt again, without its text, after each tool call. */
  readonly repeatsPrompts?: boolean;
}

/** The events of Claude Code, and of the agents that have taken over its hooks. */
export const CLAUDE_EVENTS: Readonly<Record<string, Meaning>> = {
  SessionStart: 'session-started',
  SessionEnd: 'session-ended',
  UserPromptSubmit: 'message',
  PreToolUse: 'before-tool',
  PostToolUse: 'after-tool',
  // Instead of PostToolUse, for a command that fails: it may have written before it did.
  PostToolUseFailure: 'after-tool',
  Stop: 'turn-ended',
  SubagentStop: 'subagent-ended',
  SubagentStart: 'nothing',
  PostToolBatch: 'nothing',
  PermissionRequest: 'nothing',
  PreCompact: 'nothing',
  PostCompact: 'nothing',
  Notification: 'nothing',
};

const ABSENT_OR = <T>(kind: Kind<T>) => optional(nullable(kind));

const PAYLOAD = object({
  session_id: ID,
  hook_event_name: TEXT,
  cwd: ABSENT_OR(TEXT),
  transcript_path: ABSENT_OR(TEXT),
  agent_id: ABSENT_OR(ID),
  prompt_id: ABSENT_OR(ID),
  turn_id: ABSENT_OR(ID),
  message_id: ABSENT_OR(ID),
  timestamp: ABSENT_OR(anyOf(TEXT, AMOUNT)),
  prompt: ABSENT_OR(TEXT),
  tool_name: ABSENT_OR(TEXT),
  tool_use_id: ABSENT_OR(ID),
  tool_input: optional(unchecked<unknown>()),
});

type Payload = TypeOf<typeof PAYLOAD>;

/** Reads payloads in the form of Claude Code's hooks. */
export function hookParser(table: HookTable): AgentAdapter['parse'] {
  const parse = parserOf(PAYLOAD, (payload) => {
    const name = payload.hook_event_name;
    const meaning = Object.hasOwn(table.events, name) ? table.events[name] : undefined;
    if (meaning === undefined) return drop('unknown-event', name);
    return meaning === 'nothing' ? drop('not-needed', name) : parsed(table, payload, meaning);
  });
  return (payload, event) =>
    parse(event === null ? payload : { ...Object(payload), hook_event_name: event }, null);
}

/** A parser that says what is wrong with a payload of another kind. */
export function parserOf<T>(
  kind: Kind<T>,
  parse: (payload: T, event: string | null) => Parsed,
): AgentAdapter['parse'] {
  return (payload, event) => {
    const problem = problemWith(kind, 'payload', payload);
    if (problem !== null) return drop('malformed', problem);
    return parse(payload as T, event);
  };
}

function parsed(table: HookTable, payload: Payload, meaning: Exclude<Meaning, 'nothing'>): Parsed {
  const messageId = payload.prompt_id ?? payload.turn_id ?? null;
  const session = {
    sessionId: payload.session_id,
    cwd: payload.cwd ?? null,
    subagentId: payload.agent_id ?? null,
  };
  switch (meaning) {
    case 'session-started':
    case 'session-ended':
      return one({ kind: meaning, ...session });
    case 'subagent-ended':
      // The end of a sub-agent that nobody names must not end the turn of the agent itself.
      if (session.subagentId === null) return drop('malformed', 'payload.agent_id is missing');
      return one({ kind: 'turn-ended', ...session, messageId });
    case 'turn-ended':
    case 'interrupted':
      return one({ kind: meaning, ...session, messageId });
    case 'before-tool':
    case 'after-tool':
      return toolEvent(table, payload, { kind: meaning, ...session, messageId });
    default:
      return promptEvent(table, payload, { ...session, messageId });
  }
}

function promptEvent(
  { repeatsPrompts = false }: HookTable,
  { prompt, prompt_id, turn_id, message_id, transcript_path, timestamp }: Payload,
  told: Pick<AgentEvent, 'sessionId' | 'cwd' | 'subagentId'> & { messageId: string | null },
): Parsed {
  if (typeof prompt !== 'string') return drop('malformed', 'payload.prompt is missing');
  if (prompt === '' && repeatsPrompts) return drop('repeated', 'prompt');
  const { messageId } = told;
  if (isProgramsPrompt(prompt)) {
    return messageId === null
      ? drop('not-needed', 'prompt of a program')
      : one({ kind: 'turn-continued', ...told, messageId });
  }
  return one({
    kind: 'message',
    ...told,
    // Droid's id of the prompt. At other events it sends ids of other messages in this field.
    messageId: messageId ?? message_id ?? momentOf(timestamp),
    promptId: prompt_id ?? message_id ?? null,
    turnId: turn_id ?? null,
    prompt,
    transcriptPath: transcript_path ?? null,
  });
}

/** Finished background work reports as a prompt with an id of its own. */
function isProgramsPrompt(prompt: string): boolean {
  return prompt.startsWith('<task-notification>');
}

/**
 * The moment of a prompt names it where the agent has no id for it: an event that arrives twice, also in two
 * forms, is one prompt.
 */
export function momentOf(timestamp: string | number | null | undefined): string | null {
  const time = new Date(timestamp ?? Number.NaN).getTime();
  return Number.isNaN(time) ? null : `at-${time}`;
}

function toolEvent(
  { tools }: HookTable,
  { tool_name, tool_use_id, tool_input }: Payload,
  told: Pick<AgentEvent, 'sessionId' | 'cwd' | 'subagentId'> & {
    kind: 'before-tool' | 'after-tool';
    messageId: string | null;
  },
): Parsed {
  if (typeof tool_name !== 'string') return drop('malformed', 'payload.tool_name is missing');
  const act = actOf(tools, tool_name, tool_input);
  if (act === 'other') return drop('other-tool', tool_name);
  if (act === null) return drop('malformed', `payload.tool_input of ${tool_name}`);
  return one({ ...told, toolCallId: tool_use_id ?? null, tool: tool_name, act });
}

export function one(event: AgentEvent): Parsed {
  return { events: [event], dropped: null };
}

const MAX_DETAIL = 200;

export function drop(reason: DropReason, detail: string): Parsed {
  return { events: [], dropped: { reason, detail: detail.slice(0, MAX_DETAIL) } };
}

/** The output of a hook that hands a text to the model, in the form of Claude Code's hooks. */
export function contextFor(event: string): AgentAdapter['answer'] {
  return (notice) =>
    JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: notice } });
}
