import { join } from 'node:path';
import { readFileOrNull } from '../../fs/read-file.ts';
import {
  type AgentSettings,
  folderIn,
  inFolders,
  type Places,
  type RegisteredHook,
} from '../agent-settings.ts';

const TO_TRUST = 'Codex runs hooks only after you have trusted them: start codex and say yes';

export const settings: AgentSettings = {
  name: 'codex',
  title: 'Codex',
  program: 'codex',
  homes: (places) => [homeOf(places)],
  hooksFile: (scope, places) =>
    inFolders(places, scope, {
      user: join(homeOf(places), 'hooks.json'),
      project: '.codex/hooks.json',
    }),
  hooks: {
    events: [
      'SessionStart',
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'Interrupt',
      'Stop',
      'SessionEnd',
    ],
    fields: { timeout: 30 },
  },
  untrusted: (hooks, places) => {
    const trusted = trustedHooks(places);
    return hooks.filter((hook) => !trusted.has(keyOf(hook)));
  },
  toTrust: { user: TO_TRUST, project: TO_TRUST },
};

function homeOf({ env, homeDirectory }: Places): string {
  return folderIn(env, 'CODEX_HOME', join(homeDirectory, '.codex'));
}

const MOST_BYTES = 16 * 1024 * 1024;
// [hooks.state."/home/me/.codex/hooks.json:pre_tool_use:0:0"]
const STATE = /^\s*\[hooks\.state\.(?:"([^"\n]*)"|'([^'\n]*)')\]/gm;

/**
 * The hooks that somebody has looked at and trusted, as Codex keeps them in its own settings. Whether the hash
 * there still fits, only Codex knows.
 */
function trustedHooks(places: Places): ReadonlySet<string> {
  const file = join(homeOf(places), 'config.toml');
  const bytes = readFileOrNull(file, { followLink: true, maxBytes: MOST_BYTES });
  const states = [...String(bytes ?? '').matchAll(STATE)].map(([, a, b]) => a ?? b ?? '');
  return new Set(
    states.map((state) => {
      const [event = '', ...place] = state.split(':').slice(0, -2).toReversed();
      return keyOf({ event, file: place.toReversed().join(':') });
    }),
  );
}

/** Some versions write PreToolUse, others pre_tool_use. */
function keyOf({ event, file }: Pick<RegisteredHook, 'event' | 'file'>): string {
  return `${file}:${event.replaceAll('_', '').toLowerCase()}`;
}
