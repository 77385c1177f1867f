import type { McpServerConfig } from '@anthropic-ai/claude-agent-sdk';

/** A server as the SDK takes it, or in words why it cannot be one. */
export type CheckedServer = { readonly config: McpServerConfig } | { readonly problem: string };

type Fields = Readonly<Record<string, unknown>>;

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Only what is known of a server is handed on, and only if it has the right kind. */
export function checkServer(name: string, value: unknown): CheckedServer {
  if (!NAME.test(name)) return problem('its name may hold letters, digits, "-" and "_" only');
  if (!isFields(value)) return problem('it is not an object');
  const type = own(value, 'type') ?? (own(value, 'url') === undefined ? 'stdio' : 'http');
  if (type === 'stdio') return stdioServer(value);
  if (type === 'http' || type === 'sse') return remoteServer(type, value);
  return problem('its "type" is none of "stdio", "http" and "sse"');
}

function stdioServer(value: Fields): CheckedServer {
  const command = own(value, 'command');
  const args = own(value, 'args') ?? [];
  const env = own(value, 'env') ?? {};
  if (!isLine(command) || command === '') return problem('"command" names no program');
  if (!Array.isArray(args) || !args.every(isLine)) return problem('"args" is no list of texts');
  if (!isTexts(env)) return problem('"env" is no object of texts');
  return { config: { type: 'stdio', command, args: [...args], env: { ...env } } };
}

function remoteServer(type: 'http' | 'sse', value: Fields): CheckedServer {
  const url = own(value, 'url');
  const headers = own(value, 'headers') ?? {};
  if (typeof url !== 'string' || !isWebAddress(url)) {
    return problem('"url" is no address that begins with http:// or https://');
  }
  if (!isTexts(headers)) return problem('"headers" is no object of texts');
  return { config: { type, url, headers: { ...headers } } };
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

function isTexts(value: unknown): value is Record<string, string> {
  return (
    isFields(value) && Object.entries(value).every(([key, text]) => isLine(key) && isLine(text))
  );
}

/** No NUL, which ends a text for a program, and no newline, which ends a header. */
function isLine(value: unknown): value is string {
  return typeof value === 'string' && !/[\0\r\n]/.test(value);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function problem(text: string): CheckedServer {
  return { problem: text };
}
