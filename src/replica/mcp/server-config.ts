import type { McpServerConfig } from '@anthropic-ai/claude-agent-sdk';
import {
  accepts,
  type Kind,
  listOf,
  object,
  optional,
  problemWith,
  recordOf,
  TEXT,
  where,
} from '../../model/check.ts';

/** A server as the SDK takes it, or in words why it cannot be one. */
export type CheckedServer = { readonly config: McpServerConfig } | { readonly problem: string };

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** NUL ends a text for a program, and a newline ends a header. */
const LINE: Kind<string> = where(TEXT, 'a text without NUL and newlines', isLine);

const LINES: Kind<Readonly<Record<string, string>>> = where(
  recordOf(LINE),
  'an object of texts',
  (texts) => Object.keys(texts).every(isLine),
);

const PROGRAM = object({
  command: where(LINE, 'the name of a program', (command) => command !== ''),
  args: optional(listOf(LINE)),
  env: optional(LINES),
});

const REMOTE = object({
  url: where(TEXT, 'an address that begins with http:// or https://', isWebAddress),
  headers: optional(LINES),
});

/** Only what is known of a server is handed on, and only if it is of the right kind. */
export function checkServer(name: string, value: unknown): CheckedServer {
  if (!NAME.test(name)) return { problem: 'its name may hold letters, digits, "-" and "_" only' };
  if (!accepts(object({}), value)) return { problem: 'it is not an object' };
  const { type: given, url } = value as { readonly type?: unknown; readonly url?: unknown };
  const type = given ?? (url === undefined ? 'stdio' : 'http');
  if (type !== 'stdio' && type !== 'http' && type !== 'sse') {
    return { problem: 'its type must be one of "stdio", "http" and "sse"' };
  }
  return type === 'stdio' ? programOf(value) : remoteOf(type, value);
}

function programOf(value: unknown): CheckedServer {
  if (!accepts(PROGRAM, value)) return problemOf(PROGRAM, value);
  const { command, args = [], env = {} } = value;
  return { config: { type: 'stdio', command, args: [...args], env: { ...env } } };
}

function remoteOf(type: 'http' | 'sse', value: unknown): CheckedServer {
  if (!accepts(REMOTE, value)) return problemOf(REMOTE, value);
  const { url, headers = {} } = value;
  return { config: { type, url, headers: { ...headers } } };
}

function problemOf(kind: Kind<unknown>, value: unknown): CheckedServer {
  return { problem: problemWith(kind, 'its', value)?.replace('.', ' ') ?? '' };
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

function isLine(text: string): boolean {
  return !/[\0\r\n]/.test(text);
}
