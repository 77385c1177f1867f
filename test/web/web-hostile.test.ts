import { readdirSync, statSync } from 'node:fs';
import { createConnection } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckpointAnswer, PlanAnswer, TimelineAnswer } from '../../src/web/api.ts';
import { RedirectFile } from '../../src/web/server/index.ts';
import type { Tree } from '../e2e/tree-of.ts';
import { type RawAnswer, rawRequest } from './raw-request.ts';
import { makeWebBed, redeem, startServer, type WebBed } from './web-bed.ts';

let web: WebBed;
let other: WebBed;
let plan: PlanAnswer;
let tree: Tree;
let blob: string;
let clock = 1_800_000_000_000;

const SCRIPT = '<script>alert(1)</script>';

beforeAll(async () => {
  web = await makeWebBed({ now: () => clock });
  other = await makeWebBed();
  const { bed } = web;
  const names = [`${SCRIPT.replace('/', '')}.html`, 'a', 'evil.svg'];
  const more = { description: SCRIPT, agent: SCRIPT, toolCallId: SCRIPT };
  await bed.tool(
    'm1',
    names,
    () => {
      for (const name of names) bed.put(name, `<svg onload="alert(1)">${SCRIPT}</svg>`);
    },
    more,
  );
  await other.bed.write('m1', 'secret', 'of another project\n');
  const { points } = await other.get<TimelineAnswer>('timeline');
  const { files } = await other.get<CheckpointAnswer>(`checkpoints/${points[0]?.id}`);
  blob = JSON.stringify(files).match(/[0-9a-f]{64}/)?.[0] ?? '';
  expect(blob).not.toBe('');
  plan = await web.post<PlanAnswer>('plans', { kind: 'rewind', to: 'latest' });
  tree = bed.tree();
});
afterAll(async () => {
  await web.close();
  await other.close();
});

type Headers = Readonly<Record<string, string | readonly string[] | null>>;

interface Request {
  readonly method?: string;
  readonly path?: string;
  /** In place of those that the page sends; null leaves one out, a list sends it several times. */
  readonly headers?: Headers;
  readonly body?: string;
  /** Sent as it is, after everything else. */
  readonly after?: string;
}

/** A request as the page sends it, but for what is given. */
function send({ method, path, headers = {}, body, after = '' }: Request): Promise<RawAnswer> {
  const verb = method ?? (body === undefined ? 'GET' : 'POST');
  const all: Record<string, string | readonly string[] | null> = {
    host: web.host,
    origin: `http://${web.host}`,
    'x-savepoint-key': web.key,
    connection: 'close',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === null ? [] : [value].flat().map((one) => `${name}: ${one}`),
  );
  const head = `${verb} ${path ?? at('timeline')} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
  return rawRequest(web.server.port, `${head}${body ?? ''}${after}`);
}

const at = (path: string): string => `/api/projects/${web.id}/${path}`;
const applying = (): Request => ({
  path: at(`plans/${plan.planId}/apply`),
  body: JSON.stringify({ digest: plan.digest }),
});
const keyRequest = (token: string): Request => ({
  path: '/api/key',
  headers: { 'x-savepoint-key': null },
  body: JSON.stringify({ token }),
});
const withHeaders = (headers: Headers, path?: string): Request => ({
  headers,
  ...(path === undefined ? {} : { path }),
});
const newToken = (): string => web.server.oneTimeUrl().split('#token=')[1] ?? '';

/** Each with what must be answered: a status, or 0 for a connection that ends without a word. */
const HOSTILE: readonly (readonly [string, number, () => Request | Promise<Request>])[] = [
  // Who asks under which name.
  ['a foreign Host', 403, () => withHeaders({ host: 'evil.example' })],
  [
    'a foreign Host with our port',
    403,
    () => withHeaders({ host: `evil.example:${web.server.port}` }),
  ],
  [
    'a rebound name',
    403,
    () => withHeaders({ host: `127.0.0.1.nip.io:${web.server.port}`, origin: null }),
  ],
  [
    'localhost, which a hosts file may send anywhere',
    403,
    () => withHeaders({ host: `localhost:${web.server.port}` }),
  ],
  ['our address without the port', 403, () => withHeaders({ host: '127.0.0.1' })],
  ['our address with another port', 403, () => withHeaders({ host: '127.0.0.1:1' })],
  [
    'our address in another spelling',
    403,
    () => withHeaders({ host: `2130706433:${web.server.port}` }),
  ],
  ['any address of this machine', 403, () => withHeaders({ host: `0.0.0.0:${web.server.port}` })],
  ['a user in the Host', 403, () => withHeaders({ host: `a@${web.host}` })],
  ['no Host', 400, () => withHeaders({ host: null })],
  ['two Hosts', 403, () => withHeaders({ host: [web.host, 'evil.example'] })],
  ['an empty Host', 403, () => withHeaders({ host: '' })],
  [
    'X-Forwarded-Host beside a foreign Host',
    403,
    () => withHeaders({ host: 'evil.example', 'x-forwarded-host': web.host }),
  ],
  // From where.
  ['a foreign Origin', 403, () => withHeaders({ origin: 'https://evil.example' })],
  ['the Origin of a sandboxed frame', 403, () => withHeaders({ origin: 'null' })],
  ['the Origin of another port', 403, () => withHeaders({ origin: 'http://127.0.0.1:1' })],
  ['our Origin with https', 403, () => withHeaders({ origin: `https://${web.host}` })],
  [
    'our other address as Origin',
    403,
    () => withHeaders({ origin: `http://[::1]:${web.server.port}` }),
  ],
  ['two Origins', 403, () => withHeaders({ origin: [`http://${web.host}`, `http://${web.host}`] })],
  ['a write without an Origin', 403, () => ({ ...applying(), headers: { origin: null } })],
  [
    'a question from another site',
    403,
    () => withHeaders({ origin: null, 'sec-fetch-site': 'cross-site' }),
  ],
  [
    'a question from another port',
    403,
    () => withHeaders({ origin: null, 'sec-fetch-site': 'same-site' }),
  ],
  [
    'a script of the page for another site',
    403,
    () =>
      withHeaders(
        { origin: null, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
        '/assets/main.js',
      ),
  ],
  [
    'the page in a frame of another site',
    403,
    () =>
      withHeaders(
        {
          origin: null,
          'sec-fetch-site': 'cross-site',
          'sec-fetch-mode': 'navigate',
          'sec-fetch-dest': 'iframe',
        },
        '/',
      ),
  ],
  [
    'an address of the API in a tab',
    403,
    () =>
      withHeaders({
        origin: null,
        'sec-fetch-site': 'cross-site',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'document',
      }),
  ],
  [
    'a preflight from elsewhere',
    405,
    () => ({
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    }),
  ],
  [
    'a preflight with our Origin',
    405,
    () => ({ method: 'OPTIONS', headers: { 'access-control-request-headers': 'x-savepoint-key' } }),
  ],
  // With which key.
  ['no key', 401, () => withHeaders({ 'x-savepoint-key': null })],
  ['an empty key', 401, () => withHeaders({ 'x-savepoint-key': '' })],
  ['a wrong key', 401, () => withHeaders({ 'x-savepoint-key': 'A'.repeat(43) })],
  ['the key of another server', 401, () => withHeaders({ 'x-savepoint-key': other.key })],
  ['the key twice', 401, () => withHeaders({ 'x-savepoint-key': [web.key, web.key] })],
  [
    'the key in a cookie',
    401,
    () => withHeaders({ 'x-savepoint-key': null, cookie: `x-savepoint-key=${web.key}` }),
  ],
  [
    'the key in the address',
    401,
    () =>
      withHeaders(
        { 'x-savepoint-key': null },
        at(`timeline?x-savepoint-key=${web.key}&key=${web.key}`),
      ),
  ],
  [
    'the key as a bearer',
    401,
    () => withHeaders({ 'x-savepoint-key': null, authorization: `Bearer ${web.key}` }),
  ],
  ['a token as the key', 401, () => withHeaders({ 'x-savepoint-key': newToken() })],
  ['a wrong token', 401, () => keyRequest('A'.repeat(43))],
  [
    'a used token',
    401,
    async () => {
      const token = newToken();
      expect((await send(keyRequest(token))).status).toBe(200);
      return keyRequest(token);
    },
  ],
  [
    'a token that is older than a minute',
    401,
    () => {
      const token = newToken();
      clock += 60_000;
      return keyRequest(token);
    },
  ],
  ['a token of another kind', 400, () => ({ ...keyRequest(''), body: '{"token":["a"]}' })],
  // In which way.
  ['a GET that writes', 404, () => ({ path: applying().path ?? '', headers: { origin: null } })],
  ['a GET with a body', 403, () => ({ ...applying(), method: 'GET' })],
  [
    'a method in a header',
    404,
    () => ({ path: applying().path ?? '', headers: { 'x-http-method-override': 'POST' } }),
  ],
  ['a method in the address', 404, () => ({ path: `${applying().path}?_method=POST` })],
  ['PUT', 405, () => ({ ...applying(), method: 'PUT' })],
  ['DELETE', 405, () => ({ method: 'DELETE' })],
  ['TRACE', 405, () => ({ method: 'TRACE' })],
  ['HEAD', 405, () => ({ method: 'HEAD' })],
  ['CONNECT', 403, () => ({ method: 'CONNECT', path: '127.0.0.1:22' })],
  [
    'a websocket',
    403,
    () => ({
      headers: {
        connection: 'upgrade',
        upgrade: 'websocket',
        'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
        'sec-websocket-version': '13',
      },
    }),
  ],
  [
    'HTTP/2 over the same port',
    403,
    () => ({
      headers: { connection: 'upgrade, http2-settings', upgrade: 'h2c', 'http2-settings': '' },
    }),
  ],
  [
    'a form',
    415,
    () => ({ ...applying(), headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
  ],
  [
    'a form with files',
    415,
    () => ({ ...applying(), headers: { 'content-type': 'multipart/form-data; boundary=x' } }),
  ],
  [
    'a form with plain text',
    415,
    () => ({ ...applying(), headers: { 'content-type': 'text/plain' } }),
  ],
  ['no content type', 415, () => ({ ...applying(), headers: { 'content-type': null } })],
  [
    'a content type that only begins like JSON',
    415,
    () => ({ ...applying(), headers: { 'content-type': 'application/json, text/plain' } }),
  ],
  ['a compressed body', 415, () => ({ ...applying(), headers: { 'content-encoding': 'gzip' } })],
  // With which body.
  [
    'a body that is too large',
    413,
    () => ({ ...applying(), body: JSON.stringify({ digest: 'x'.repeat(70_000) }) }),
  ],
  [
    'a body that claims to be endless',
    413,
    () => ({ ...applying(), headers: { 'content-length': '99999999999' } }),
  ],
  [
    'a body in pieces that is too large',
    413,
    () => ({
      path: at('lines'),
      method: 'POST',
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      after: `20000\r\n${' '.repeat(0x20000)}\r\n0\r\n\r\n`,
    }),
  ],
  ['a body that is no JSON', 400, () => ({ ...applying(), body: '{' })],
  [
    'a body that is not UTF-8',
    400,
    () => ({ ...applying(), body: '"\xff"', headers: { 'content-length': '3' } }),
  ],
  [
    'a prototype in the JSON',
    400,
    () => ({ ...applying(), body: `{"__proto__":{"digest":"${plan.digest}"}}` }),
  ],
  [
    'a constructor in the JSON',
    400,
    () => ({ ...applying(), body: '{"digest":"x","constructor":{"prototype":{}}}' }),
  ],
  ['a digest that is a list', 400, () => ({ ...applying(), body: '{"digest":["x"]}' })],
  [
    'JSON that is nested ten thousand deep',
    400,
    () => ({ ...applying(), body: '['.repeat(10_000) + ']'.repeat(10_000) }),
  ],
  [
    'a digest of another plan',
    400,
    () => ({ ...applying(), body: JSON.stringify({ digest: 'f'.repeat(64) }) }),
  ],
  [
    'a path that leaves the project',
    400,
    () => ({ path: at('plans'), body: '{"kind":"rewind","to":"latest","paths":["../x"]}' }),
  ],
  [
    'a path with NUL',
    400,
    () => ({ path: at('plans'), body: '{"kind":"rewind","to":"latest","paths":["a\\u0000"]}' }),
  ],
  [
    'a stamp of our own making',
    400,
    () => ({
      path: at('plans'),
      body: '{"kind":"rewind","to":"latest","resolutions":[{"path":"a","take":"restore","stamp":"e30"}]}',
    }),
  ],
  // Under which address.
  ['a path up', 400, () => ({ path: '/../../etc/passwd' })],
  ['a path up, encoded', 400, () => ({ path: '/%2e%2e/%2e%2e/etc/passwd' })],
  ['a path up behind encoded slashes', 404, () => ({ path: '/assets%2f..%2f..%2fetc%2fpasswd' })],
  ['a path up in the middle', 400, () => ({ path: '/assets/../index.html' })],
  ['a backslash', 400, () => ({ path: '/assets\\..\\index.html' })],
  ['an encoded backslash', 400, () => ({ path: '/assets%5c..%5cindex.html' })],
  ['NUL in the address', 400, () => ({ path: '/index.html%00.js' })],
  ['a file of the server as a file of the page', 404, () => ({ path: '/page-files.ts' })],
  ['a whole address, as for a proxy', 400, () => ({ path: 'http://evil.example/' })],
  ['an address with two slashes', 400, () => ({ path: '//evil.example/' })],
  ['an address of all the server', 400, () => ({ path: '*' })],
  ['an address that is too long', 400, () => ({ path: `/${'a'.repeat(9000)}` })],
  ['headers that are too large', 431, () => withHeaders({ 'x-large': 'a'.repeat(20_000) })],
  [
    'thousands of headers',
    431,
    () => withHeaders({ 'x-many': Array.from({ length: 3000 }, () => 'a') }),
  ],
  ['a project that is a path', 404, () => ({ path: '/api/projects/..%2f..%2fetc/timeline' })],
  [
    'a project that is a script',
    404,
    () => ({ path: `/api/projects/${encodeURIComponent(SCRIPT)}/timeline` }),
  ],
  [
    'a checkpoint that is a script',
    404,
    () => ({ path: at(`checkpoints/${encodeURIComponent(SCRIPT)}`) }),
  ],
  [
    'SQL as a checkpoint',
    404,
    () => ({ path: at(`checkpoints/${encodeURIComponent("' OR 1=1 --")}`) }),
  ],
  ['a content of another project', 404, () => ({ path: at(`blobs/${blob}`) })],
  ['a content that is a path', 404, () => ({ path: at('blobs/..%2f..%2fstore.db') })],
  [
    'a plan of another server',
    404,
    () => ({ path: at(`plans/${plan.planId.replace(/.$/, 'x')}/lines/0`) }),
  ],
  ['a line that is __proto__', 404, () => ({ path: at(`plans/${plan.planId}/lines/__proto__`) })],
  ['a file outside of the project', 404, () => ({ path: at('file?path=/etc/passwd') })],
  ['a file up', 400, () => ({ path: at('file?path=..%2f..%2fetc%2fpasswd') })],
  ['the lines of a file outside', 404, () => ({ path: at('why?path=/etc/passwd') })],
  ['a limit that is too large', 400, () => ({ path: at('timeline?limit=999999999') })],
  ['a number that is none', 400, () => ({ path: at('timeline?before=1e9') })],
  ['one name twice', 400, () => ({ path: at('timeline?limit=1&limit=2') })],
  ['an event number that is none', 400, () => ({ path: at('events?since=x') })],
  // In which bytes.
  [
    'a length and pieces at once',
    400,
    () => ({ ...applying(), headers: { 'transfer-encoding': 'chunked' } }),
  ],
  ['two lengths', 400, () => ({ ...applying(), headers: { 'content-length': ['10', '20'] } })],
  ['a length with a sign', 400, () => ({ ...applying(), headers: { 'content-length': '+83' } })],
  [
    'an unknown encoding',
    400,
    () => ({ ...applying(), headers: { 'content-length': null, 'transfer-encoding': 'xchunked' } }),
  ],
  ['a header with a line in it', 400, () => withHeaders({ 'x-split': 'a\nhost: evil.example' })],
  ['a header with a space before its colon', 400, () => withHeaders({ 'host ': web.host })],
  ['bytes that are no HTTP', 400, () => ({ method: '\x16\x03\x01' })],
];

describe('hostile requests', () => {
  it.each(HOSTILE)('refuses %s', async (_name, status, make) => {
    const answer = await send(await make());
    expect(answer.status).toBe(status);
    expect(answer.answers).toBe(1);
    expect(answer.all).not.toContain(web.key);
    expect(answer.all).not.toMatch(/access-control-allow/i);
    expect(answer.all).not.toMatch(/set-cookie/i);
    expect(answer.all).not.toMatch(/root:|at .*\.ts:/);
    expect(web.bed.tree()).toEqual(tree);
  });

  it('answers nothing to a second request that is hidden in the first', async () => {
    const hidden = `GET ${at('timeline')} HTTP/1.1\r\nhost: ${web.host}\r\nx-savepoint-key: ${web.key}\r\n\r\n`;
    const answer = await send({ ...applying(), headers: { host: 'evil.example' }, after: hidden });
    expect(answer).toMatchObject({ status: 403, answers: 1 });
  });

  it('does not end for a range', async () => {
    const { after } = (await firstFiles(web)).find(({ path }) => path === 'a') ?? {};
    const { blob: id } = after as { blob: string };
    const answer = await send({ path: at(`blobs/${id}`), headers: { range: 'bytes=0-0,-1,5-' } });
    expect(answer.status).toBe(200);
    expect(answer.all).toContain(SCRIPT);
  });

  it('does not wait for who sends slowly', async () => {
    const limits = { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20 };
    const hasty = await startServer(web.bed, { limits });
    const headers = `POST /api/key HTTP/1.1\r\nhost: 127.0.0.1:${hasty.port}\r\n`;
    for (const part of ['GET / HT', headers]) {
      const socket = createConnection(hasty.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(part);
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
    }
    await hasty.close();
  });
});

async function firstFiles(bed: WebBed): Promise<CheckpointAnswer['files']> {
  const { points } = await bed.get<TimelineAnswer>('timeline');
  return (await bed.get<CheckpointAnswer>(`checkpoints/${points[0]?.id}`)).files;
}

describe('answers', () => {
  it('are never taken for anything that runs', async () => {
    const files = await firstFiles(web);
    const svg = files.find(({ path }) => path === 'evil.svg')?.after as { blob: string };
    const addresses = [
      at('timeline'),
      at('file?path=a'),
      `${at(`blobs/${svg.blob}`)}?type=text/html`,
      `${at(`blobs/${svg.blob}`)}?type=image/svg%2Bxml`,
    ];
    const types = [];
    for (const path of addresses) {
      const response = await fetch(`http://${web.host}${path}`, { headers: web.headers() });
      types.push(response.headers.get('content-type')?.split(';')[0]);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('content-security-policy')).toMatch(
        /default-src 'none'.*sandbox/,
      );
      expect(response.headers.get('x-frame-options')).toBe('DENY');
      expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(response.headers.get('cache-control')).toBe('no-store');
      await response.arrayBuffer();
    }
    expect(types).toEqual([
      'application/json',
      'application/json',
      'application/octet-stream',
      'image/svg+xml',
    ]);
  });

  it('give the page without a key, under a policy without inline script', async () => {
    const navigate = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    const headers = { ...navigate, 'sec-fetch-dest': 'document', origin: null };
    const answer = await send({ path: '/', headers: { ...headers, 'x-savepoint-key': null } });
    expect(answer.status).toBe(200);
    expect(answer.all).toMatch(/content-security-policy: default-src 'none'; script-src 'self';/);
    expect(answer.all).toMatch(/frame-ancestors 'none'/);
    expect(answer.all).not.toMatch(/unsafe/);
  });

  it('come on both addresses of this machine, and on no other', async () => {
    const page = (host: string) =>
      `GET / HTTP/1.1\r\nhost: ${host}:${web.server.port}\r\nconnection: close\r\n\r\n`;
    expect((await rawRequest(web.server.port, page('127.0.0.1'))).status).toBe(200);
    const all = Object.values(networkInterfaces()).flat();
    if (all.some((one) => one?.address === '::1')) {
      expect((await rawRequest(web.server.port, page('[::1]'), '::1')).status).toBe(200);
    }
    expect((await rawRequest(web.server.port, page('127.0.0.2'), '127.0.0.2')).status).toBe(0);
  });
});

describe('the way in', () => {
  it('is a file that only its owner can read, and that is gone afterwards', () => {
    const file = new RedirectFile(web.bed.home);
    const name = file.write(web.server.oneTimeUrl());
    expect(statSync(name).mode & 0o777).toBe(0o600);
    expect(statSync(join(name, '..')).mode & 0o777).toBe(0o700);
    file.remove();
    expect(readdirSync(web.bed.home).filter((one) => one.startsWith('web-'))).toEqual([]);
  });

  it('leads into one server alone', async () => {
    const second = await startServer(web.bed);
    const key = await redeem(second);
    const response = await fetch(`${second.url}api/projects`, {
      headers: { 'x-savepoint-key': key },
    });
    expect(response.status).toBe(200);
    const wrong = await fetch(`${second.url}api/projects`, { headers: web.headers() });
    expect(wrong.status).toBe(401);
    await second.close();
    await expect(fetch(second.url)).rejects.toThrow();
  });
});
