import { once } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileCheckpointService } from '../../src/integrations/file-checkpoint/index.ts';
import {
  messagePortClient,
  messagePortHost,
  registerCheckpointIpc,
} from '../../src/integrations/ipc/index.ts';
import { expectPrintable, hostileBed, refusalOf } from './hostile-bed.ts';

const bed = hostileBed();
let host: MessagePort;
let other: MessagePort;

beforeEach(async () => {
  const service = new FileCheckpointService(bed().savepoint);
  ({ port1: host, port2: other } = new MessageChannel());
  registerCheckpointIpc(messagePortHost(host), service);
  bed().put('file', 'before');
  await service.createCheckpoint('s', 'm', bed().at('file'));
  bed().put('file', 'after');
});
afterEach(() => {
  host.close();
  other.close();
});

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { code: string; message: string };
}

/** Sends a message as it is, without a client that would write a proper one. */
async function send(message: unknown): Promise<Answer> {
  other.postMessage(message);
  const [answer] = (await once(other, 'message')) as [Answer];
  return answer;
}

const badArguments: [what: string, args: unknown[]][] = [
  ['nothing', []],
  ['a number', [5]],
  ['null', [null]],
  ['a list', [['s']]],
  ['an object', [{ toString: 's' }]],
  ['no text', ['']],
  ['a NUL', ['s\0']],
  ['broken Unicode', ['\ud800']],
  ['a text without end', ['s'.repeat(100_000)]],
  ['too many', ['s', 'm', 'more']],
  ['far too many', new Array(1_000).fill('s')],
  ['a map', [new Map([['s', 's']])]],
  ['bytes', [new Uint8Array([115])]],
  ['a date', [new Date(0)]],
];

describe('a call with bad arguments', () => {
  it.each(badArguments)('is answered with a typed error: list, %s', async (_what, args) => {
    const { error } = await send({ id: 1, channel: 'checkpoint:list', args });
    expect(error?.code).toBe('argument-invalid');
    expectPrintable(error?.message ?? '');
  });

  it.each(badArguments)('is answered with a typed error: rewind, %s', async (_what, args) => {
    const { error } = await send({ id: 1, channel: 'checkpoint:rewind', args });
    expect(error?.code).toBe('argument-invalid');
    expect(bed().text('file')).toBe('after');
  });

  it.each(badArguments.slice(1))(
    'is answered with a typed error: cleanup, %s',
    async (_what, args) => {
      const { error } = await send({ id: 1, channel: 'checkpoint:cleanup', args });
      expect(error?.code).toBe('argument-invalid');
    },
  );
});

const badCalls: [what: string, call: object][] = [
  ['no channel', {}],
  ['a channel that is not there', { channel: 'checkpoint:delete' }],
  ['a channel that every object has', { channel: 'constructor' }],
  ['a channel named __proto__', { channel: '__proto__' }],
  ['a channel that is a number', { channel: 5 }],
  ['a channel that cannot be text', { channel: { toString: 1, valueOf: 1 } }],
  ['a channel of escapes', { channel: '\u001b[2J\u202e\u009b' }],
  ['a channel without end', { channel: 'c'.repeat(10_000_000) }],
  ['no arguments', { channel: 'checkpoint:cleanup' }],
  ['arguments that are text', { channel: 'checkpoint:list', args: 's' }],
  ['arguments that only look like a list', { channel: 'checkpoint:list', args: { length: 1 } }],
  ['billions of arguments', { channel: 'checkpoint:cleanup', args: new Array(4_294_967_295) }],
];

describe('a call with', () => {
  it.each(badCalls)('%s is answered with a short typed error', async (_what, call) => {
    const { id, error } = await send({ id: 7, ...call });
    expect(id).toBe(7);
    expect(error?.code).toBe('argument-invalid');
    expectPrintable(error?.message ?? '');
    expect(error?.message.length).toBeLessThan(1_000);
  });

  const noCalls: unknown[] = [null, 5, 'text', [], {}, { id: '1' }, { id: null }, { id: {} }];
  it.each(noCalls)(
    'nobody to answer (%j) is ignored, and the next one is answered',
    async (message) => {
      other.postMessage(message);
      const { result } = await send({ id: 2, channel: 'checkpoint:list', args: ['s'] });
      expect(result).toHaveLength(1);
    },
  );
});

describe('a client', () => {
  const badAnswers: [what: string, answer: object][] = [
    ['an error that is null', { error: null }],
    ['an error that is text', { error: 'evil' }],
    ['an error without a code', { error: { message: 'x' } }],
    ['a code that every object has', { error: { code: 'constructor', message: 'x' } }],
    ['a message that cannot be text', { error: { code: 'aborted', message: { toString: 1 } } }],
    ['a hint that is an object', { error: { code: 'aborted', message: 'x', hint: {} } }],
    ['escapes in a message', { error: { code: 'aborted', message: '\u001b[2J\u202e' } }],
  ];
  it.each(badAnswers)('makes a typed error of %s', async (_what, answer) => {
    const { port1, port2 } = new MessageChannel();
    port1.on('message', ({ id }) => port1.postMessage({ id, ...answer }));
    await refusalOf(() => messagePortClient(port2).invoke('checkpoint:cleanup'));
    port1.close();
    port2.close();
  });

  it('is not led astray by answers that nobody asked for', async () => {
    const { port1, port2 } = new MessageChannel();
    for (const stray of [null, 5, {}, { id: 99, result: 1 }, { id: 'x' }]) port1.postMessage(stray);
    port1.on('message', ({ id }) => port1.postMessage({ id, result: 3 }));
    expect(await messagePortClient(port2).invoke('checkpoint:cleanup')).toBe(3);
    port1.close();
    port2.close();
  });
});
