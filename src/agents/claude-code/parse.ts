import type { AgentAdapter } from '../agent-adapter.ts';
import { CLAUDE_EVENTS, contextFor, type HookTable, hookParser } from '../hook-payloads.ts';
import { COPILOT_TOOLS, commandIn, fileIn } from '../tools.ts';

const TABLE: HookTable = {
  events: CLAUDE_EVENTS,
  tools: {
    // Copilot runs the hooks of Claude Code's settings too, with its own tools.
    ...COPILOT_TOOLS,
    Write: fileIn('file_path'),
    Edit: fileIn('file_path'),
    MultiEdit: fileIn('file_path'),
    NotebookEdit: fileIn('notebook_path'),
    Bash: commandIn('command'),
    PowerShell: commandIn('command'),
    Monitor: commandIn('command'),
  },
};

export const claudeCode: AgentAdapter = {
  name: 'claude-code',
  parse: hookParser(TABLE),
  answer: contextFor('UserPromptSubmit'),
  silence: '',
  parentIsAgent: true,
  projectVariable: 'CLAUDE_PROJECT_DIR',
};
