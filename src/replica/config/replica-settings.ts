import type { McpServerConfig } from '@anthropic-ai/claude-agent-sdk';
import { AT_LEAST_ONE, SWITCH } from '../../config/kinds.ts';
import type { Effective, SettingKind, SettingsTable } from '../../config/load-settings.ts';
import {
  anyOf,
  branded,
  type Kind,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  recordOf,
  TEXT,
  where,
} from '../../model/check.ts';

/** All that can be set, with every value in place (`ProjectConfig` of the seeds, loaded). */
export interface ReplicaConfig {
  readonly enableFileCheckpointing: boolean;
  readonly checkpointKeepCount: number;
  readonly model: string | null;
  readonly permissionMode: PermissionMode;
  /** Names of servers and how they are reached, as the SDK takes them. User file only: it names programs. */
  readonly mcpServers: Readonly<Record<string, McpServerConfig>>;
  /** Tools that need no question, as the SDK names them. */
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly extraArgs: Readonly<Record<string, string | null>>;
  readonly verbose: boolean;
}

/** From the strictest to the loosest. */
export const PERMISSION_MODES = ['plan', 'default', 'acceptEdits', 'bypassPermissions'] as const;
type PermissionMode = (typeof PERMISSION_MODES)[number];

/** One value and where it comes from, as it may be shown. */
export interface EffectiveValue extends Omit<Effective<ReplicaConfig>, 'value' | 'parts'> {
  readonly value: unknown;
}

const WORD: Kind<string> = where(
  TEXT,
  'one line of text',
  (text) => text.trim() !== '' && !/[\n\r\0]/.test(text),
);

const MODEL: SettingKind<string | null> = {
  kind: nullable(where(WORD, 'the name of a model', () => true)),
  fromText: (text) => text,
};

const MODE: SettingKind<PermissionMode> = {
  kind: oneOf(...PERMISSION_MODES),
  fromText: (text) => text,
};

/** In a variable separated by commas; those in parentheses belong to a rule: `Bash(sed -n 1,2p a)`. */
const TOOLS: SettingKind<readonly string[]> = {
  kind: listOf(where(WORD, 'the name of a tool', () => true)),
  fromText: (text) =>
    (text.match(/(?:\([^)]*\)|[^,(])+/g) ?? [])
      .map((name) => name.trim())
      .filter((name) => name !== ''),
};

/** Null for an argument without a value. */
const ARGUMENTS: SettingKind<Readonly<Record<string, string | null>>> = {
  kind: recordOf(nullable(TEXT)),
  fromText: () => undefined,
};

// No NUL, which ends a text for a program, and no newline, which ends a header.
const LINE: Kind<string> = where(TEXT, 'one line of text', (text) => !/[\n\r\0]/.test(text));
const LINES: Kind<Record<string, string>> = where(recordOf(LINE), 'an object of texts', (texts) =>
  Object.keys(texts).every((name) => !/[\n\r\0]/.test(name)),
);
const PROGRAM = object({
  type: optional(oneOf('stdio')),
  command: WORD,
  args: optional(listOf(LINE)),
  env: optional(LINES),
});
const WEB_ADDRESS: Kind<string> = where(
  TEXT,
  'an address that begins with http:// or https://',
  (text) => URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol),
);
const ADDRESS = object({
  type: oneOf('http', 'sse'),
  url: WEB_ADDRESS,
  headers: optional(LINES),
});
const SERVER_NAME = /^[A-Za-z0-9_-]{1,64}$/;

const SERVERS: SettingKind<Readonly<Record<string, McpServerConfig>>> = {
  kind: where(
    recordOf(
      branded<McpServerConfig>(
        where(
          anyOf(PROGRAM, ADDRESS),
          'a server with a "command", or with a "type" of "http" or "sse" and a "url"',
          () => true,
        ),
      ),
    ),
    'servers by names of letters, digits, "-" and "_"',
    (servers) => Object.keys(servers).every((name) => SERVER_NAME.test(name)),
  ),
  fromText: () => undefined,
};

/** In the order in which they are shown. */
export const REPLICA_SETTINGS: SettingsTable<ReplicaConfig> = {
  enableFileCheckpointing: {
    kind: SWITCH,
    fallback: true,
    projectMay: 'sets',
    variable: 'CLAUDE_REPLICA_ENABLE_FILE_CHECKPOINTING',
    summary: 'whether each prompt is a checkpoint of the files',
  },
  checkpointKeepCount: {
    kind: AT_LEAST_ONE,
    fallback: 10,
    projectMay: 'sets',
    variable: 'CLAUDE_REPLICA_CHECKPOINT_KEEP_COUNT',
    summary: 'how many checkpoints of a session the menu keeps',
  },
  model: {
    kind: MODEL,
    fallback: null,
    projectMay: 'sets',
    variable: 'CLAUDE_REPLICA_MODEL',
    summary: 'the model that answers',
  },
  permissionMode: {
    kind: MODE,
    fallback: 'default',
    projectMay: 'tightens',
    rank: (mode) => PERMISSION_MODES.indexOf(mode),
    variable: 'CLAUDE_REPLICA_PERMISSION_MODE',
    summary: 'what the agent may do without a question',
  },
  mcpServers: {
    kind: SERVERS,
    fallback: {},
    projectMay: 'never',
    variable: null,
    summary: 'MCP servers that the agent may use',
  },
  allowedTools: {
    kind: TOOLS,
    fallback: [],
    projectMay: 'never',
    variable: 'CLAUDE_REPLICA_ALLOWED_TOOLS',
    summary: 'tools that need no question',
  },
  disallowedTools: {
    kind: TOOLS,
    fallback: [],
    projectMay: 'adds',
    variable: 'CLAUDE_REPLICA_DISALLOWED_TOOLS',
    summary: 'tools that the agent may not use',
  },
  extraArgs: {
    kind: ARGUMENTS,
    fallback: {},
    projectMay: 'never',
    variable: null,
    summary: 'further arguments for the program behind the SDK',
  },
  verbose: {
    kind: SWITCH,
    fallback: false,
    projectMay: 'sets',
    variable: 'CLAUDE_REPLICA_VERBOSE',
    summary: 'whether thinking and tool results are shown whole',
  },
};
