import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ChildOutcome, runChild } from '../child/run-child.ts';
import type { Step } from '../child/steps.ts';
import type { Place } from '../scenario/place.ts';
import { type FaultPoint, fromHereOn } from './fault-points.ts';
import { changesFiles, type FileCall } from './file-calls.ts';
import { titleOf } from './kill.ts';
import { type CallNumber, FAULT_CODES, type FaultCode, saboteur, WRITING_CALLS } from './strace.ts';

/** A disk that fails: at which calls, how, and whether it stays so. */
export interface Sabotage {
  readonly title: string;
  readonly code: FaultCode;
  readonly targets: readonly CallNumber[];
  readonly lasting: boolean;
}

/** One call fails, and everything after it works again. */
export function onceAt({ call, code }: FaultPoint): Sabotage {
  return { title: `${code} in ${titleOf(call)}`, code, targets: [call], lasting: false };
}

/** From each of these calls on the disk is full, read-only or broken; the three take turns. */
export function lastingFaults(calls: readonly FileCall[]): Sabotage[] {
  const starts = calls.filter((call) => changesFiles(call, WRITING_CALLS));
  return starts.map((call, turn) => {
    const code = (['ENOSPC', 'EROFS', 'EIO'] as const)[turn % 3] ?? 'EIO';
    const targets = fromHereOn(calls, call, WRITING_CALLS);
    return { title: `${code} from ${titleOf(call)} on`, code, targets, lasting: true };
  });
}

const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  link: ['link', 'linkat'],
  rename: ['rename', 'renameat', 'renameat2'],
  open: ['open', 'openat'],
  write: ['write', 'pwrite64'],
  fsync: ['fsync', 'fdatasync'],
  unlink: ['unlink', 'unlinkat'],
  mkdir: ['mkdir', 'mkdirat'],
};

/** One kind of call fails with one code: from its first call on, and from one in the middle on. */
export function lastingErrors(calls: readonly FileCall[]): Sabotage[] {
  return Object.entries(FAMILIES).flatMap(([family, names]) => {
    const ours = calls.filter(({ name, file }) => file !== null && names.includes(name));
    const onTree = ours.filter(({ file }) => !file?.startsWith('home'));
    const middle = onTree[Math.floor(onTree.length / 2)];
    return FAULT_CODES.flatMap((code) =>
      [ours[0], middle === ours[0] ? undefined : middle]
        .filter((start) => start !== undefined)
        .map((start) => {
          const title = `${code} of ${family} from ${titleOf(start)} on`;
          return { title, code, targets: fromHereOn(calls, start, names), lasting: true };
        }),
    );
  });
}

/** Runs the steps on a disk that fails like that. */
export async function failAt(
  scratch: string,
  place: Place,
  steps: readonly Step[],
  { title, code, targets, lasting }: Sabotage,
): Promise<ChildOutcome> {
  const log = join(place.folder, 'log');
  const order = { project: place.project, home: place.home, steps };
  const tracers = Object.fromEntries(
    [...Map.groupBy(targets, ({ thread }) => thread)].map(([thread, some]) => {
      return [thread, saboteur(`${log}.${thread}`, code, some, lasting)];
    }),
  );
  const outcome = await runChild({ order, scratch, tracers });
  // A fault that missed would make a test pass that shows nothing.
  if (!hasInjected(place.folder)) throw new Error(`no fault: ${title}`);
  return outcome;
}

function hasInjected(folder: string): boolean {
  const logs = readdirSync(folder).filter((name) => name.startsWith('log.'));
  return logs.some((name) => readFileSync(join(folder, name), 'latin1').includes('(INJECTED)'));
}
