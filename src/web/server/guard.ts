import type { IncomingMessage } from 'node:http';
import { WebError } from './web-error.ts';

/** The only names under which this server answers. A foreign name that leads here (DNS rebinding) is none of them. */
export function ownHosts(port: number): readonly string[] {
  return [`127.0.0.1:${port}`, `[::1]:${port}`];
}

/** What every answer carries. */
export const ANSWER_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
  // Of the page itself there is another one; anything else is no document, and does nothing if it is taken for one.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
};

/** Of the page: nothing but its own files, nothing inline, no frames, no forms. */
export const PAGE_POLICY: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Refuses a request that is not from the page of this server, before anything of it is looked at. Throws `WebError`. */
export function checkRequest(request: IncomingMessage, hosts: readonly string[]): void {
  const { method = '', url = '', headers } = request;
  if (countOf(request, 'host') !== 1 || !hosts.includes(headers.host ?? '')) {
    throw refused(403, 'this name does not belong to the server');
  }
  if (method !== 'GET' && method !== 'POST') throw refused(405, `${method} is not answered`);
  checkAddress(url);
  checkOrigin(request, `http://${headers.host}`);
  checkBody(request);
}

function checkAddress(url: string): void {
  // A whole address would be for a proxy, two slashes would begin with a host.
  const isPlain = /^\/(?!\/)[\x21-\x7e]*$/.test(url) && !/[\\#]/.test(url);
  const [path = ''] = url.split('?', 1);
  const isDecent = !/%00|%5c/i.test(path) && !/(^|\/)(\.|%2e)+(\/|$)/i.test(path);
  if (!isPlain || !isDecent || url.length > MAX_ADDRESS) {
    throw new WebError(400, 'request-invalid', 'there is no such address');
  }
}

const MAX_ADDRESS = 8192;

/** Browsers say where a request comes from; what is no page of ours is told nothing. */
function checkOrigin(request: IncomingMessage, own: string): void {
  const { origin } = request.headers;
  if (countOf(request, 'origin') > 1) throw refused(403, 'it has two origins');
  if (origin === undefined ? request.method === 'POST' : origin !== own) {
    throw refused(403, 'it is not from the page of this server');
  }
  const site = request.headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin') return;
  // The file that opens the page is of another site, and so is a link. They lead to the whole page, in no frame.
  const isPage =
    request.method === 'GET' &&
    request.headers['sec-fetch-mode'] === 'navigate' &&
    request.headers['sec-fetch-dest'] === 'document' &&
    /^\/(\?|$)/.test(request.url ?? '');
  if (!isPage && site !== 'none') throw refused(403, 'it is not from the page of this server');
}

/** Only JSON is read, because no form can send it; nothing comes with a question that changes nothing. */
function checkBody({ method, headers }: IncomingMessage): void {
  const hasBody =
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (method === 'GET') {
    if (hasBody || headers.upgrade !== undefined) throw refused(403, 'a question has no body');
    return;
  }
  if (!/^application\/json(; ?charset=utf-8)?$/i.test(headers['content-type'] ?? '')) {
    throw refused(415, 'only JSON is read');
  }
  if (headers['content-encoding'] !== undefined) throw refused(415, 'only plain JSON is read');
}

function countOf({ rawHeaders }: IncomingMessage, name: string): number {
  return rawHeaders.filter((one, at) => at % 2 === 0 && one.toLowerCase() === name).length;
}

function refused(status: 403 | 405 | 415, why: string): WebError {
  return new WebError(status, 'request-refused', `the request is refused: ${why}`);
}
