import { join } from 'node:path';
import { type AgentSettings, inFolders } from '../agent-settings.ts';

// A script has the name of its event.
const EVENTS = [
  'TaskStart',
  'TaskResume',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'TaskCancel',
  'TaskComplete',
  'TaskError',
  'SessionShutdown',
] as const;

export const settings: AgentSettings = {
  name: 'cline',
  title: 'Cline',
  program: 'cline',
  homes: ({ homeDirectory }) => [join(homeDirectory, '.cline')],
  ownFiles: (scope, places, program) => {
    const folder = inFolders(places, scope, {
      user: join(places.homeDirectory, '.cline/hooks'),
      project: '.cline/hooks',
    });
    if (folder === null) return [];
    return EVENTS.map((event) => ({
      file: join(folder, event),
      content: `#!/bin/sh\n# Records for savepoint; made by savepoint init.\nexec ${program} hook cline --event ${event}\n`,
      isProgram: true,
    }));
  },
};
