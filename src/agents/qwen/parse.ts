import type { AgentAdapter } from '../agent-adapter.ts';
import { CLAUDE_EVENTS, contextFor, type HookTable, hookParser } from '../hook-payloads.ts';
import { GEMINI_TOOLS } from '../tools.ts';

const TABLE: HookTable = { events: CLAUDE_EVENTS, tools: GEMINI_TOOLS, repeatsPrompts: true };

export const qwen: AgentAdapter = {
  name: 'qwen',
  parse: hookParser(TABLE),
  answer: contextFor('UserPromptSubmit'),
  silence: '',
  parentIsAgent: true,
  projectVariable: 'QWEN_PROJECT_DIR',
};
