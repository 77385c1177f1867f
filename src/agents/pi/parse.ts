import {
  accepts,
  ID,
  nullable,
  object,
  optional,
  TEXT,
  type TypeOf,
  unchecked,
} from '../../model/check.ts';
import type { AgentAdapter, Parsed } from '../agent-adapter.ts';
import { drop, one, parserOf } from '../hook-payloads.ts';
import { contextForPlugin } from '../plugin-events.ts';
import { actOf, commandIn, fileIn, type ToolTable } from '../tools.ts';

/** An event of pi's extension API, as the plug-in of ours hands it over, with the session it belongs to. */
const ENVELOPE = object({
  event: TEXT,
  payload: unchecked<unknown>(),
  cwd: optional(TEXT),
  session: object({ id: ID, file: optional(nullable(TEXT)) }),
  /** Names a prompt: pi has no id for it. */
  messageId: optional(ID),
});

type Envelope = TypeOf<typeof ENVELOPE>;

const INPUT = object({ text: TEXT, source: optional(TEXT) });
const CALL = object({ toolName: TEXT, toolCallId: ID, input: unchecked<unknown>() });
const CALL_ENDED = object({ toolName: TEXT, toolCallId: ID });

const TOOLS: ToolTable = {
  write: fileIn('path'),
  edit: fileIn('path'),
  bash: commandIn('command'),
};

export const pi: AgentAdapter = {
  name: 'pi',
  parse: parserOf(ENVELOPE, (envelope) => {
    const { event, payload } = envelope;
    if (NOT_NEEDED.includes(event)) return drop('not-needed', event);
    const read = Object.hasOwn(EVENTS, event) ? EVENTS[event] : undefined;
    if (read === undefined) return drop('unknown-event', event);
    return read(payload, envelope) ?? drop('malformed', event);
  }),
  answer: contextForPlugin,
  parentIsAgent: true,
};

const NOT_NEEDED: readonly string[] = [
  'session',
  'agent_start',
  'turn_start',
  'tool_execution_start',
  'tool_result',
];

type Read = (payload: unknown, envelope: Envelope) => Parsed | null;

const EVENTS: Readonly<Record<string, Read>> = {
  session_start: (_payload, envelope) => one({ kind: 'session-started', ...sessionOf(envelope) }),
  session_shutdown: (_payload, envelope) => one({ kind: 'session-ended', ...sessionOf(envelope) }),
  input: (payload, envelope) => {
    if (!accepts(INPUT, payload)) return null;
    if (payload.source === 'extension') return drop('not-needed', 'input of an extension');
    return one({
      kind: 'message',
      ...sessionOf(envelope),
      messageId: envelope.messageId ?? null,
      promptId: null,
      turnId: null,
      prompt: payload.text,
      transcriptPath: envelope.session.file ?? null,
    });
  },
  // Awaited before the tool runs.
  tool_call: (payload, envelope) => {
    if (!accepts(CALL, payload)) return null;
    const act = actOf(TOOLS, payload.toolName, payload.input);
    if (act === 'other') return drop('other-tool', payload.toolName);
    return act === null ? null : one({ kind: 'before-tool', ...callOf(payload, envelope), act });
  },
  // Comes for each call, also for those without a `tool_result`.
  tool_execution_end: (payload, envelope) => {
    if (!accepts(CALL_ENDED, payload)) return null;
    return Object.hasOwn(TOOLS, payload.toolName)
      ? one({ kind: 'after-tool', ...callOf(payload, envelope), act: null })
      : drop('other-tool', payload.toolName);
  },
  agent_end: (_payload, envelope) =>
    one({ kind: 'turn-ended', ...sessionOf(envelope), messageId: null }),
};

function sessionOf({ session, cwd }: Envelope) {
  return { sessionId: session.id, cwd: cwd ?? null, subagentId: null };
}

function callOf({ toolName, toolCallId }: TypeOf<typeof CALL_ENDED>, envelope: Envelope) {
  return { ...sessionOf(envelope), messageId: null, toolCallId, tool: toolName };
}
