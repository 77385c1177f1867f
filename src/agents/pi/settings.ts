import { join } from 'node:path';
import { type AgentSettings, inFolders } from '../agent-settings.ts';
import { extensionSource } from './plugin.ts';

export const settings: AgentSettings = {
  name: 'pi',
  title: 'pi',
  program: 'pi',
  homes: ({ homeDirectory }) => [join(homeDirectory, '.pi')],
  ownFiles: (scope, places, program) => {
    const file = inFolders(places, scope, {
      user: join(places.homeDirectory, '.pi/agent/extensions/savepoint.js'),
      project: '.pi/extensions/savepoint.js',
    });
    return file === null ? [] : [{ file, content: extensionSource(program) }];
  },
};
