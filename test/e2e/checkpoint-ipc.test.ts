import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileCheckpointService } from '../../src/integrations/file-checkpoint/index.ts';
import {
  type CheckpointChannel,
  type CheckpointClient,
  messagePortClient,
  messagePortHost,
  registerCheckpointIpc,
} from '../../src/integrations/ipc/index.ts';
import { type Bed, makeBed } from './engine-bed.ts';

let bed: Bed;
let service: FileCheckpointService;
let client: CheckpointClient;
let ports: MessagePort[];
let clock: number;

beforeEach(async () => {
  clock = Date.now();
  bed = await makeBed({ now: () => clock });
  service = new FileCheckpointService(bed.savepoint);
  const { port1, port2 } = new MessageChannel();
  ports = [port1, port2];
  registerCheckpointIpc(messagePortHost(port1), service);
  client = messagePortClient(port2);
  bed.put('file', 'before');
  await service.createCheckpoint('s1', 'm1', bed.at('file'));
  bed.put('file', 'after');
});
afterEach(async () => {
  for (const port of ports) port.close();
  await bed.remove();
});

describe('the channels', () => {
  it('checkpoint:list answers the rows of a session', async () => {
    const rows = await client.invoke('checkpoint:list', 's1');
    expect(rows).toEqual(await service.getCheckpoints('s1'));
    expect(rows).toMatchObject([{ messageId: 'm1', originalContent: 'before' }]);
    expect(await client.invoke('checkpoint:list', 'nobody')).toEqual([]);
  });

  it('checkpoint:rewind takes a message back and answers what it did', async () => {
    const result = await client.invoke('checkpoint:rewind', 's1', 'm1');
    expect(result).toMatchObject({ success: true, restoredFiles: [bed.at('file')], errors: [] });
    expect(bed.text('file')).toBe('before');
  });

  it('checkpoint:rewind answers why it did nothing, apart from files', async () => {
    for (const [session, message] of [
      ['s1', 'nothing'],
      ['nobody', 'm1'],
    ] as const) {
      const result = await client.invoke('checkpoint:rewind', session, message);
      expect(result).toMatchObject({ success: false, failure: { code: 'checkpoint-not-found' } });
      expect(result.errors).toMatchObject([{ filePath: bed.root }]);
    }
    expect(bed.text('file')).toBe('after');
    const done = await client.invoke('checkpoint:rewind', 's1', 'm1');
    expect(done).toMatchObject({ success: true, failure: null });
  });

  it.each([
    ['checkpoint:list', 'checkpoint:list takes (sessionId); the call has 2'],
    ['checkpoint:rewind', 'checkpoint:rewind takes (sessionId, messageId); the call has 3'],
    ['checkpoint:cleanup', 'checkpoint:cleanup takes no arguments; the call has 1'],
  ] as const)('%s says what it takes', async (channel, message) => {
    const invoke = client.invoke as (channel: string, ...args: string[]) => Promise<unknown>;
    const tooMany = { 'checkpoint:list': 2, 'checkpoint:rewind': 3, 'checkpoint:cleanup': 1 };
    const args = Array.from({ length: tooMany[channel] }, () => 's1');
    await expect(invoke(channel, ...args)).rejects.toMatchObject({ message });
  });

  it('checkpoint:cleanup answers how many rows went', async () => {
    expect(await client.invoke('checkpoint:cleanup')).toBe(0);
    await bed.savepoint.archiveSession('s1');
    clock += 7 * 24 * 60 * 60 * 1_000;
    expect(await client.invoke('checkpoint:cleanup')).toBe(1);
    expect(await client.invoke('checkpoint:list', 's1')).toEqual([]);
  });

  it('are answered each to its own call, whatever comes first', async () => {
    const calls = Array.from({ length: 20 }, (_, n) => client.invoke('checkpoint:list', `s${n}`));
    const lengths = (await Promise.all(calls)).map((rows) => rows.length);
    expect(lengths).toEqual(lengths.map((_length, n) => (n === 1 ? 1 : 0)));
  });

  it('fit any host with handle(), such as ipcMain', async () => {
    const handlers = new Map<string, (event: unknown, ...args: unknown[]) => Promise<unknown>>();
    const ipcMain = {
      handle: (channel: CheckpointChannel, listener: (event: unknown) => Promise<unknown>) =>
        void handlers.set(channel, listener),
    };
    registerCheckpointIpc(ipcMain, service);
    const channels = ['checkpoint:cleanup', 'checkpoint:list', 'checkpoint:rewind'];
    expect([...handlers.keys()].sort()).toEqual(channels);
    expect(await handlers.get('checkpoint:list')?.({ sender: 1 }, 's1')).toHaveLength(1);
    const refused = handlers.get('checkpoint:list')?.({ sender: 1 }, 5);
    await expect(refused).rejects.toMatchObject({ code: 'argument-invalid' });
  });
});

describe('an error', () => {
  it('arrives with its code, its message and its hint', async () => {
    await bed.savepoint.close();
    const refused = client.invoke('checkpoint:list', 's1');
    await expect(refused).rejects.toMatchObject({ name: 'SavepointError', code: 'store-closed' });
  });

  it('of the port itself ends the calls that wait', async () => {
    const call = client.invoke('checkpoint:cleanup');
    ports[1]?.close();
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
  });

  it('is given for what cannot be sent', async () => {
    const invoke = client.invoke as (channel: string, ...args: unknown[]) => Promise<unknown>;
    const call = invoke('checkpoint:list', () => 'a function');
    await expect(call).rejects.toMatchObject({ code: 'argument-invalid' });
  });
});
