import type { ChildReport } from '../child/steps.ts';
import type { FileCall } from '../strace/file-calls.ts';
import { reportIn } from '../strace/recording.ts';
import { diskFrom } from './on-real-disk.ts';
import { ALL_FATES, cutPower, type Fate, type Remains } from './power-cut.ts';
import { Replay } from './replay.ts';

/** A disk after a power cut, and what the process had been promised by then. */
export interface Cut {
  readonly title: string;
  readonly remains: Remains;
  readonly reports: readonly ChildReport[];
}

export interface CutOptions {
  readonly calls: readonly FileCall[];
  /** What another process did before, to its end or its death. */
  readonly earlier?: readonly FileCall[];
  /** The place as it was before the calls, and the path that it had when they were recorded. */
  readonly before: string;
  readonly recordedAt: string;
  readonly random: () => number;
  /** Whether to cut at every sync, or only where something has just been promised. */
  readonly atSyncs: boolean;
  /** How many cuts at random moments beside those. */
  readonly randomCuts: number;
}

const FATES_AT_SYNCS: readonly Fate[] = [
  { names: 'none', bytes: 'none' },
  { names: 'all', bytes: 'none' },
  { names: 'none', bytes: 'all' },
  { names: 'all', bytes: 'all' },
  { names: 'first', bytes: 'any' },
  { names: 'any', bytes: 'any' },
];

/**
 * Cuts the power before and after every sync, with everything that is uncertain lost, kept or torn,
 * and at random moments. One at a time: each is a whole disk.
 */
export function* cuts(options: CutOptions): Generator<Cut> {
  const { calls, random } = options;
  const disk = diskFrom(options.before);
  const past = new Replay(disk, options.recordedAt);
  for (const call of options.earlier ?? []) past.carryOut(call);
  const replay = new Replay(disk, options.recordedAt);
  const reports: ChildReport[] = [];
  const moments = randomMoments(options);
  const cutAt = (index: number, when: string, fate: Fate): Cut => ({
    title: `power cut ${when} call ${index} (${calls[index]?.name} ${calls[index]?.file}), names ${fate.names}, bytes ${fate.bytes}`,
    remains: cutPower(disk, fate, random),
    reports: [...reports],
  });
  for (const [index, call] of calls.entries()) {
    const syncs = options.atSyncs && call.file !== null && call.name.endsWith('sync');
    const fates = [...(syncs ? FATES_AT_SYNCS : []), ...(moments.get(index) ?? [])];
    for (const fate of fates) yield cutAt(index, 'before', fate);
    replay.carryOut(call);
    const report = reportIn(call);
    if (report !== null) reports.push(report);
    // Once something is promised, and once something is synced, it must hold whatever is lost.
    if (syncs || report !== null) yield cutAt(index, 'after', { names: 'none', bytes: 'none' });
  }
}

function randomMoments({ calls, random, randomCuts }: CutOptions): Map<number, Fate[]> {
  const moments = new Map<number, Fate[]>();
  for (let count = 0; count < randomCuts; count += 1) {
    const index = Math.floor(random() * calls.length);
    const fate = ALL_FATES[Math.floor(random() * ALL_FATES.length)] as Fate;
    moments.set(index, [...(moments.get(index) ?? []), fate]);
  }
  return moments;
}
