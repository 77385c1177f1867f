import type { AgentAdapter } from '../agent-adapter.ts';
import { CLAUDE_EVENTS, contextFor, type HookTable, hookParser } from '../hook-payloads.ts';
import { commandIn, fileIn, patchIn } from '../tools.ts';

/** Factory's droid. `droid exec` sends no prompt, and no end of a command that failed. */
const TABLE: HookTable = {
  events: CLAUDE_EVENTS,
  tools: {
    Create: fileIn('file_path'),
    Edit: fileIn('file_path'),
    MultiEdit: fileIn('file_path'),
    ApplyPatch: patchIn('input', 'patch'),
    Execute: commandIn('command'),
  },
};

export const droid: AgentAdapter = {
  name: 'droid',
  parse: hookParser(TABLE),
  answer: contextFor('UserPromptSubmit'),
  silence: '',
  parentIsAgent: false,
  projectVariable: 'FACTORY_PROJECT_DIR',
};
