import { nameOf, parentOf, type TrackedPath } from './path.ts';

/**
 * Which paths Savepoint keeps its hands off. `git`: never captured, never written. `agent-configuration`:
 * captured, but restored only when asked for by name, because it can name programs to run.
 */
export type Protection = 'git' | 'agent-configuration';

const AGENT_CONFIGURATION = new Set([
  '.claude',
  '.cline',
  '.codex',
  '.factory',
  '.gemini',
  '.kilo',
  '.opencode',
  '.pi',
  '.qwen',
  '.mcp.json',
  '.vscode',
]);

/** Characters that HFS+ ignores in names, so that ".g\u200cit" opens ".git" there. */
const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;

export function protectionOf(path: TrackedPath): Protection | null {
  let found: Protection | null = null;
  for (let at: TrackedPath | null = path; at !== null; at = parentOf(at)) {
    const name = plainName(nameOf(at));
    if (name === '.git' || name === 'git~1') return 'git';
    if (AGENT_CONFIGURATION.has(name)) found = 'agent-configuration';
  }
  return found;
}

function plainName(name: string): string {
  return name
    .replace(IGNORED_BY_HFS, '')
    .toLowerCase()
    .replace(/[. ]+$/, '');
}
