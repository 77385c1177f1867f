import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { makeScratch, removeScratch } from '../../../test/e2e/scratch.ts';
import { sharedPostgres } from '../../../test/setup/shared-postgres.ts';
import { checkpointOf, rejectsWith } from '../../testing/store/samples.ts';
import { currentSeq } from '../find.ts';
import { postgresStore } from './postgres-store.ts';

type Cut = 'before' | 'after' | null;

/** A way to the server that cuts the connection at the next COMMIT, before or after the server has got it. */
async function wayToServer(): Promise<{ readonly url: string; cut: Cut }> {
  const url = new URL(await sharedPostgres());
  const port = Number(url.port);
  const way = { url: '', cut: null as Cut };
  const door = createServer((socket) => {
    const server = connect(port, url.hostname);
    for (const [one, other] of [
      [socket, server],
      [server, socket],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
    server.pipe(socket);
    socket.on('data', (bytes) => {
      const { cut } = way;
      if (cut === null || !bytes.includes('COMMIT')) {
        server.write(bytes);
        return;
      }
      way.cut = null;
      server.unpipe(socket);
      if (cut === 'before') {
        socket.destroy();
        return;
      }
      // The answer comes when the server has committed, and goes nowhere.
      server.on('data', (answer) => answer.includes('COMMIT') && socket.destroy()).resume();
      server.write(bytes);
    });
  }).listen(0, '127.0.0.1');
  await once(door, 'listening');
  onTestFinished(() => void door.close());
  url.port = String((door.address() as AddressInfo).port);
  way.url = url.href;
  return way;
}

it('knows of a commit whose answer was lost whether it is on record', async () => {
  const directory = makeScratch();
  onTestFinished(() => removeScratch(directory));
  const way = await wayToServer();
  const store = await postgresStore({ url: way.url, project: randomUUID(), directory });
  onTestFinished(() => store.close());
  way.cut = 'after';
  await store.timeline.commit({ base: 0, checkpoints: [checkpointOf(1)] });
  expect(way.cut).toBe(null);
  expect(await currentSeq(store)).toBe(1);
  way.cut = 'before';
  const lost = store.timeline.commit({ base: 1, checkpoints: [checkpointOf(2)] });
  await expect(lost).rejects.toThrow('nothing of this is on record');
  await rejectsWith(lost, 'store-unreachable');
  expect(way.cut).toBe(null);
  expect(await currentSeq(store)).toBe(1);
  await store.timeline.commit({ base: 1, checkpoints: [checkpointOf(2)] });
  expect(await currentSeq(store)).toBe(2);
});
