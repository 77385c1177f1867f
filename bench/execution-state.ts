import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Store, sqliteStore } from 'savepoint';
import { ProjectStorage } from 'savepoint/execution';
import { atMost, type Bar, type Benchmark, type Course, fasterBy } from './benchmark.ts';
import {
  checkpointOf,
  idOf,
  openSaver,
  SAVER,
  type Saver,
  type SaverConfig,
} from './langgraph-saver.ts';
import { alternate, clock, roundsWanted, type Samples } from './measure.ts';
import type { Scratch } from './scratch.ts';
import { mixedText } from './source-text.ts';

const STEPS = 400;
const APPENDED_BYTES = 4 * 1024;
const READ_STEP = 200;

interface Message {
  readonly role: string;
  readonly content: string;
}

interface State {
  readonly step: number;
  readonly messages: readonly Message[];
}

const GROWTH = `bytes on disk after ${STEPS} steps that each append 4 KiB to a list`;

/** The state of an execution, step by step, against who keeps it whole each time. */
export const EXECUTION_STATE: readonly Course[] = [
  {
    benchmarks: [
      { name: GROWTH, against: 'the bytes appended', bar: atMost(3), unit: 'bytes', run: growth },
      { name: GROWTH, against: SAVER, bar: null, unit: 'bytes', run: growthOfBoth },
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
  const size = Math.min(1024, (kib * 1024) / 2);
  const base = Array.from({ length: (kib * 1024) / size }, (_, at) => messageOf(at, size));
  const stateAt = (step: number): State => ({
    step,
    messages: [...base.slice(0, -1), messageOf(1_000_000 + step, size)],
  });
  try {
    const many = kib < 500 ? 100 : 20;
    // Several in a row: what a database puts off for a while belongs to what it costs.
    const inARow = (save: Sides['save']) => async (round: number) => {
      const states = Array.from({ length: many }, (_, nth) => stateAt(round * many + nth));
      await scratch.settle();
      const took = await clock(async () => {
        for (const state of states) await save(state.step, state);
      });
      return took / many;
    };
    // Enough for both to be compiled, and for their logs to have grown to the size that they keep.
    const rounds = { counted: roundsWanted(31), warmUp: 20 };
    return await alternate(
      { time: inARow(sides.save) },
      { time: inARow(sides.saveTheirs) },
      rounds,
    );
  } finally {
    await sides.close();
  }
}

/** Once, whichever of the benchmarks comes first. */
async function grow(scratch: Scratch): Promise<void> {
  if (readdirSync(scratch.make('grown')).length > 0) return;
  const sides = await openBoth(scratch, 'grown');
  const messages: Message[] = [];
  try {
    for (let step = 1; step <= STEPS; step += 1) {
      messages.push(messageOf(step, APPENDED_BYTES));
      await sides.save(step, { step, messages });
      await sides.saveTheirs(step, { step, messages });
    }
  } finally {
    await sides.close();
  }
}

/** Text that is never the same twice. */
function messageOf(seed: number, bytes: number): Message {
  return { role: 'assistant', content: Buffer.from(mixedText(bytes, seed)).toString() };
}

interface Sides {
  save(step: number, state: State): Promise<void>;
  load(step: number): Promise<unknown>;
  saveTheirs(step: number, state: State): Promise<void>;
  loadTheirs(step: number): Promise<unknown>;
  close(): Promise<void>;
}

async function openBoth(scratch: Scratch, name: string): Promise<Sides> {
  const store = await sqliteStore({ directory: scratch.make(name, 'ours') });
  const { saver, close } = await openSaver(join(scratch.make(name, 'theirs'), 'saver.db'));
  return {
    ...ourSide(store),
    ...theirSide(saver),
    close: async () => {
      close();
      await store.close();
    },
  };
}

function ourSide(store: Store): Pick<Sides, 'save' | 'load'> {
  const documents = new ProjectStorage({ store, lockTimeoutMs: 1_000 });
  return {
    save: async (step, state) => {
      await documents.save('checkpoint', `step-${step}`, state);
    },
    load: (step) => documents.load('checkpoint', `step-${step}`),
  };
}

function theirSide(saver: Saver): Pick<Sides, 'saveTheirs' | 'loadTheirs'> {
  const configOf = (checkpoint?: string): SaverConfig => ({
    configurable: {
      thread_id: 'thread',
      checkpoint_ns: '',
      ...(checkpoint === undefined ? {} : { checkpoint_id: checkpoint }),
    },
  });
  return {
    saveTheirs: async (step, state) => {
      const parent = step === 0 ? undefined : idOf(step - 1);
      await saver.put(configOf(parent), checkpointOf(step, state), { source: 'loop', step });
    },
    loadTheirs: async (step) =>
      (await saver.getTuple(configOf(idOf(step))))?.checkpoint.channel_values.state,
  };
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
