import type { AgentName } from './agent-adapter.ts';
import type { AgentSettings } from './agent-settings.ts';
import { settings as claudeCode } from './claude-code/settings.ts';
import { settings as cline } from './cline/settings.ts';
import { settings as codex } from './codex/settings.ts';
import { settings as copilot } from './copilot/settings.ts';
import { settings as droid } from './droid/settings.ts';
import { settings as gemini } from './gemini/settings.ts';
import { settings as kilo } from './kilo/settings.ts';
import { settings as opencode } from './opencode/settings.ts';
import { settings as pi } from './pi/settings.ts';
import { settings as qwen } from './qwen/settings.ts';

/** How each agent is set up. */
export const ALL_SETTINGS: Readonly<Record<AgentName, AgentSettings>> = {
  'claude-code': claudeCode,
  codex,
  gemini,
  opencode,
  qwen,
  copilot,
  pi,
  kilo,
  cline,
  droid,
};
