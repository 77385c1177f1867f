import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type MessagesRequest, messagesRequest } from './messages-request.ts';
import {
  invalidRequest,
  isFailure,
  type Reply,
  type ReplyFailure,
  replyEvents,
  replyMessage,
  type StreamEvent,
  say,
} from './reply.ts';

/** Decides what the model says; what it throws becomes a 500 of the API. */
export type ReplyTo = (request: MessagesRequest) => Reply | Promise<Reply>;

/** A model that is reached as the real one is: the Messages API, on this machine alone. */
export interface MessagesServer {
  /** For `ANTHROPIC_BASE_URL`. */
  readonly url: string;
  /** Ends it, also in the middle of a reply. Idempotent. */
  close(): Promise<void>;
}

export interface MessagesServerOptions {
  /** Not asked about requests that offer no tools (titles, topics): those get a harmless answer. */
  readonly replyTo: ReplyTo;
  /** Told of every request for a message. Each holds its whole conversation, so nobody else keeps them. */
  readonly onRequest?: (request: MessagesRequest) => void;
}

export async function startMessagesServer(options: MessagesServerOptions): Promise<MessagesServer> {
  const server = createServer((request, response) => {
    serve(request, response, options).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => close(server) };
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { replyTo, onRequest }: MessagesServerOptions,
): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  const body = await bodyOf(request);
  if (request.method !== 'POST') return serveOther(path, response);
  if (path === '/v1/messages/count_tokens') return sendJson(response, 200, { input_tokens: 1 });
  if (path !== '/v1/messages') return fail(response, NOT_FOUND);
  const asked = messagesRequest(body);
  if (asked === null) return fail(response, NO_REQUEST);
  onRequest?.(asked);
  await send(response, asked, await decide(replyTo, asked));
}

/** Some clients look whether anybody is there, and some for a list of models. */
function serveOther(path: string, response: ServerResponse): void {
  if (path === '/') sendJson(response, 200, {});
  else if (path === '/v1/models') sendJson(response, 200, { data: [], has_more: false });
  else fail(response, NOT_FOUND);
}

async function decide(replyTo: ReplyTo, asked: MessagesRequest): Promise<Reply> {
  if (asked.tools.length === 0) return [say(HARMLESS)];
  try {
    return await replyTo(asked);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { status: 500, error: 'api_error', message };
  }
}

/** Fit for a title, and for who wants JSON. */
const HARMLESS = '{"title": "Conversation", "isNewTopic": false}';

async function send(response: ServerResponse, asked: MessagesRequest, reply: Reply): Promise<void> {
  if (isFailure(reply)) return fail(response, reply);
  const { blocks, pieceDelayMs } = 'blocks' in reply ? reply : { blocks: reply, pieceDelayMs: 0 };
  if (!asked.stream) return sendJson(response, 200, replyMessage(asked.model, blocks));
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  await sendEvents(response, replyEvents(asked.model, blocks), pieceDelayMs);
}

/** Until the last one, or until the client has gone. */
async function sendEvents(
  response: ServerResponse,
  events: Iterable<StreamEvent>,
  pieceDelayMs: number,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    for (const event of events) {
      if (gone.signal.aborted) return;
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      if (pieceDelayMs > 0) await pause(pieceDelayMs, undefined, { signal: gone.signal });
    }
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
  response.end();
}

const NOT_FOUND: ReplyFailure = { status: 404, error: 'not_found_error', message: 'Not found' };
const NO_REQUEST = invalidRequest('model and messages are required');

function fail(response: ServerResponse, { status, error, message }: ReplyFailure): void {
  sendJson(response, status, { type: 'error', error: { type: error, message } });
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

/** Undefined for a body that is not JSON or is too large. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

const MAX_BYTES = 64 * 1024 * 1024;
