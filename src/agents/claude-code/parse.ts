import type { AgentAdapter } from '../agent-adapter.ts';
import { COPILOT_TOOLS } from '../copilot/parse.ts';
import { contextFor, type HookTable, hookParser, type Meaning } from '../hook-payloads.ts';
import { commandIn, fileIn } from '../tools.ts';

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
