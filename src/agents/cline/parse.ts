import {
  ID,
  listOf,
  nullable,
  object,
  optional,
  TEXT,
  type TypeOf,
  unchecked,
} from '../../model/check.ts';
import type { AgentAdapter, AgentEvent, Parsed } from '../agent-adapter.ts';
import { drop, momentOf, one, parserOf } from '../hook-payloads.ts';
import { actOf, commandIn, fileIn, patchIn, type ToolTable } from '../tools.ts';

const CALL = object({ id: ID, name: TEXT, input: optional(unchecked<unknown>()) });
const NAMED_CALL = object({ toolName: TEXT, parameters: optional(unchecked<unknown>()) });

const PAYLOAD = object({
  taskId: ID,
  hookName: TEXT,
  timestamp: optional(TEXT),
  sessionContext: optional(nullable(object({ rootSessionId: optional(nullable(ID)) }))),
  workspaceRoots: optional(listOf(TEXT)),
  agent_id: optional(nullable(ID)),
  parent_agent_id: optional(nullable(ID)),
  // The command line tells calls by their ids; the editor's extension does not.
  tool_call: optional(CALL),
  tool_result: optional(CALL),
  preToolUse: optional(NAMED_CALL),
  postToolUse: optional(NAMED_CALL),
  userPromptSubmit: optional(object({ prompt: optional(TEXT) })),
});

type Payload = TypeOf<typeof PAYLOAD>;

const TOOLS: ToolTable = {
  editor: fileIn('path'),
  write_to_file: fileIn('path'),
  replace_in_file: fileIn('path'),
  new_rule: fileIn('path'),
  apply_patch: patchIn('input', 'patch'),
  run_commands: commandIn('commands'),
  execute_command: commandIn('command'),
};

export const cline: AgentAdapter = {
  name: 'cline',
  parse: parserOf(PAYLOAD, (payload) => {
    const { hookName } = payload;
    const read = Object.hasOwn(EVENTS, hookName) ? EVENTS[hookName] : undefined;
    return read === undefined ? drop('unknown-event', hookName) : read(payload);
  }),
  answer: (notice) => JSON.stringify({ cancel: false, contextModification: notice }),
  // The command line does not wait for its hook at a prompt. It names no prompt, and gives calls ids.
  hears: (event) =>
    event.kind === 'message'
      ? event.prompt !== ''
      : event.kind === 'before-tool' && event.toolCallId !== null,
  // A hook of Cline answers each event.
  silence: JSON.stringify({ cancel: false }),
  parentIsAgent: false,
};

/** The first names are those of the command line, the second those of the editor's extension. */
const EVENTS: Readonly<Record<string, Read>> = {
  agent_start: agentStarted,
  agent_resume: agentStarted,
  TaskStart: started,
  TaskResume: started,
  UserPromptSubmit: (payload) => message(payload, payload.userPromptSubmit?.prompt ?? ''),
  tool_call: toolEvent('before-tool'),
  PreToolUse: toolEvent('before-tool'),
  tool_result: toolEvent('after-tool'),
  PostToolUse: toolEvent('after-tool'),
  agent_end: turnEvent('turn-ended'),
  agent_error: turnEvent('turn-ended'),
  TaskComplete: turnEvent('turn-ended'),
  agent_abort: turnEvent('interrupted'),
  // After Esc the command line sends this alone, and the session goes on.
  session_shutdown: turnEvent('interrupted'),
  TaskCancel: turnEvent('interrupted'),
  PreCompact: () => drop('not-needed', 'PreCompact'),
};

type Read = (payload: Payload) => Parsed;

function started(payload: Payload): Parsed {
  return one({ kind: 'session-started', ...sessionOf(payload) });
}

function turnEvent(kind: 'turn-ended' | 'interrupted'): Read {
  return (payload) => one({ kind, ...sessionOf(payload), messageId: null });
}

/** The command line sends no prompt, only that the agent begins to work on one. */
function agentStarted(payload: Payload): Parsed {
  if (sessionOf(payload).subagentId !== null) return drop('not-needed', 'start of a sub-agent');
  return { events: [...started(payload).events, ...message(payload, '').events], dropped: null };
}

function message(payload: Payload, prompt: string): Parsed {
  const messageId = momentOf(payload.timestamp);
  const told = { messageId, promptId: null, turnId: null, prompt, transcriptPath: null };
  return one({ kind: 'message', ...sessionOf(payload), ...told });
}

function toolEvent(kind: 'before-tool' | 'after-tool'): Read {
  return (payload) => {
    const byId = payload.tool_call ?? payload.tool_result;
    const named = payload.preToolUse ?? payload.postToolUse;
    const tool = byId?.name ?? named?.toolName;
    if (tool === undefined) return drop('malformed', 'payload.tool_call is missing');
    const act = actOf(TOOLS, tool, byId === undefined ? named?.parameters : byId.input);
    if (act === 'other') return drop('other-tool', tool);
    if (act === null) return drop('malformed', `input of ${tool}`);
    const call = { messageId: null, toolCallId: byId?.id ?? null, tool, act };
    return one({ kind, ...sessionOf(payload), ...call });
  };
}

function sessionOf(payload: Payload): Pick<AgentEvent, 'sessionId' | 'cwd' | 'subagentId'> {
  const isSubagent = typeof payload.parent_agent_id === 'string';
  return {
    sessionId: payload.sessionContext?.rootSessionId ?? payload.taskId,
    cwd: payload.workspaceRoots?.[0] ?? null,
    subagentId: isSubagent ? (payload.agent_id ?? null) : null,
  };
}
