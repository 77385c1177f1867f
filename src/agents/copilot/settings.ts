import { join } from 'node:path';
import { type AgentSettings, folderIn, inFolders, type Places } from '../agent-settings.ts';

const EVENTS = [
  'sessionStart',
  'userPromptSubmitted',
  'preToolUse',
  'postToolUse',
  'agentStop',
  'sessionEnd',
] as const;

export const settings: AgentSettings = {
  name: 'copilot',
  title: 'Copilot CLI',
  program: 'copilot',
  homes: (places) => [homeOf(places)],
  ownFiles: (scope, places, program) => {
    const file = inFolders(places, scope, {
      user: join(homeOf(places), 'hooks/savepoint.json'),
      project: '.github/hooks/savepoint.json',
    });
    return file === null ? [] : [{ file, content: hooksFor(program) }];
  },
};

/** Its payloads do not name their event, so the command does. */
function hooksFor(program: string): string {
  const hooks = EVENTS.map((event) => {
    const bash = `${program} hook copilot --event ${event}`;
    return [event, [{ type: 'command', bash, timeoutSec: 30 }]];
  });
  return `${JSON.stringify({ version: 1, hooks: Object.fromEntries(hooks) }, null, 2)}\n`;
}

function homeOf({ env, homeDirectory }: Places): string {
  return folderIn(env, 'COPILOT_HOME', join(homeDirectory, '.copilot'));
}
