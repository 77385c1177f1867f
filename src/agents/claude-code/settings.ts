import { join } from 'node:path';
import { type AgentSettings, folderIn, inFolders, type Places } from '../agent-settings.ts';
import { commandFiles } from './commands.ts';

export const settings: AgentSettings = {
  name: 'claude-code',
  title: 'Claude Code',
  program: 'claude',
  homes: (places) => [homeOf(places)],
  hooksFile: (scope, places) =>
    inFolders(places, scope, {
      user: join(homeOf(places), 'settings.json'),
      project: '.claude/settings.json',
      local: '.claude/settings.local.json',
    }),
  switchedOffBy: [{ path: ['disableAllHooks'], value: true }],
  hooks: {
    events: [
      'SessionStart',
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
      'SubagentStop',
      'Stop',
      'SessionEnd',
    ],
    fields: { timeout: 30 },
  },
  ownFiles: (scope, places, program) =>
    scope === 'user' ? commandFiles(join(homeOf(places), 'skills', 'savepoint'), program) : [],
};

function homeOf({ env, homeDirectory }: Places): string {
  return folderIn(env, 'CLAUDE_CONFIG_DIR', join(homeDirectory, '.claude'));
}
