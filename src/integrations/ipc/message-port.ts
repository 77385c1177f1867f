import type { MessagePort } from 'node:worker_threads';
import { ERROR_CODES, type ErrorCode, isSavepointError, SavepointError } from '../../index.ts';
import type { CheckpointChannel, CheckpointChannels, IpcHost } from './checkpoint-ipc.ts';

interface Call {
  readonly id: number;
  readonly channel: string;
  readonly args: unknown[];
}

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
}

type Listener = (event: unknown, ...args: unknown[]) => Promise<unknown>;

// No channel takes more; an array of billions, sent in a few bytes, would end the process when spread.
const MAX_ARGUMENTS = 8;

/** An `IpcHost` over a message port, for programs whose engine runs in a worker or another process. */
export function messagePortHost(port: MessagePort): IpcHost {
  const listeners = new Map<string, Listener>();
  port.on('message', async (message: unknown) => {
    const id = idIn(message);
    // Without an id there is nobody to answer.
    if (id !== null) port.postMessage(await answer(id, message as Partial<Call>, listeners));
  });
  return { handle: (channel, listener) => void listeners.set(channel, listener) };
}

export interface CheckpointClient {
  invoke<Channel extends CheckpointChannel>(
    channel: Channel,
    ...args: Parameters<CheckpointChannels[Channel]>
  ): Promise<ReturnType<CheckpointChannels[Channel]>>;
}

/** The other end. Errors arrive as `SavepointError`, with their code; a closed port gives `aborted`. */
export function messagePortClient(port: MessagePort): CheckpointClient {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  let closed = false;
  port.on('message', (message: unknown) => {
    const id = idIn(message);
    const call = id === null ? undefined : waiting.get(id);
    if (id === null || call === undefined) return;
    waiting.delete(id);
    const { result, error } = message as Answer;
    if (error === undefined) call.resolve(result);
    else call.reject(readError(error));
  });
  port.on('close', () => {
    closed = true;
    for (const call of waiting.values()) call.reject(closedPort());
    waiting.clear();
  });
  return {
    invoke: async (channel, ...args) => {
      if (closed) throw closedPort();
      const call = Promise.withResolvers<unknown>();
      lastId += 1;
      send(port, { id: lastId, channel, args });
      waiting.set(lastId, call);
      return (await call.promise) as ReturnType<CheckpointChannels[typeof channel]>;
    },
  };
}

function send(port: MessagePort, call: Call): void {
  try {
    port.postMessage(call);
  } catch (cause) {
    throw new SavepointError('argument-invalid', 'an argument cannot be sent', { cause });
  }
}

async function answer(
  id: number,
  { channel, args }: Partial<Call>,
  listeners: ReadonlyMap<string, Listener>,
): Promise<Answer> {
  try {
    const listener = typeof channel === 'string' ? listeners.get(channel) : undefined;
    if (listener === undefined) {
      const name = typeof channel === 'string' ? channel.slice(0, 100) : typeof channel;
      throw new SavepointError('argument-invalid', `no channel "${name}"`);
    }
    if (!Array.isArray(args) || args.length > MAX_ARGUMENTS) {
      throw new SavepointError('argument-invalid', 'arguments must come as a short list');
    }
    return { id, result: await listener(null, ...args) };
  } catch (error) {
    return { id, error: writeError(error) };
  }
}

function idIn(message: unknown): number | null {
  if (typeof message !== 'object' || message === null) return null;
  const { id } = message as Partial<Call>;
  return typeof id === 'number' ? id : null;
}

function writeError(error: unknown): NonNullable<Answer['error']> {
  if (!isSavepointError(error)) return { code: 'store-failed', message: String(error) };
  const { code, message, hint } = error;
  return hint === undefined ? { code, message } : { code, message, hint };
}

function readError(error: Answer['error'] | null): SavepointError {
  const { code, message, hint } = error ?? {};
  const known = typeof code === 'string' && Object.hasOwn(ERROR_CODES, code);
  const text = typeof message === 'string' ? message : 'the other side failed';
  const more = typeof hint === 'string' ? { hint } : {};
  return new SavepointError(known ? (code as ErrorCode) : 'store-failed', text, more);
}

function closedPort(): SavepointError {
  return new SavepointError('aborted', 'the port was closed');
}
