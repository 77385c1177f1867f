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

/** An `IpcHost` over a message port, for programs whose engine runs in a worker or another process. */
export function messagePortHost(port: MessagePort): IpcHost {
  const listeners = new Map<string, (event: unknown, ...args: unknown[]) => Promise<unknown>>();
  port.on('message', async (message: unknown) => {
    const call = readCall(message);
    // Without an id there is nobody to answer.
    if (call !== null) port.postMessage(await answer(call, listeners.get(call.channel)));
  });
  return { handle: (channel, listener) => void listeners.set(channel, listener) };
}

export interface CheckpointClient {
  invoke<Channel extends CheckpointChannel>(
    channel: Channel,
    ...args: Parameters<CheckpointChannels[Channel]>
  ): Promise<ReturnType<CheckpointChannels[Channel]>>;
}

/** The other end. Errors arrive as `SavepointError`, with their code. */
export function messagePortClient(port: MessagePort): CheckpointClient {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  port.on('message', ({ id, result, error }: Answer) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(readError(error));
  });
  return {
    invoke: async (channel, ...args) => {
      const call = Promise.withResolvers<unknown>();
      lastId += 1;
      waiting.set(lastId, call);
      port.postMessage({ id: lastId, channel, args } satisfies Call);
      return (await call.promise) as ReturnType<CheckpointChannels[typeof channel]>;
    },
  };
}

async function answer(
  call: Call,
  listener: ((event: unknown, ...args: unknown[]) => Promise<unknown>) | undefined,
): Promise<Answer> {
  try {
    if (listener === undefined) {
      throw new SavepointError('argument-invalid', `no channel ${JSON.stringify(call.channel)}`);
    }
    return { id: call.id, result: await listener(null, ...call.args) };
  } catch (error) {
    return { id: call.id, error: writeError(error) };
  }
}

function readCall(message: unknown): Call | null {
  if (typeof message !== 'object' || message === null) return null;
  const { id, channel, args } = message as Partial<Call>;
  if (typeof id !== 'number') return null;
  return { id, channel: String(channel), args: Array.isArray(args) ? args : [] };
}

function writeError(error: unknown): NonNullable<Answer['error']> {
  if (!isSavepointError(error)) return { code: 'store-failed', message: String(error) };
  const { code, message, hint } = error;
  return hint === undefined ? { code, message } : { code, message, hint };
}

function readError({ code, message, hint }: NonNullable<Answer['error']>): SavepointError {
  const known = Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : 'store-failed';
  return new SavepointError(known, message, { hint });
}
