import { join } from 'node:path';
import { type AgentSettings, configFolder, inFolders } from '../agent-settings.ts';
import { pluginSource } from '../opencode/plugin.ts';

/** Kilo is built on opencode, and takes its plug-ins. */
export const settings: AgentSettings = {
  name: 'kilo',
  title: 'Kilo',
  program: 'kilo',
  homes: (places) => [join(configFolder(places), 'kilo'), join(places.homeDirectory, '.kilo')],
  ownFiles: (scope, places, program) => {
    const file = inFolders(places, scope, {
      user: join(configFolder(places), 'kilo/plugin/savepoint.js'),
      project: '.kilo/plugin/savepoint.js',
    });
    return file === null ? [] : [{ file, content: pluginSource('kilo', program) }];
  },
};
