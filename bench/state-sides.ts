import type { Store } from 'savepoint';
import { ProjectStorage } from 'savepoint/execution';
import { checkpointOf, idOf, type Saver, type SaverConfig } from './langgraph-saver.ts';
import { alternate, clock, roundsWanted, type Samples } from './measure.ts';
import type { Scratch } from './scratch.ts';
import { mixedText } from './source-text.ts';

export const STEPS = 400;
export const APPENDED_BYTES: number = 4 * 1024;
/** What is measured of steps that each append to a list. */
export const GROWTH: string = `after ${STEPS} steps that each append 4 KiB to a list`;

interface Message {
  readonly role: string;
  readonly content: string;
}

export interface State {
  readonly step: number;
  readonly messages: readonly Message[];
}

/** Who keeps the state of an execution after each step: we, and LangGraph's saver. */
export interface Sides {
  save(step: number, state: State): Promise<void>;
  load(step: number): Promise<unknown>;
  saveTheirs(step: number, state: State): Promise<void>;
  loadTheirs(step: number): Promise<unknown>;
  close(): Promise<void>;
}

export function sidesOf(store: Store, saver: Saver, close: () => Promise<void>): Sides {
  return { ...ourSide(store), ...theirSide(saver), close };
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
      const metadata = { source: 'loop', step };
      await saver.put(configOf(parent), checkpointOf(step, state), metadata, { state: step });
    },
    loadTheirs: async (step) =>
      (await saver.getTuple(configOf(idOf(step))))?.checkpoint.channel_values.state,
  };
}

/** Saves of a state of this size in which one message changes. */
export function timeSaves(scratch: Scratch, sides: Sides, kib: number): Promise<Samples> {
  const size = Math.min(1024, (kib * 1024) / 2);
  const base = Array.from({ length: (kib * 1024) / size }, (_, at) => messageOf(at, size));
  const stateAt = (step: number): State => ({
    step,
    messages: [...base.slice(0, -1), messageOf(1_000_000 + step, size)],
  });
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
  return alternate({ time: inARow(sides.save) }, { time: inARow(sides.saveTheirs) }, rounds);
}

/** Each step appends a message to the list that the state is. */
export async function appendSteps(...saves: readonly Sides['save'][]): Promise<void> {
  const messages: Message[] = [];
  for (let step = 1; step <= STEPS; step += 1) {
    messages.push(messageOf(step, APPENDED_BYTES));
    for (const save of saves) await save(step, { step, messages });
  }
}

/** Text that is never the same twice. */
export function messageOf(seed: number, bytes: number): Message {
  return { role: 'assistant', content: Buffer.from(mixedText(bytes, seed)).toString() };
}
