import type { AgentAdapter } from '../agent-adapter.ts';
import { CLAUDE_EVENTS, contextFor, type HookTable, hookParser } from '../hook-payloads.ts';
import { commandIn, patchIn } from '../tools.ts';

const TABLE: HookTable = {
  events: { ...CLAUDE_EVENTS, Interrupt: 'interrupted' },
  tools: {
    apply_patch: patchIn('command', 'input'),
    // An `apply_patch` in a shell is a command like any other.
    Bash: commandIn('command'),
  },
};

export const codex: AgentAdapter = {
  name: 'codex',
  parse: hookParser(TABLE),
  answer: contextFor('UserPromptSubmit'),
  silence: '',
  parentIsAgent: true,
  projectVariable: null,
};
