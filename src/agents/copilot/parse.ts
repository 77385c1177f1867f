import {
  AMOUNT,
  anyOf,
  ID,
  nullable,
  object,
  optional,
  TEXT,
  unchecked,
} from '../../model/check.ts';
import type { AgentAdapter } from '../agent-adapter.ts';
import { type HookTable, hookParser, parserOf } from '../hook-payloads.ts';
import { parseJson } from '../read-json.ts';
import { COPILOT_TOOLS } from '../tools.ts';

const TABLE: HookTable = {
  events: {
    sessionStart: 'session-started',
    sessionEnd: 'session-ended',
    userPromptSubmitted: 'message',
    preToolUse: 'before-tool',
    postToolUse: 'after-tool',
    postToolUseFailure: 'after-tool',
    agentStop: 'turn-ended',
    subagentStop: 'nothing',
    errorOccurred: 'nothing',
    notification: 'nothing',
    preCompact: 'nothing',
  },
  tools: COPILOT_TOOLS,
};

const PAYLOAD = object({
  sessionId: ID,
  timestamp: optional(anyOf(TEXT, AMOUNT)),
  cwd: optional(nullable(TEXT)),
  prompt: optional(TEXT),
  toolName: optional(TEXT),
  toolArgs: optional(unchecked<unknown>()),
  toolResult: optional(unchecked<unknown>()),
  transcriptPath: optional(nullable(TEXT)),
  stopReason: optional(TEXT),
  source: optional(TEXT),
  reason: optional(TEXT),
});

const parseHook = hookParser(TABLE);

/** The same fields as everybody's under other names, and the name of the event is not among them. */
export const copilot: AgentAdapter = {
  name: 'copilot',
  parse: parserOf(PAYLOAD, (payload, event) => {
    const { sessionId, timestamp, cwd, prompt, transcriptPath, toolName, toolArgs } = payload;
    return parseHook(
      {
        hook_event_name: event ?? eventOf(payload),
        session_id: sessionId,
        timestamp,
        cwd,
        prompt,
        transcript_path: transcriptPath,
        tool_name: toolName,
        tool_input: typeof toolArgs === 'string' ? parseJson(unchecked(), toolArgs) : toolArgs,
      },
      null,
    );
  }),
  // What a hook prints at a prompt is not read.
  answer: () => null,
  parentIsAgent: false,
};

/** Each event has a field that no other one has. */
function eventOf(payload: object): string {
  if ('toolResult' in payload) return 'postToolUse';
  if ('toolName' in payload) return 'preToolUse';
  if ('stopReason' in payload) return 'agentStop';
  if ('source' in payload) return 'sessionStart';
  if ('prompt' in payload) return 'userPromptSubmitted';
  return 'reason' in payload ? 'sessionEnd' : 'none';
}
