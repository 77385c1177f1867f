import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  isFailure,
  type MessagesRequest,
  type ReplyBlock,
  type ReplyTo,
  say,
  startMessagesServer,
} from '../../../src/messages-server/index.ts';
import { CHAT_COMPLETIONS } from './chat-completions.ts';
import { GEMINI } from './gemini.ts';
import { RESPONSES } from './responses.ts';
import { placeIn, type Story, type ToolFor, tell } from './script.ts';

/** A way in which agents speak with models. Requests and replies are turned into those of the Messages API. */
export interface Protocol {
  /** Null for a path that asks for something else than a reply. */
  read(path: string, body: Fields): MessagesRequest | null;
  /** The events of a stream, each as the text after `data: `. */
  stream(blocks: readonly ReplyBlock[], model: string): Iterable<string>;
  /** The reply as one value. */
  whole(blocks: readonly ReplyBlock[], model: string): object;
  /** What a request without tools gets: a title, or JSON for a program that wants some. */
  readonly harmless: string;
}

export type Fields = Readonly<Record<string, unknown>>;
export type ProtocolName = 'messages' | 'responses' | 'chat-completions' | 'gemini';

const PROTOCOLS = {
  responses: RESPONSES,
  'chat-completions': CHAT_COMPLETIONS,
  gemini: GEMINI,
} as const;

/** A model on 127.0.0.1 that tells a story, and keeps what it was asked. */
export interface StoryModel {
  readonly url: string;
  /** Requests that offer tools, in the order in which they came. */
  readonly requests: readonly MessagesRequest[];
  /** The requests of the turn that this prompt began, as the texts of their bodies. */
  bodiesFor(prompt: string): string[];
  close(): Promise<void>;
}

export async function startStoryModel(
  protocol: ProtocolName,
  story: Story,
  toolFor: ToolFor,
  thinkMs = 0,
): Promise<StoryModel> {
  const requests: MessagesRequest[] = [];
  const onRequest = (request: MessagesRequest): void => {
    if (request.tools.length > 0) requests.push(request);
  };
  const told = tell(story, toolFor);
  const replyTo: ReplyTo = async (request) => {
    await pause(thinkMs);
    return told(request);
  };
  const server =
    protocol === 'messages'
      ? await startMessagesServer({ replyTo, onRequest })
      : await startServer(PROTOCOLS[protocol], replyTo, onRequest);
  return {
    ...server,
    requests,
    bodiesFor: (prompt) =>
      requests
        .filter((request) => placeIn(story, request)?.prompt === prompt)
        .map(({ body }) => JSON.stringify(body)),
  };
}

async function startServer(
  protocol: Protocol,
  replyTo: ReplyTo,
  onRequest: (request: MessagesRequest) => void,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    answer(protocol, replyTo, onRequest, request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  protocol: Protocol,
  replyTo: ReplyTo,
  onRequest: (request: MessagesRequest) => void,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = protocol.read(request.url ?? '/', (await bodyOf(request)) ?? {});
  if (asked === null) return sendJson(response, 404, { error: { message: 'Not found' } });
  onRequest(asked);
  const reply = asked.tools.length === 0 ? [say(protocol.harmless)] : await replyTo(asked);
  if (isFailure(reply)) {
    return sendJson(response, reply.status, { error: { message: reply.message } });
  }
  const blocks = 'blocks' in reply ? reply.blocks : reply;
  if (!asked.stream) return sendJson(response, 200, protocol.whole(blocks, asked.model));
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const data of protocol.stream(blocks, asked.model)) response.write(`data: ${data}\n\n`);
  response.end();
}

async function bodyOf(request: IncomingMessage): Promise<Fields | null> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return null;
  }
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
