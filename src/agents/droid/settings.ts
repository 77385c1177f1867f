import { join } from 'node:path';
import { type AgentSettings, inFolders } from '../agent-settings.ts';

export const settings: AgentSettings = {
  name: 'droid',
  title: 'Factory Droid',
  program: 'droid',
  homes: ({ homeDirectory }) => [join(homeDirectory, '.factory')],
  hooksFile: (scope, places) =>
    inFolders(places, scope, {
      user: join(places.homeDirectory, '.factory/settings.json'),
      project: '.factory/settings.json',
      local: '.factory/settings.local.json',
    }),
  hooks: {
    events: [
      'SessionStart',
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'SubagentStop',
      'Stop',
      'SessionEnd',
    ],
    fields: { timeout: 30 },
  },
  readsInstead: (scope, { homeDirectory, project }) =>
    join(scope === 'user' ? homeDirectory : project, '.factory/hooks.json'),
};
