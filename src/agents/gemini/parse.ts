import type { AgentAdapter } from '../agent-adapter.ts';
import { contextFor, type HookTable, hookParser } from '../hook-payloads.ts';
import { commandIn, fileIn, type ToolTable } from '../tools.ts';

/** The tools of Gemini CLI, and of Qwen Code, which is made from it. */
export const GEMINI_TOOLS: ToolTable = {
  write_file: fileIn('file_path'),
  replace: fileIn('file_path'),
  edit: fileIn('file_path'),
  run_shell_command: commandIn('command'),
};

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
