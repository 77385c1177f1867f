import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Scratch } from '../scratch.ts';

const WRITER = fileURLToPath(new URL('./writer.ts', import.meta.url));
const READY = 'ready\n';

export interface FleetOptions {
  readonly url: string;
  readonly writers: number;
  /** Whether all are in one worktree, and so wait for each other; else each has a project of its own. */
  readonly isShared: boolean;
  readonly messagesEach: number;
  readonly milliseconds: number;
}

export interface Rate {
  readonly sessions: number;
  readonly checkpoints: number;
}

let fleets = 0;

/** What so many processes get done in a second, all together. */
export async function rateOf(scratch: Scratch, options: FleetOptions): Promise<Rate> {
  const { url, writers, isShared, messagesEach, milliseconds } = options;
  fleets += 1;
  const names = Array.from({ length: writers }, (_, nth) => `agent-${nth}`);
  const children = names.map((agent) => {
    const project = `fleet-${fleets}${isShared ? '' : `-${agent}`}`;
    const places = [scratch.make(project, 'files'), scratch.make(project, 'store')];
    return start([url, project, ...places, agent, String(messagesEach), String(milliseconds)]);
  });
  try {
    await Promise.all(children.map(({ ready }) => ready));
    for (const { child } of children) child.stdin.write('go\n');
    const done = await Promise.all(children.map(({ report }) => report));
    const each = (count: (rate: Rate) => number) =>
      done.reduce((sum, rate) => sum + count(rate), 0) / (milliseconds / 1000);
    return {
      sessions: each((rate) => rate.sessions),
      checkpoints: each((rate) => rate.checkpoints),
    };
  } finally {
    for (const { child } of children) child.kill('SIGKILL');
  }
}

interface Writer {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly ready: Promise<void>;
  readonly report: Promise<Rate>;
}

function start(words: readonly string[]): Writer {
  const child = spawn(process.execPath, ['--no-warnings', WRITER, ...words], {
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  const ready = Promise.withResolvers<void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.startsWith(READY)) ready.resolve();
  });
  const report = once(child, 'close').then(([code]) => {
    const failure = new Error(`a writer ended with ${code}`);
    ready.reject(failure);
    if (code !== 0) throw failure;
    return JSON.parse(said.slice(READY.length)) as Rate;
  });
  report.catch(() => {});
  return { child, ready: ready.promise, report };
}
