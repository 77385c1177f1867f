import { join } from 'node:path';
import { type AgentSettings, configFolder, inFolders } from '../agent-settings.ts';
import { pluginSource } from './plugin.ts';

export const settings: AgentSettings = {
  name: 'opencode',
  title: 'opencode',
  program: 'opencode',
  homes: (places) => [
    join(configFolder(places), 'opencode'),
    join(places.homeDirectory, '.local/share/opencode'),
  ],
  ownFiles: (scope, places, program) => {
    const file = inFolders(places, scope, {
      user: join(configFolder(places), 'opencode/plugins/savepoint.js'),
      project: '.opencode/plugins/savepoint.js',
    });
    return file === null ? [] : [{ file, content: pluginSource('opencode', program) }];
  },
};
