import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openProjectTimeline } from '../../src/config/project-store.ts';
import { type Savepoint, storeDirectory } from '../../src/index.ts';
import { ALL_RUNS } from '../crash/campaign.ts';
import { sharedPostgres } from '../setup/shared-postgres.ts';
import { HookBed } from './hook-bed.ts';

/** A way to the server that ends for good at a message of the client's: the first one is number 1. */
class Way {
  readonly url: string;
  #messages = 0;
  #last = Number.POSITIVE_INFINITY;
  readonly #open = new Set<Socket>();

  private constructor(url: string) {
    this.url = url;
  }

  static async make(): Promise<Way> {
    const url = new URL(await sharedPostgres());
    const to = { host: url.hostname, port: Number(url.port) };
    const door = createServer().listen(0, '127.0.0.1');
    await once(door, 'listening');
    onTestFinished(() => void door.close());
    url.port = String((door.address() as AddressInfo).port);
    const way = new Way(url.href);
    door.on('connection', (socket) => way.#join(socket, connect(to)));
    return way;
  }

  get isCut(): boolean {
    return this.#messages >= this.#last;
  }

  cutAt(message: number): void {
    this.#messages = 0;
    this.#last = message;
  }

  mend(): void {
    this.cutAt(Number.POSITIVE_INFINITY);
  }

  #join(socket: Socket, server: Socket): void {
    this.#open.add(socket);
    for (const [one, other] of [
      [socket, server],
      [server, socket],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
    socket.on('close', () => this.#open.delete(socket));
    server.pipe(socket);
    if (this.isCut) socket.destroy();
    socket.on('data', (bytes) => {
      this.#messages += 1;
      if (this.isCut) for (const one of this.#open) one.destroy();
      else server.write(bytes);
    });
  }
}

// A campaign has the time for every message.
const STEP = ALL_RUNS ? 1 : 5;

let way: Way;
let bed: HookBed;
let env: Record<string, string>;
beforeEach(async () => {
  way = await Way.make();
  bed = new HookBed('claude-code');
  onTestFinished(() => bed.done());
  env = {
    SAVEPOINT_HOME: bed.home,
    HOME: bed.base,
    SAVEPOINT_DATABASE_URL: way.url,
    SAVEPOINT_DATABASE_PROJECT: randomUUID(),
  };
  bed.put('a.txt', 'one\n');
  await using(async (savepoint) => {
    await savepoint.scan();
  });
});

async function using<T>(work: (savepoint: Savepoint) => Promise<T>): Promise<T> {
  const { homeDirectory, platform } = bed.call('');
  const databaseUrl = way.url;
  const database = {
    databaseUrl,
    databaseTls: null,
    databaseCa: null,
    databaseCert: null,
    databaseKey: null,
  };
  const surroundings = { env, homeDirectory, platform };
  const savepoint = await openProjectTimeline(surroundings, {
    project: bed.root,
    values: database,
  });
  try {
    return await work(savepoint);
  } finally {
    await savepoint.close();
  }
}

const hook = (event: Record<string, unknown>): Promise<string> =>
  bed.hook({ session_id: 's', cwd: bed.root, ...event }, { env });

const gapFile = (): string => join(storeDirectory(bed.home, bed.root), 'gap.json');

const MESSAGE = { sessionId: 's', messageId: 'm1' };

const call = (name: string): Record<string, unknown> => ({
  hook_event_name: name,
  tool_name: 'Bash',
  tool_use_id: 't1',
  tool_input: { command: 'make' },
  ...(name === 'PostToolUse' ? { tool_response: {} } : {}),
});

describe('a server that goes away during an event', () => {
  it.each([
    ['a prompt', { hook_event_name: 'UserPromptSubmit', prompt_id: 'p2', prompt: 'go on' }, []],
    ['the begin of a command', call('PreToolUse'), []],
    ['the end of a command', call('PostToolUse'), [call('PreToolUse')]],
    ['the end of a turn', { hook_event_name: 'Stop' }, []],
  ])('leaves a gap wherever in %s it goes', async (_name, event, before) => {
    await hook({ hook_event_name: 'UserPromptSubmit', prompt_id: 'p1', prompt: 'begin' });
    const unrecorded: number[] = [];
    const lost: number[] = [];
    for (let at = 1; ; at += STEP) {
      for (const one of before) await hook(one);
      const logged = bed.log().length;
      way.cutAt(at);
      await hook(event);
      const { isCut } = way;
      way.mend();
      if (!isCut) break;
      const outcomes = bed
        .log()
        .slice(logged)
        .map(({ outcome }) => outcome);
      if (!outcomes.includes('recorded')) {
        unrecorded.push(at);
        if (!existsSync(gapFile())) lost.push(at);
      }
      rmSync(gapFile(), { force: true });
    }
    expect(unrecorded.length).toBeGreaterThan(2);
    expect(lost).toEqual([]);
  });
});

it.each<[string, (savepoint: Savepoint, window: string) => Promise<unknown>]>([
  ['a checkpoint', (savepoint) => savepoint.checkpoint({ sessionId: 's', messageId: 'm2' })],
  ['a capture', (savepoint) => savepoint.captureBefore({ ...MESSAGE, paths: ['a.txt'] })],
  ['the begin of a command', (savepoint) => savepoint.openWindow(MESSAGE)],
  ['the end of a command', (savepoint, window) => savepoint.closeWindow(window)],
  ['the end of a call', (savepoint) => savepoint.closeCall({ sessionId: 's', toolCallId: 't' })],
  ['the end of a turn', (savepoint) => savepoint.endTurn('s', { interrupted: true })],
  ['the end of a session', (savepoint) => savepoint.endSession('s')],
  ['a scan', (savepoint) => savepoint.scan()],
])('a server that goes away before %s leaves a gap of one event', async (_, act) => {
  await using(async (savepoint) => {
    const { id } = await savepoint.openWindow(MESSAGE);
    way.cutAt(1);
    await expect(act(savepoint, id)).rejects.toMatchObject({ code: 'store-unreachable' });
    way.mend();
    expect(JSON.parse(readFileSync(gapFile(), 'utf8'))).toMatchObject({ times: 1 });
  });
});

it('a server that goes away while somebody only looks leaves no gap', async () => {
  await using(async (savepoint) => {
    way.cutAt(1);
    await expect(savepoint.list()).rejects.toMatchObject({ code: 'store-unreachable' });
    await expect(savepoint.status()).rejects.toMatchObject({ code: 'store-unreachable' });
    way.mend();
    expect(existsSync(gapFile())).toBe(false);
  });
});
