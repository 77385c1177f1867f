import { join } from 'node:path';
import { type AgentSettings, inFolders } from '../agent-settings.ts';

export const settings: AgentSettings = {
  name: 'qwen',
  title: 'Qwen Code',
  program: 'qwen',
  homes: ({ homeDirectory }) => [join(homeDirectory, '.qwen')],
  hooksFile: (scope, places) =>
    inFolders(places, scope, {
      user: join(places.homeDirectory, '.qwen/settings.json'),
      project: '.qwen/settings.json',
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
    // No timeout: some versions take seconds, others milliseconds. The hook has its own deadline.
    fields: {},
  },
};
