import { dirname, join } from 'node:path';
import { readFileOrNull } from '../../fs/read-file.ts';
import { type AgentSettings, inFolders, type Places } from '../agent-settings.ts';

export const settings: AgentSettings = {
  name: 'gemini',
  title: 'Gemini CLI',
  program: 'gemini',
  homes: ({ homeDirectory }) => [join(homeDirectory, '.gemini')],
  hooksFile: (scope, places) =>
    inFolders(places, scope, {
      user: join(places.homeDirectory, '.gemini/settings.json'),
      project: '.gemini/settings.json',
    }),
  switchedOffBy: [{ path: ['hooksConfig', 'enabled'], value: false }],
  hooks: {
    events: ['SessionStart', 'BeforeAgent', 'BeforeTool', 'AfterTool', 'AfterAgent', 'SessionEnd'],
    // In milliseconds, unlike all the others.
    fields: { timeout: 30_000 },
  },
  untrusted: (hooks, places) =>
    isTrusted(places) ? [] : hooks.filter(({ scope }) => scope === 'project'),
  toTrust: {
    project: 'Gemini CLI runs hooks of a project only in a folder that you trust: /permissions',
  },
};

const MOST_BYTES = 1024 * 1024;

/** Whether Gemini CLI trusts the folder of the project. A list that cannot be read holds nothing. */
function isTrusted({ homeDirectory, project }: Places): boolean {
  const file = join(homeDirectory, '.gemini/trustedFolders.json');
  const bytes = readFileOrNull(file, { followLink: true, maxBytes: MOST_BYTES });
  try {
    const folders = JSON.parse(String(bytes)) as Readonly<Record<string, unknown>> | null;
    return Object.entries(folders ?? {}).some(([folder, trust]) => {
      if (trust === 'TRUST_FOLDER') return `${project}/`.startsWith(`${folder}/`);
      return trust === 'TRUST_PARENT' && `${project}/`.startsWith(`${dirname(folder)}/`);
    });
  } catch {
    return false;
  }
}
