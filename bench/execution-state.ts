import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteStore } from 'savepoint';
import { atMost, type Bar, type Benchmark, type Course, fasterBy } from './benchmark.ts';
import { openSaver, SAVER } from './langgraph-saver.ts';
import { alternate, clock, type Samples } from './measure.ts';
import type { Scratch } from './scratch.ts';
import {
  APPENDED_BYTES,
  appendSteps,
  GROWTH,
  type Sides,
  STEPS,
  type State,
  sidesOf,
  timeSaves,
} from './state-sides.ts';

const READ_STEP = 200;
const ON_DISK = `bytes on disk ${GROWTH}`;

/** The state of an execution, step by step, against who keeps it whole each time. */
export const EXECUTION_STATE: readonly Course[] = [
  {
    benchmarks: [
      { name: ON_DISK, against: 'the bytes appended', bar: atMost(3), unit: 'bytes', run: growth },
      { name: ON_DISK, against: SAVER, bar: null, unit: 'bytes', run: growthOfBoth },
      {
        name: `reading the state at step ${READ_STEP} of ${STEPS}`,
        against: SAVER,
        bar: fasterBy(1),
        run: reading,
      },
    ],
  },
  ...[saving(1, fasterBy(1)), saving(50, fasterBy(2)), saving(500, fasterBy(3))].map((one) => ({
    benchmarks: [one],
  })),
];

function saving(kib: number, bar: Bar): Benchmark {
  return {
    name: `saving a state of ${kib} KiB with one message changed`,
    against: SAVER,
    bar,
    run: (scratch) => savingOf(scratch, kib),
  };
}

async function growth(scratch: Scratch): Promise<Samples> {
  await grow(scratch);
  return { ours: [bytesIn(scratch.make('grown', 'ours'))], theirs: [STEPS * APPENDED_BYTES] };
}

async function growthOfBoth(scratch: Scratch): Promise<Samples> {
  await grow(scratch);
  const [ours, theirs] = [scratch.make('grown', 'ours'), scratch.make('grown', 'theirs')];
  return { ours: [bytesIn(ours)], theirs: [bytesIn(theirs)] };
}

async function reading(scratch: Scratch): Promise<Samples> {
  await grow(scratch);
  const sides = await openBoth(scratch, 'grown');
  const check = (state: unknown) => {
    if ((state as State).messages.length !== READ_STEP) throw new Error('that is another state');
  };
  try {
    return await alternate(
      { time: () => clock(async () => check(await sides.load(READ_STEP))) },
      { time: () => clock(async () => check(await sides.loadTheirs(READ_STEP))) },
    );
  } finally {
    await sides.close();
  }
}

async function savingOf(scratch: Scratch, kib: number): Promise<Samples> {
  const sides = await openBoth(scratch, `state-${kib}`);
  try {
    return await timeSaves(scratch, sides, kib);
  } finally {
    await sides.close();
  }
}

/** Once, whichever of the benchmarks comes first. */
async function grow(scratch: Scratch): Promise<void> {
  if (readdirSync(scratch.make('grown')).length > 0) return;
  const sides = await openBoth(scratch, 'grown');
  try {
    await appendSteps(sides.save, sides.saveTheirs);
  } finally {
    await sides.close();
  }
}

async function openBoth(scratch: Scratch, name: string): Promise<Sides> {
  const store = await sqliteStore({ directory: scratch.make(name, 'ours') });
  const { saver, close } = await openSaver(join(scratch.make(name, 'theirs'), 'saver.db'));
  return sidesOf(store, saver, async () => {
    close();
    await store.close();
  });
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
