import { dirname, isAbsolute, join } from 'node:path';
import { readFileOrNull } from '../fs/read-file.ts';
import { recordOf, unchecked } from '../model/check.ts';
import { AGENT_NAMES, type AgentName } from './agent-adapter.ts';
import { commandFiles } from './claude-code/commands.ts';
import type { HookEvents, OurHook } from './hook-settings.ts';
import { extensionSource, pluginSource } from './plugin-sources.ts';
import { readJson } from './read-json.ts';

/**
 * Where an agent is set up. `user`: for all projects of this user. `project`: for everybody who has the
 * project, in files that git tracks. `local`: for this user in this project.
 */
export const SCOPES = ['user', 'project', 'local'] as const;

export type Scope = (typeof SCOPES)[number];

/** The folders and variables that decide where the files of agents are. */
export interface Places {
  readonly homeDirectory: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A file that is wholly ours. */
export interface OwnFile {
  readonly file: string;
  readonly content: string;
  /** Whether the agent runs it. */
  readonly isProgram?: true;
}

/** A hook of ours, and where it is registered. */
export interface RegisteredHook extends OurHook {
  readonly scope: Scope;
  readonly file: string;
}

/** How one agent is set up: which files hold hooks, and what is written there. */
export interface AgentSettings {
  readonly name: AgentName;
  /** As people call it. */
  readonly title: string;
  /** The name of its program. */
  readonly program: string;
  /** Folders that are there where somebody has used it. */
  homes(places: Places): readonly string[];
  /** The file of settings with hooks in Claude Code's format; null where the agent has none in a scope. */
  hooksFile?(scope: Scope, places: Places): string | null;
  readonly hooks?: HookEvents;
  /** Whole files of ours. `program`: the word of a shell that runs `savepoint`. */
  ownFiles?(scope: Scope, places: Places, program: string): readonly OwnFile[];
  /** Another file that the agent reads instead: where it is there, hooks in `hooksFile` would not run. */
  readsInstead?(scope: Scope, places: Places): string;
  /** Settings with which a person has switched off all hooks. */
  readonly switchedOffBy?: readonly { readonly path: readonly string[]; readonly value: boolean }[];
  /** The hooks that the agent does not run because nobody has trusted them; read, never granted. */
  untrusted?(hooks: readonly RegisteredHook[], places: Places): readonly RegisteredHook[];
  /** What a person still has to do so that hooks run. */
  readonly toTrust?: Readonly<Partial<Record<Scope, string>>>;
}

/** Something below a folder of the user's. */
type InHome = (places: Places, ...path: readonly string[]) => string;

const CLAUDE = inHome('.claude', 'CLAUDE_CONFIG_DIR');
const CODEX = inHome('.codex', 'CODEX_HOME');
const COPILOT = inHome('.copilot', 'COPILOT_HOME');
const CONFIG = inHome('.config', 'XDG_CONFIG_HOME');

const CLAUDE_HOOKS: readonly string[] = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'SubagentStop',
  'Stop',
  'SessionEnd',
];
const CODEX_TRUST = 'Codex runs hooks only after you have trusted them: start codex and say yes';

/** An agent's program has its name, unless it says another one. */
type Row = Omit<AgentSettings, 'name' | 'program'> & Partial<Pick<AgentSettings, 'program'>>;

const ROWS: Readonly<Record<AgentName, Row>> = {
  'claude-code': {
    title: 'Claude Code',
    program: 'claude',
    homes: (places) => [CLAUDE(places)],
    hooksFile: (scope, places) =>
      inScope(places, scope, {
        user: CLAUDE(places, 'settings.json'),
        project: '.claude/settings.json',
        local: '.claude/settings.local.json',
      }),
    switchedOffBy: [{ path: ['disableAllHooks'], value: true }],
    hooks: { events: CLAUDE_HOOKS, fields: { timeout: 30 } },
    ownFiles: (scope, places, program) =>
      scope === 'user' ? commandFiles(CLAUDE(places, 'skills', 'savepoint'), program) : [],
  },
  codex: {
    title: 'Codex',
    homes: (places) => [CODEX(places)],
    hooksFile: (scope, places) =>
      inScope(places, scope, {
        user: CODEX(places, 'hooks.json'),
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
    untrusted: untrustedByCodex,
    toTrust: { user: CODEX_TRUST, project: CODEX_TRUST },
  },
  gemini: {
    title: 'Gemini CLI',
    homes: ({ homeDirectory }) => [join(homeDirectory, '.gemini')],
    hooksFile: inBoth('.gemini/settings.json'),
    switchedOffBy: [{ path: ['hooksConfig', 'enabled'], value: false }],
    hooks: {
      events: [
        'SessionStart',
        'BeforeAgent',
        'BeforeTool',
        'AfterTool',
        'AfterAgent',
        'SessionEnd',
      ],
      // In milliseconds, unlike all the others.
      fields: { timeout: 30_000 },
    },
    untrusted: (hooks, places) =>
      isTrustedByGemini(places) ? [] : hooks.filter(({ scope }) => scope === 'project'),
    toTrust: {
      project: 'Gemini CLI runs hooks of a project only in a folder that you trust: /permissions',
    },
  },
  opencode: {
    title: 'opencode',
    homes: (places) => [
      CONFIG(places, 'opencode'),
      join(places.homeDirectory, '.local/share/opencode'),
    ],
    ownFiles: (scope, places, program) =>
      ownFile(pluginSource('opencode', program), scope, places, {
        user: CONFIG(places, 'opencode/plugins/savepoint.js'),
        project: '.opencode/plugins/savepoint.js',
      }),
  },
  qwen: {
    title: 'Qwen Code',
    homes: ({ homeDirectory }) => [join(homeDirectory, '.qwen')],
    hooksFile: inBoth('.qwen/settings.json'),
    switchedOffBy: [{ path: ['disableAllHooks'], value: true }],
    // No timeout: some versions take seconds, others milliseconds. The hook has its own deadline.
    hooks: { events: CLAUDE_HOOKS, fields: {} },
  },
  copilot: {
    title: 'Copilot CLI',
    homes: (places) => [COPILOT(places)],
    ownFiles: (scope, places, program) =>
      ownFile(copilotHooks(program), scope, places, {
        user: COPILOT(places, 'hooks/savepoint.json'),
        project: '.github/hooks/savepoint.json',
      }),
  },
  pi: {
    title: 'pi',
    homes: ({ homeDirectory }) => [join(homeDirectory, '.pi')],
    ownFiles: (scope, places, program) =>
      ownFile(extensionSource(program), scope, places, {
        user: join(places.homeDirectory, '.pi/agent/extensions/savepoint.js'),
        project: '.pi/extensions/savepoint.js',
      }),
  },
  // Built on opencode, whose plug-ins it takes.
  kilo: {
    title: 'Kilo',
    homes: (places) => [CONFIG(places, 'kilo'), join(places.homeDirectory, '.kilo')],
    ownFiles: (scope, places, program) =>
      ownFile(pluginSource('kilo', program), scope, places, {
        user: CONFIG(places, 'kilo/plugin/savepoint.js'),
        project: '.kilo/plugin/savepoint.js',
      }),
  },
  cline: {
    title: 'Cline',
    homes: ({ homeDirectory }) => [join(homeDirectory, '.cline')],
    ownFiles: (scope, places, program) => {
      const folder = inBoth('.cline/hooks')(scope, places);
      if (folder === null) return [];
      return CLINE_EVENTS.map((event) => ({
        file: join(folder, event),
        content: `#!/bin/sh\n# Records for savepoint; made by savepoint init.\nexec ${program} hook cline --event ${event}\n`,
        isProgram: true,
      }));
    },
  },
  droid: {
    title: 'Factory Droid',
    homes: ({ homeDirectory }) => [join(homeDirectory, '.factory')],
    hooksFile: inBoth('.factory/settings.json', '.factory/settings.local.json'),
    hooks: {
      events: CLAUDE_HOOKS.filter((event) => event !== 'PostToolUseFailure'),
      fields: { timeout: 30 },
    },
    readsInstead: (scope, { homeDirectory, project }) =>
      join(scope === 'user' ? homeDirectory : project, '.factory/hooks.json'),
  },
};

/** How each agent is set up. */
export const ALL_SETTINGS: Readonly<Record<AgentName, AgentSettings>> = Object.fromEntries(
  AGENT_NAMES.map((name) => [name, { name, program: name, ...ROWS[name] }]),
) as Readonly<Record<AgentName, AgentSettings>>;

/** A folder of the home directory; a variable may name another one, and a relative one counts as not set. */
function inHome(folder: string, variable: string): InHome {
  return ({ env, homeDirectory }, ...path) => {
    const chosen = env[variable];
    const home = chosen && isAbsolute(chosen) ? chosen : join(homeDirectory, folder);
    return join(home, ...path);
  };
}

interface ScopedFiles {
  readonly user: string;
  /** Below the folder of the project. */
  readonly project: string;
  readonly local?: string;
}

/** Null where an agent has no file in a scope. */
function inScope({ project }: Places, scope: Scope, files: ScopedFiles): string | null {
  if (scope === 'user') return files.user;
  const inProject = scope === 'project' ? files.project : files.local;
  return inProject === undefined ? null : join(project, inProject);
}

/** A file that has the same name in the home directory and in the project. */
function inBoth(name: string, local?: string): NonNullable<AgentSettings['hooksFile']> {
  return (scope, places) => {
    const files = { user: join(places.homeDirectory, name), project: name };
    return inScope(places, scope, local === undefined ? files : { ...files, local });
  };
}

function ownFile(content: string, scope: Scope, places: Places, files: ScopedFiles): OwnFile[] {
  const file = inScope(places, scope, files);
  return file === null ? [] : [{ file, content }];
}

/** A script has the name of its event. */
const CLINE_EVENTS = [
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

const COPILOT_EVENTS = [
  'sessionStart',
  'userPromptSubmitted',
  'preToolUse',
  'postToolUse',
  'agentStop',
  'sessionEnd',
] as const;

/** Its payloads do not name their event, so the command does. */
function copilotHooks(program: string): string {
  const hooks = COPILOT_EVENTS.map((event) => {
    const bash = `${program} hook copilot --event ${event}`;
    return [event, [{ type: 'command', bash, timeoutSec: 30 }]];
  });
  return `${JSON.stringify({ version: 1, hooks: Object.fromEntries(hooks) }, null, 2)}\n`;
}

const MOST_BYTES = 16 * 1024 * 1024;
// [hooks.state."/home/me/.codex/hooks.json:pre_tool_use:0:0"]
const CODEX_STATE = /^\s*\[hooks\.state\.(?:"([^"\n]*)"|'([^'\n]*)')\]/gm;

/**
 * The hooks that nobody has looked at and trusted, as Codex keeps that in its own settings. Whether the hash
 * there still fits, only Codex knows.
 */
function untrustedByCodex(hooks: readonly RegisteredHook[], places: Places): RegisteredHook[] {
  const file = CODEX(places, 'config.toml');
  const bytes = readFileOrNull(file, { followLink: true, maxBytes: MOST_BYTES });
  const states = [...String(bytes ?? '').matchAll(CODEX_STATE)].map(([, a, b]) => a ?? b ?? '');
  const trusted = new Set(
    states.map((state) => {
      const [event = '', ...place] = state.split(':').slice(0, -2).toReversed();
      return keyOf({ event, file: place.toReversed().join(':') });
    }),
  );
  return hooks.filter((hook) => !trusted.has(keyOf(hook)));
}

/** Some versions write PreToolUse, others pre_tool_use. */
function keyOf({ event, file }: Pick<RegisteredHook, 'event' | 'file'>): string {
  return `${file}:${event.replaceAll('_', '').toLowerCase()}`;
}

const FOLDERS = recordOf(unchecked<unknown>());

/** Whether Gemini CLI trusts the folder of the project. A list that cannot be read holds nothing. */
function isTrustedByGemini({ homeDirectory, project }: Places): boolean {
  const file = join(homeDirectory, '.gemini/trustedFolders.json');
  const folders = readJson(FOLDERS, file, { followLink: true, maxBytes: MOST_BYTES });
  return Object.entries(folders ?? {}).some(([folder, trust]) => {
    if (trust === 'TRUST_FOLDER') return `${project}/`.startsWith(`${folder}/`);
    return trust === 'TRUST_PARENT' && `${project}/`.startsWith(`${dirname(folder)}/`);
  });
}
