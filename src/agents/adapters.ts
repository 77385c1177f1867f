import { AGENT_NAMES, type AgentAdapter, type AgentName } from './agent-adapter.ts';

// Loaded one by one: a hook pays for its own agent alone.
const ADAPTERS: Readonly<Record<AgentName, () => Promise<AgentAdapter>>> = {
  'claude-code': async () => (await import('./claude-code/parse.ts')).claudeCode,
  codex: async () => (await import('./codex/parse.ts')).codex,
  gemini: async () => (await import('./gemini/parse.ts')).gemini,
  opencode: async () => (await import('./opencode/parse.ts')).opencode,
  qwen: async () => (await import('./qwen/parse.ts')).qwen,
  copilot: async () => (await import('./copilot/parse.ts')).copilot,
  pi: async () => (await import('./pi/parse.ts')).pi,
  kilo: async () => (await import('./kilo/parse.ts')).kilo,
  cline: async () => (await import('./cline/parse.ts')).cline,
  droid: async () => (await import('./droid/parse.ts')).droid,
};

export function isAgentName(word: string): word is AgentName {
  return (AGENT_NAMES as readonly string[]).includes(word);
}

export function loadAdapter(name: AgentName): Promise<AgentAdapter> {
  return ADAPTERS[name]();
}
