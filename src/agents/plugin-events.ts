import {
  accepts,
  ID,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  TEXT,
  type TypeOf,
  unchecked,
} from '../model/check.ts';
import type { AgentAdapter, AgentName, Parsed } from './agent-adapter.ts';
import { drop, one, parserOf } from './hook-payloads.ts';
import { actOf, commandIn, fileIn, patchIn, type ToolTable } from './tools.ts';

/**
 * An event of opencode's or Kilo's plug-in API, as the plug-in of ours hands it over. Sub-agents are sessions of
 * their own there; the plug-in says for which session and prompt they work.
 */
const ENVELOPE = object({
  event: TEXT,
  payload: unchecked<unknown>(),
  cwd: optional(TEXT),
  parent: optional(nullable(object({ sessionID: ID, messageID: optional(nullable(ID)) }))),
});

type Envelope = TypeOf<typeof ENVELOPE>;

const CALL = object({
  tool: TEXT,
  sessionID: ID,
  callID: ID,
  args: optional(unchecked<unknown>()),
});
const BEFORE = object({ i: CALL, args: unchecked<unknown>() });
const AFTER = object({ i: CALL });
const MESSAGE = object({
  i: object({ sessionID: ID }),
  message: object({ id: ID }),
  parts: listOf(
    object({
      type: TEXT,
      text: optional(TEXT),
      synthetic: optional(nullable(unchecked<unknown>())),
    }),
  ),
});
const TOOL_PART = object({
  part: object({
    type: oneOf('tool'),
    tool: TEXT,
    callID: ID,
    sessionID: ID,
    state: object({ status: oneOf('completed', 'error'), input: optional(unchecked<unknown>()) }),
  }),
});
const OF_SESSION = object({ sessionID: ID });
const WITH_INFO = object({
  info: object({ id: ID, revert: optional(nullable(unchecked<unknown>())) }),
});
const FAILED = object({ sessionID: ID, error: object({ name: TEXT }) });

const TOOLS: ToolTable = {
  write: fileIn('filePath'),
  edit: fileIn('filePath'),
  multiedit: fileIn('filePath'),
  patch: patchIn('patchText', 'patch'),
  apply_patch: patchIn('patchText', 'patch', 'input'),
  bash: commandIn('command'),
};

/** The other tools of these agents. They read, ask, plan or delegate, and write no files. */
export const READ_ONLY: readonly string[] = [
  'read',
  'list',
  'glob',
  'grep',
  'lsp',
  'codesearch',
  'webfetch',
  'websearch',
  'todoread',
  'todowrite',
  'question',
  'skill',
  'task',
  'plan_enter',
  'plan_exit',
  'invalid',
];

/**
 * Tools of MCP servers are called by the name of the server and their own, and plug-ins bring further ones: nobody can
 * tell what they write. Our own server records what it does by itself.
 */
function isForeign(tool: string): boolean {
  return !READ_ONLY.includes(tool) && !tool.startsWith('savepoint_');
}

/** An agent with opencode's plug-in API. */
export function pluginAdapter(name: AgentName): AgentAdapter {
  return { name, parse: parsePluginEvent, answer: contextForPlugin, parentIsAgent: true };
}

const parsePluginEvent = parserOf(ENVELOPE, (envelope) => {
  const { event, payload } = envelope;
  const read = Object.hasOwn(EVENTS, event) ? EVENTS[event] : undefined;
  if (read !== undefined) return read(payload, envelope) ?? drop('malformed', event);
  return drop(NOT_NEEDED.test(event) ? 'not-needed' : 'unknown-event', event);
});

const NOT_NEEDED = /^(event |INIT$|dispose$|shell\.env$|command\.execute\.before$)/;

type Read = (payload: unknown, envelope: Envelope) => Parsed | null;

const EVENTS: Readonly<Record<string, Read>> = {
  'chat.message': (payload, envelope) => {
    if (!accepts(MESSAGE, payload)) return null;
    // The prompt of a sub-agent comes from the agent that started it.
    if (envelope.parent) return drop('not-needed', 'prompt of a sub-agent');
    const texts = payload.parts.filter(({ type, synthetic }) => type === 'text' && !synthetic);
    return one({
      kind: 'message',
      ...sessionOf(payload.i.sessionID, envelope),
      messageId: payload.message.id,
      promptId: payload.message.id,
      turnId: null,
      prompt: texts.map(({ text }) => text ?? '').join('\n'),
      transcriptPath: null,
    });
  },
  'tool.execute.before': (payload, envelope) =>
    accepts(BEFORE, payload) ? toolEvent('before-tool', payload.i, payload.args, envelope) : null,
  'tool.execute.after': (payload, envelope) =>
    accepts(AFTER, payload) ? toolEvent('after-tool', payload.i, payload.i.args, envelope) : null,
  // A tool that fails has no other end.
  'event message.part.updated': (payload, envelope) => {
    if (!accepts(TOOL_PART, payload)) return drop('not-needed', 'message.part.updated');
    const { part } = payload;
    return toolEvent('after-tool', part, part.state.input, envelope);
  },
  'event session.created': (payload, envelope) => {
    if (!accepts(WITH_INFO, payload)) return null;
    if (envelope.parent) return drop('not-needed', 'session of a sub-agent');
    return one({ kind: 'session-started', ...sessionOf(payload.info.id, envelope) });
  },
  'event session.deleted': (payload, envelope) =>
    accepts(WITH_INFO, payload)
      ? one({ kind: 'session-ended', ...sessionOf(payload.info.id, envelope) })
      : null,
  'event session.idle': (payload, envelope) =>
    accepts(OF_SESSION, payload) ? turnEnded(payload.sessionID, envelope) : null,
  'event session.error': (payload, envelope) => {
    if (!accepts(FAILED, payload)) return null;
    if (payload.error.name !== 'MessageAbortedError') return drop('not-needed', 'session.error');
    const session = sessionOf(payload.sessionID, envelope);
    return one({ kind: 'interrupted', ...session, messageId: messageOf(envelope) });
  },
  // `/undo` and `/redo` write files between two turns; a look at them now keeps them apart from the next one.
  'event session.updated': (payload, envelope) => {
    if (!accepts(WITH_INFO, payload)) return null;
    return payload.info.revert === undefined || payload.info.revert === null
      ? drop('not-needed', 'session.updated')
      : turnEnded(payload.info.id, envelope);
  },
};

function turnEnded(sessionID: string, envelope: Envelope): Parsed {
  const messageId = messageOf(envelope);
  return one({ kind: 'turn-ended', ...sessionOf(sessionID, envelope), messageId });
}

function toolEvent(
  kind: 'before-tool' | 'after-tool',
  { tool, sessionID, callID }: TypeOf<typeof CALL>,
  args: unknown,
  envelope: Envelope,
): Parsed {
  const known = actOf(TOOLS, tool, args);
  const act =
    known === 'other' && isForeign(tool) ? ({ kind: 'command', command: tool } as const) : known;
  if (act === 'other') return drop('other-tool', tool);
  if (act === null) return drop('malformed', `args of ${tool}`);
  const session = sessionOf(sessionID, envelope);
  return one({ kind, ...session, messageId: messageOf(envelope), toolCallId: callID, tool, act });
}

function sessionOf(sessionID: string, { parent, cwd }: Envelope) {
  return parent
    ? { sessionId: parent.sessionID, cwd: cwd ?? null, subagentId: sessionID }
    : { sessionId: sessionID, cwd: cwd ?? null, subagentId: null };
}

/** The prompt that a sub-agent works for. The agent itself works for its newest one. */
function messageOf({ parent }: Envelope): string | null {
  return parent?.messageID ?? null;
}

/** What our plug-ins read from the hook's output. */
export function contextForPlugin(notice: string): string {
  return JSON.stringify({ context: notice });
}
