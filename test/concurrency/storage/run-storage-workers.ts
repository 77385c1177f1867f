import type { ChildProcess } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BaseStorage } from '../../../src/execution/index.ts';
import { makeScratch, removeScratch } from '../../e2e/scratch.ts';
import type { Program } from '../../setup/programs.ts';
import { sharedPostgres } from '../../setup/shared-postgres.ts';
import { startWorker, type WorkerProcess } from '../worker-process.ts';
import { openStorage, SERVER, type StorageKind } from './open-storage.ts';
import { isWhole, type StorageReport } from './values.ts';

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
  if (kind === 'PostgresStorage') writeFileSync(join(place, SERVER), await sharedPostgres());
  const children: ChildProcess[] = [];
  const start = async <Report>(
    script: Program,
    ...args: string[]
  ): Promise<WorkerProcess<Report>> => {
    const started = startWorker<Report>(place, script, kind, place, ...args);
    children.push(started.child);
    await started.ready;
    return started;
  };
  try {
    const reader = await start<ReaderReport>('test/concurrency/storage/reader.ts');
    const names = Array.from({ length: workers }, (_, n) => `worker-${n}`);
    const script = 'test/concurrency/storage/worker.ts';
    const started = await Promise.all(
      names.map((name) => start<StorageReport>(script, name, `${saves}`)),
    );
    for (const { child } of started) child.stdin.write('go\n');
    const reports = await Promise.all(started.map(({ report }) => report));
    reader.child.stdin.write('stop\n');
    return await inspect(kind, place, reports, await reader.report);
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
      ...leftLocks(place),
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

/** Lock files of single keys, which nobody holds any more. */
function leftLocks(place: string): string[] {
  const names = readdirSync(place, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.lock')).map((name) => `${name} was left behind`);
}
