import type { AgentAdapter, AgentName } from './agent-adapter.ts';
import { cline } from './cline/parse.ts';
import { copilot } from './copilot/parse.ts';
import { CLAUDE_EVENTS, contextFor, type HookTable, hookParser } from './hook-payloads.ts';
import { pi } from './pi/parse.ts';
import { pluginAdapter } from './plugin-events.ts';
import { COPILOT_TOOLS, commandIn, fileIn, patchIn, type ToolTable } from './tools.ts';

/** The tools of Gemini CLI, and of Qwen Code, which is made from it. */
const GEMINI_TOOLS: ToolTable = {
  write_file: fileIn('file_path'),
  replace: fileIn('file_path'),
  edit: fileIn('file_path'),
  run_shell_command: commandIn('command'),
};

/** Every agent, as the hook sees it. Those that have taken over the hooks of Claude Code differ by their tables. */
export const ADAPTERS: Readonly<Record<AgentName, AgentAdapter>> = {
  'claude-code': {
    ...hookAdapter('claude-code', {
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
    }),
    projectVariable: 'CLAUDE_PROJECT_DIR',
  },
  codex: hookAdapter('codex', {
    events: { ...CLAUDE_EVENTS, Interrupt: 'interrupted' },
    tools: {
      apply_patch: patchIn('command', 'input'),
      // An `apply_patch` in a shell is a command like any other.
      Bash: commandIn('command'),
    },
  }),
  gemini: {
    ...hookAdapter('gemini', {
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
    }),
    answer: contextFor('BeforeAgent'),
    projectVariable: 'GEMINI_PROJECT_DIR',
  },
  opencode: pluginAdapter('opencode'),
  qwen: {
    ...hookAdapter('qwen', { events: CLAUDE_EVENTS, tools: GEMINI_TOOLS, repeatsPrompts: true }),
    projectVariable: 'QWEN_PROJECT_DIR',
  },
  copilot,
  pi,
  kilo: pluginAdapter('kilo'),
  cline,
  // Factory's. `droid exec` sends no prompt, and no end of a command that failed.
  droid: {
    ...hookAdapter('droid', {
      events: CLAUDE_EVENTS,
      tools: {
        Create: fileIn('file_path'),
        Edit: fileIn('file_path'),
        MultiEdit: fileIn('file_path'),
        ApplyPatch: patchIn('input', 'patch'),
        Execute: commandIn('command'),
      },
    }),
    parentIsAgent: false,
    projectVariable: 'FACTORY_PROJECT_DIR',
  },
};

function hookAdapter(name: AgentName, table: HookTable): AgentAdapter {
  const answer = contextFor('UserPromptSubmit');
  return { name, parse: hookParser(table), answer, parentIsAgent: true };
}

export function isAgentName(word: string): word is AgentName {
  return Object.hasOwn(ADAPTERS, word);
}
