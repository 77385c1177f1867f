import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { Access } from './access.ts';
import { type ApiOptions, makeApi } from './api-routes.ts';
import { ANSWER_HEADERS, checkRequest, ownHosts, PAGE_POLICY } from './guard.ts';
import { PageFiles } from './page-files.ts';
import { Projects } from './projects.ts';
import { errorAnswer, WebError } from './web-error.ts';

export interface WebServerOptions extends ApiOptions {
  /** The folder of the built page. */
  readonly page: string;
  /** Left out or 0: any that is free. */
  readonly port?: number;
  /** How long a request may take to come, and how large its headers may be, in place of `LIMITS`. */
  readonly limits?: ServerOptions;
}

export interface WebServer {
  /** Where the page is, without a token. */
  readonly url: string;
  readonly port: number;
  /** The address of the page with a new one-time token, good for a minute. */
  oneTimeUrl(): string;
  /** How many pages hear what happens, and how many projects are open for them. */
  listening(): number;
  open(): number;
  /** Whether something is being written that `close` would wait for. */
  isWriting(): boolean;
  /** Ends all requests and closes all projects, once everything that was begun is done. Idempotent. */
  close(): Promise<void>;
}

/** The page and its API, for the owner of this process alone. */
export async function startWebServer(options: WebServerOptions): Promise<WebServer> {
  const files = new PageFiles(options.page);
  const access = new Access(options.now);
  const projects = new Projects(options);
  const api = makeApi(projects, access, options);
  const listener = getRequestListener(api.fetch, { overrideGlobalObjects: false });
  let hosts: readonly string[] = [];
  const serve: RequestListener = (request, response) => {
    for (const [name, value] of Object.entries(ANSWER_HEADERS)) response.setHeader(name, value);
    try {
      checkRequest(request, hosts);
      const path = (request.url ?? '').split('?', 1)[0] ?? '';
      if (path.startsWith('/api/')) void listener(request, response);
      else sendFile(files, request, response, path);
    } catch (error) {
      const answer = errorAnswer(error);
      if (answer.body.error.code === 'unexpected') options.onError?.(error);
      sendError(request, response, answer);
    }
  };
  const servers = await listen(serve, options);
  const port = portOf(servers[0]);
  hosts = ownHosts(port);
  const url = `http://${hosts[0]}/`;
  return {
    url,
    port,
    oneTimeUrl: () => `${url}#token=${access.issueToken()}`,
    listening: () => api.live.listening,
    open: () => projects.open,
    isWriting: () => api.isWriting(),
    close: async () => {
      await api.stop();
      await Promise.all(servers.map(closeServer));
      await projects.close();
    },
  };
}

/** On both addresses of this machine; where it has no IPv6, on the one. */
async function listen(
  serve: RequestListener,
  { port = 0, limits = {} }: WebServerOptions,
): Promise<[Server, ...Server[]]> {
  const first = await listenOn('127.0.0.1', port, limits, serve);
  try {
    return [first, await listenOn('::1', portOf(first), limits, serve)];
  } catch {
    return [first];
  }
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function listenOn(
  host: string,
  port: number,
  limits: ServerOptions,
  serve: RequestListener,
): Promise<Server> {
  const server = createServer({ ...LIMITS, ...limits }, serve);
  server.maxConnections = 256;
  server.on('clientError', refuseBroken);
  server.on('upgrade', (_request, socket) => refuse(socket, '403 Forbidden'));
  server.on('connect', (_request, socket) => refuse(socket, '403 Forbidden'));
  server.listen({ host, port, exclusive: true });
  await once(server, 'listening');
  return server;
}

/** A request must come quickly and be short; what is sent in its body has limits of its own. */
const LIMITS: ServerOptions = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
  requireHostHeader: true,
  insecureHTTPParser: false,
};

const BROKEN: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

function refuseBroken(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else refuse(socket, BROKEN[error.code ?? ''] ?? '400 Bad Request');
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

function sendFile(
  files: PageFiles,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): void {
  const file = request.method === 'GET' ? files.find(path) : null;
  if (file === null) throw new WebError(404, 'not-found', 'there is no such file');
  if (file.isPage) response.setHeader('content-security-policy', PAGE_POLICY);
  response.writeHead(200, { 'content-type': file.type, 'content-length': file.bytes.length });
  response.end(file.bytes);
}

/** The body of a refused request is not read. */
function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body }: ReturnType<typeof errorAnswer>,
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  });
  response.end(text, () => request.destroy());
}

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
