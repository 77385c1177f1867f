import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  writeFileSync,
  writevSync,
} from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import {
  type Capture,
  isSavepointError,
  openSavepoint,
  type Savepoint,
} from '../../../src/index.ts';
import { refuseName } from '../../e2e/file-moments.ts';
import { documentsBeside } from '../scenario/documents.ts';
import {
  type ChildOrder,
  type ChildReport,
  type ReportedError,
  SESSION,
  type Step,
} from './steps.ts';

// The process that gets killed, starved and lied to. Its orders come in the environment.
const order = JSON.parse(process.env.SAVEPOINT_CRASH_ORDER ?? '') as ChildOrder;
const THREADS = '/proc/self/task';
let savepoint = null as Savepoint | null;
let lastCapture: Capture | null = null;
let started = process.hrtime.bigint();

// The engine loads these on first use, which must not be under a tracer: see `refuseLoading`.
await import('../../../src/engine/open-savepoint.ts');
await import('../../../src/store/sqlite/verify.ts');

const armed = order.killAfterUs === undefined ? null : await armKiller(order.killAfterUs);
for (const step of order.steps) {
  try {
    const result = (await carryOut(step)) ?? null;
    if (step.do !== 'ready') report({ say: 'done', step: step.do, result });
  } catch (error) {
    report({ say: 'failed', step: step.do, error: reported(error) });
    // A program that was told of a failure closes what it has open, like any other.
    await savepoint?.close().catch(() => undefined);
    break;
  }
}
report({ say: 'end', tookUs: Number((process.hrtime.bigint() - started) / 1000n) });
process.exit(0);

async function carryOut(step: Step): Promise<unknown> {
  switch (step.do) {
    case 'open':
      savepoint = await openSavepoint({ project: order.project, home: order.home, adopt: true });
      return;
    case 'ready':
      return waitForGo();
    case 'capture-before': {
      const { messageId, paths } = step;
      lastCapture = await opened().captureBefore({ sessionId: SESSION, messageId, paths });
      return lastCapture;
    }
    case 'capture-after':
      return opened().captureAfter(captured());
    case 'tool':
      for (const { path, text, times } of step.files) {
        writeFileSync(join(order.project, path), text.repeat(times));
      }
      return;
    case 'rewind':
    case 'undo':
    case 'redo': {
      const { do: act, ...request } = step;
      return opened()[act](request as { to: string });
    }
    case 'materialize':
      return opened().materialize(step.ref, join(order.project, '..', step.directory));
    case 'save-document':
      return documentsBeside(order.project).save('session', step.key, {
        text: step.text.repeat(step.times),
      });
    case 'close':
      return opened().close();
    case 'sabotage':
      return refuseName(new RegExp(step.name));
    case 'exhaust-descriptors':
      return exhaustDescriptors(step.free);
  }
}

function opened(): Savepoint {
  if (savepoint === null) throw new Error('the order does not open the savepoint first');
  return savepoint;
}

function captured(): Capture {
  if (lastCapture === null) throw new Error('the order does not capture before it ends a capture');
  return lastCapture;
}

/** Blocks the whole process in one system call, so that a tracer's counts start at the same place. */
async function waitForGo(): Promise<void> {
  report({ say: 'ready', pid: process.pid, pool: await poolThread() });
  readSync(0, Buffer.alloc(16));
  started = process.hrtime.bigint();
  armed?.();
}

/** The thread, or the first of those, that does what node does not do itself; makes sure it is there. */
async function poolThread(): Promise<number | null> {
  await stat('/');
  const threads = existsSync(THREADS) ? readdirSync(THREADS) : [];
  const found = threads.find((thread) =>
    readFileSync(join(THREADS, thread, 'comm'), 'utf8').startsWith('libuv-worker'),
  );
  return found === undefined ? null : Number(found);
}

function exhaustDescriptors(free: number): void {
  const held: number[] = [];
  try {
    for (;;) held.push(openSync('/dev/null', 'r'));
  } catch {
    for (const descriptor of held.slice(held.length - free)) closeSync(descriptor);
  }
}

/** In two parts, which makes it a call of its own kind: faults in `write` must not hit it. */
function report(line: ChildReport): void {
  writevSync(1, [Buffer.from(JSON.stringify(line)), Buffer.from('\n')]);
}

function reported(error: unknown): ReportedError {
  const { code, message, hint } = error as Record<string, unknown>;
  return {
    typed: isSavepointError(error),
    code: String(code),
    message: String(message),
    hint: String(hint),
  };
}

/**
 * A second thread that waits for the start and then for the moment, in fractions of a millisecond,
 * which the timers of the event loop do not know. Returns what starts the clock.
 */
async function armKiller(microseconds: number): Promise<() => void> {
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const source = `
    const { workerData, parentPort } = require('node:worker_threads');
    const { flag, microseconds } = workerData;
    parentPort.postMessage('waiting');
    Atomics.wait(flag, 0, 0);
    Atomics.wait(flag, 0, 1, microseconds / 1000);
    process.kill(process.pid, 'SIGKILL');`;
  const worker = new Worker(source, { eval: true, workerData: { flag, microseconds } });
  worker.unref();
  await new Promise((resolve) => worker.once('message', resolve));
  return () => {
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
  };
}
