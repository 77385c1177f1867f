import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { BaseStorage } from '../../../src/execution/index.ts';
import { makeScratch, removeScratch } from '../../e2e/scratch.ts';
import { builtProgram } from '../../setup/built.ts';
import type { Program } from '../../setup/programs.ts';
import { openStorage, type StorageKind } from './open-storage.ts';
import { isWhole, type StorageReport } from './values.ts';

type Child = ChildProcessByStdio<Writable, Readable, null>;

export interface StorageRun {
  readonly problems: readonly string[];
  readonly saves: number;
  readonly claimed: number;
  /** How many values a reader saw meanwhile. */
  readonly reads: number;
}

/** Lets processes loose on one storage at the same moment while another reads, and looks at what is left. */
export async function runStorageWorkers(
  kind: StorageKind,
  workers: number,
  saves: number,
): Promise<StorageRun> {
  const place = makeScratch();
  const children: Child[] = [];
  const start = (script: Program, ...args: string[]): Promise<Started> => {
    const started = startChild(place, script, kind, place, ...args);
    children.push(started.child);
    return started.ready.then(() => started);
  };
  try {
    const reader = await start('test/concurrency/storage/reader.ts');
    const names = Array.from({ length: workers }, (_, n) => `worker-${n}`);
    const started = await Promise.all(
      names.map((name) => start('test/concurrency/storage/worker.ts', name, `${saves}`)),
    );
    for (const { child } of started) child.stdin.write('go\n');
    const reports = (await Promise.all(started.map(({ said }) => said))) as StorageReport[];
    reader.child.stdin.write('stop\n');
    return await inspect(kind, place, reports, (await reader.said) as ReaderReport);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    removeScratch(place);
  }
}

interface ReaderReport {
  readonly reads: number;
  readonly problems: readonly string[];
}

async function inspect(
  kind: StorageKind,
  place: string,
  reports: readonly StorageReport[],
  reader: ReaderReport,
): Promise<StorageRun> {
  const { storage, close } = await openStorage(kind, place);
  try {
    const problems = [
      ...reader.problems.map((text) => `the reader: ${text}`),
      ...reports.flatMap(({ name, failures }) => failures.map((text) => `${name}: ${text}`)),
      ...(await lostOwn(storage, reports)),
      ...(await wrongSlots(storage, reports)),
      ...(await torn(storage)),
    ];
    const saves = reports.reduce((sum, report) => sum + report.saves, 0);
    const claimed = reports.flatMap((report) => report.claimed).length;
    return { problems, saves, claimed, reads: reader.reads };
  } finally {
    await close();
  }
}

async function lostOwn(storage: BaseStorage, reports: readonly StorageReport[]): Promise<string[]> {
  const expected = reports.flatMap(({ own }) => Object.entries(own));
  const problems: string[] = [];
  for (const [key, value] of expected) {
    const found = await storage.load('own', key).catch((error: Error) => error.message);
    if (JSON.stringify(found) !== JSON.stringify(value))
      problems.push(`${key} lost its last value`);
  }
  const keys = expected.filter(([, value]) => value !== null).map(([key]) => key);
  const listed = await storage.list('own');
  if (listed.sort().join() !== keys.sort().join()) problems.push('the list of own keys is wrong');
  return problems;
}

/** Each slot belongs to one worker, and holds what that one wrote. */
async function wrongSlots(
  storage: BaseStorage,
  reports: readonly StorageReport[],
): Promise<string[]> {
  const owners = reports.flatMap(({ name, claimed }) => claimed.map((key) => [key, name] as const));
  const problems: string[] = [];
  if (new Set(owners.map(([key]) => key)).size !== owners.length) {
    problems.push('a slot was given to two');
  }
  for (const [key, name] of owners) {
    const found = await storage.load('slots', key).catch(() => null);
    if ((found as { name?: string } | null)?.name !== name)
      problems.push(`${key} is not of ${name}`);
  }
  return problems;
}

async function torn(storage: BaseStorage): Promise<string[]> {
  const problems: string[] = [];
  for (const category of ['shared', 'own', 'slots']) {
    for (const key of await storage.list(category)) {
      const value = await storage.load(category, key).catch(() => null);
      if (!isWhole(value)) problems.push(`${category}/${key} is torn`);
    }
  }
  return problems;
}

interface Started {
  readonly child: Child;
  readonly ready: Promise<void>;
  /** What it says at its end. */
  readonly said: Promise<unknown>;
}

function startChild(home: string, script: Program, ...args: string[]): Started {
  const env = { PATH: process.env.PATH ?? '', HOME: home };
  const file = builtProgram(script);
  const child = spawn(process.execPath, ['--no-warnings', file, ...args], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let text = '';
  const ready = Promise.withResolvers<void>();
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
    if (text.startsWith('ready\n')) ready.resolve();
  });
  const said = once(child, 'close').then(([code]) => {
    ready.reject(new Error(`${script} ended early (${code})`));
    return JSON.parse(text.slice('ready\n'.length)) as unknown;
  });
  return { child, ready: ready.promise, said };
}
