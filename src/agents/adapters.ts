import { AGENT_NAMES, type AgentAdapter, type AgentName } from './agent-adapter.ts';
import { CLAUDE_EVENTS, contextFor, type HookTable, hookParser } from './hook-payloads.ts';
import { pluginAdapter } from './plugin-events.ts';
import { COPILOT_TOOLS, commandIn, fileIn, patchIn, type ToolTable } from './tools.ts';

/** The tools of Gemini CLI, and of Qwen Code, which is made from it. */
const GEMINI_TOOLS: ToolTable = {
  write_file: fileIn('file_path'),
  replace: fileIn('file_path'),
  edit: fileIn('file_path'),
  run_shell_command: commandIn('command'),
};

type OwnForm = 'copilot' | 'pi' | 'cline';

/** The agents that have taken over the hooks of Claude Code, which differ by their tables, and those with our plug-in. */
const ADAPTERS: Readonly<Record<Exclude<AgentName, OwnForm>, AgentAdapter>> = {
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
  kilo: pluginAdapter('kilo'),
  qwen: {
    ...hookAdapter('qwen', { events: CLAUDE_EVENTS, tools: GEMINI_TOOLS, repeatsPrompts: true }),
    projectVariable: 'QWEN_PROJECT_DIR',
  },
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

/** Agents whose payloads have a form of their own, loaded when one of them calls. */
const OWN_FORMS: Readonly<Record<OwnForm, () => Promise<AgentAdapter>>> = {
  copilot: async () => (await import('./copilot/parse.ts')).copilot,
  pi: async () => (await import('./pi/parse.ts')).pi,
  cline: async () => (await import('./cline/parse.ts')).cline,
};

export async function loadAdapter(name: AgentName): Promise<AgentAdapter> {
  return name in ADAPTERS ? ADAPTERS[name as keyof typeof ADAPTERS] : OWN_FORMS[name as OwnForm]();
}

export function isAgentName(word: string): word is AgentName {
  return (AGENT_NAMES as readonly string[]).includes(word);
}
