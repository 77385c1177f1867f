import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Change, State, Store } from '../../src/index.ts';
import { joins } from '../../src/model/state.ts';
import { currentSeq } from '../../src/store/find.ts';
import type { WorkerReport } from './report.ts';

/** Everything that is wrong with a timeline after several workers wrote it, each as a sentence. */
export async function problemsOf(
  store: Store,
  project: string,
  reports: readonly WorkerReport[],
): Promise<string[]> {
  const changes = await store.timeline.changes({});
  return [
    ...reports.flatMap((report) => report.failures.map((text) => `${report.session}: ${text}`)),
    ...reports.flatMap((report) => lostChanges(report, changes)),
    ...(await lostPoints(store, reports)),
    ...brokenChains(changes),
    ...(await reusedNumbers(store, changes)),
    ...(await lostBlobs(store, changes)),
    ...reports.flatMap((report) => wrongFiles(project, report)),
  ];
}

function lostChanges(
  { session, changes: told }: WorkerReport,
  changes: readonly Change[],
): string[] {
  const bySeq = new Map(changes.map((change) => [change.seq, change]));
  return told.flatMap(({ seq, path }) => {
    const found = bySeq.get(seq);
    if (found?.path === path && found.sessionId === session && found.after !== null) return [];
    return [
      `${session}: change ${seq} of ${path} was acknowledged and is ${JSON.stringify(found)}`,
    ];
  });
}

async function lostPoints(store: Store, reports: readonly WorkerReport[]): Promise<string[]> {
  const checkpoints = new Set((await store.timeline.checkpoints({})).map(({ id }) => id as string));
  const operations = new Set((await store.timeline.operations()).map(({ id }) => id as string));
  return reports.flatMap((report) => [
    ...report.checkpoints.filter((id) => !checkpoints.has(id)).map((id) => `lost checkpoint ${id}`),
    ...report.operations.filter((id) => !operations.has(id)).map((id) => `lost operation ${id}`),
  ]);
}

/** Each before has to join the after that came before it. */
function brokenChains(changes: readonly Change[]): string[] {
  const problems: string[] = [];
  for (const [path, chain] of Map.groupBy(changes, (change) => change.path)) {
    for (const [index, change] of chain.entries()) {
      const previous = chain[index - 1];
      if (change.after === null) problems.push(`${path}: change ${change.seq} was never closed`);
      if (previous === undefined || (previous.after && joins(previous.after, change.before)))
        continue;
      problems.push(`${path}: change ${change.seq} does not join ${previous.seq}`);
    }
  }
  return problems;
}

async function reusedNumbers(store: Store, changes: readonly Change[]): Promise<string[]> {
  const rows = [
    ...changes,
    ...(await store.timeline.checkpoints({})),
    ...(await store.timeline.operations()),
  ];
  const seqs = rows.map((row) => row.seq);
  const newest = await currentSeq(store);
  return [
    ...(new Set(seqs).size === seqs.length ? [] : ['a number was given twice']),
    ...(seqs.every((seq) => seq > 0 && seq <= newest) ? [] : ['a number was never handed out']),
  ];
}

async function lostBlobs(store: Store, changes: readonly Change[]): Promise<string[]> {
  const states = changes.flatMap(({ before, after }) => [before, after]);
  const blobs = new Set(states.flatMap(blobIn));
  const problems: string[] = [];
  for (const blob of blobs) {
    await store.blobs.read(blob).catch((error: Error) => problems.push(error.message));
  }
  return problems;
}

function blobIn(state: State | null) {
  return state?.kind === 'captured' && state.blob !== null ? [state.blob] : [];
}

function wrongFiles(project: string, { session, files }: WorkerReport): string[] {
  const folder = join(project, session);
  const found = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
  const text = (entries: string[][]) => JSON.stringify(entries.sort());
  const expected = text(Object.entries(files));
  return text(found as string[][]) === expected
    ? []
    : [`${session}: the files are not ${expected}`];
}
