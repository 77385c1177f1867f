import type { McpServerConfig } from '@anthropic-ai/claude-agent-sdk';
import type { Kind } from '../../config/index.ts';
import type { PermissionMode } from './replica-config.ts';

export const MODEL: Kind<string | null> = {
  expected: 'the name of a model, or null for the default one',
  fromJson: (value) => (value === null || isWord(value) ? value : undefined),
  fromText: (text) => (isWord(text) ? text : undefined),
};

/** From the strictest to the loosest. */
export const MODES: readonly PermissionMode[] = [
  'plan',
  'default',
  'acceptEdits',
  'bypassPermissions',
];

export const MODE: Kind<PermissionMode> = {
  expected: `one of ${MODES.map((mode) => `"${mode}"`).join(', ')}`,
  fromJson: (value) => MODES.find((mode) => mode === value),
  fromText: (text) => MODES.find((mode) => mode === text),
};

/** In a variable separated by commas; those in parentheses belong to a rule: `Bash(sed -n 1,2p a)`. */
export const TOOLS: Kind<readonly string[]> = {
  expected: 'a list of names of tools',
  fromJson: (value) => (Array.isArray(value) && value.every(isWord) ? value : undefined),
  fromText: (text) =>
    (text.match(/(?:\([^)]*\)|[^,(])+/g) ?? [])
      .map((name) => name.trim())
      .filter((name) => name !== ''),
};

export const ARGUMENTS: Kind<Readonly<Record<string, string | null>>> = {
  expected: 'an object of texts, or null for an argument without a value',
  fromJson: (value) =>
    isRecord(value) && Object.values(value).every((one) => one === null || isText(one))
      ? (value as Record<string, string | null>)
      : undefined,
  fromText: () => undefined,
};

export const SERVERS: Kind<Readonly<Record<string, McpServerConfig>>> = {
  expected:
    'an object of servers by their names, each with a "command", or with a "type" of "http" or "sse" and a "url"',
  fromJson: (value) =>
    isRecord(value) && Object.entries(value).every(([name, one]) => isServer(name, one))
      ? (value as Record<string, McpServerConfig>)
      : undefined,
  fromText: () => undefined,
};

const SERVER_NAME = /^[A-Za-z0-9_-]{1,64}$/;

function isServer(name: string, value: unknown): boolean {
  if (!SERVER_NAME.test(name) || !isRecord(value)) return false;
  const { type = 'stdio', command, args = [], env = {}, url, headers = {} } = value;
  if (type === 'stdio') {
    return isWord(command) && Array.isArray(args) && args.every(isLine) && isLines(env);
  }
  return (type === 'http' || type === 'sse') && isWebAddress(url) && isLines(headers);
}

function isWebAddress(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  return ['http:', 'https:'].includes(new URL(value).protocol);
}

function isLines(value: unknown): boolean {
  return isRecord(value) && Object.entries(value).flat().every(isLine);
}

/** No NUL, which ends a text for a program, and no newline, which ends a header. */
function isLine(value: unknown): boolean {
  return typeof value === 'string' && !/[\0\r\n]/.test(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** One line that says something. */
function isWord(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && !/[\n\r\0]/.test(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
