import type { AgentAdapter } from '../agent-adapter.ts';
import { contextFor, type HookTable, hookParser } from '../hook-payloads.ts';
import { GEMINI_TOOLS } from '../tools.ts';

const TABLE: HookTable = {
  events: {
    SessionStart: 'session-started',
    SessionEnd: 'session-ended',
    BeforeAgent: 'message',
    BeforeTool: 'before-tool',
    // Also for tools that failed or were cancelled.
    AfterTool: 'after-tool',
    // Not after a cancel: the next prompt ends the turn then.
    AfterAgent: 'turn-ended',
    BeforeModel: 'nothing',
    AfterModel: 'nothing',
    BeforeToolSelection: 'nothing',
    PreCompress: 'nothing',
    Notification: 'nothing',
  },
  tools: GEMINI_TOOLS,
};

export const gemini: AgentAdapter = {
  name: 'gemini',
  parse: hookParser(TABLE),
  answer: contextFor('BeforeAgent'),
  silence: '',
  parentIsAgent: true,
  projectVariable: 'GEMINI_PROJECT_DIR',
};
