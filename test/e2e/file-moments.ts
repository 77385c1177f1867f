import fs, { readlinkSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import {
  openSavepoint,
  type Savepoint,
  type Store,
  sqliteStore,
  storeDirectory,
} from '../../src/index.ts';
import type { Bed } from './engine-bed.ts';

const CALLS = [
  'openSync',
  'renameSync',
  'linkSync',
  'unlinkSync',
  'mkdirSync',
  'rmdirSync',
  'symlinkSync',
  'chmodSync',
] as const;

/** The first call of the engine to a function of node:fs whose last path is like that. */
export interface Moment {
  readonly call: (typeof CALLS)[number];
  readonly path: RegExp;
  /** What happens just before the call is made; what it throws, the call throws. */
  readonly act: () => void;
}

/** Runs `work`, and lets things happen in between that no test could time, one after the other. */
export async function atMoments<T>(moments: readonly Moment[], work: () => Promise<T>): Promise<T> {
  const waiting = [...moments];
  const undo = beforeEachCall((call, path) => {
    const [next] = waiting;
    if (next?.call !== call || !next.path.test(path)) return;
    waiting.shift();
    next.act();
  });
  const result = await work().finally(undo);
  // A moment that never came would make a test pass that shows nothing.
  const [missed] = waiting;
  if (missed !== undefined) throw new Error(`no ${missed.call} of ${missed.path}`);
  return result;
}

/** The file system says no. */
export function failsWith(code: string): () => never {
  return () => {
    throw Object.assign(new Error(`${code}: injected`), { code });
  };
}

/** Runs `work` on a file system that refuses these calls, all the time, where their last path is like that. */
export async function withoutCalls<T>(
  calls: readonly Moment['call'][],
  code: string,
  work: () => Promise<T>,
  paths: RegExp = /./,
): Promise<T> {
  const undo = beforeEachCall((call, path) => {
    if (calls.includes(call) && paths.test(path)) failsWith(code)();
  });
  return work().finally(undo);
}

/** Runs `work` as on a file system on which a file has only one name. */
export function withoutHardLinks<T>(work: () => Promise<T>): Promise<T> {
  return withoutCalls(['linkSync'], 'EPERM', work);
}

/** A waiting file does not get its name, neither by a link nor by the rename that is tried instead. */
export function nameRefused(path: RegExp, act: () => void = failsWith('EIO')): Moment[] {
  return [
    { call: 'linkSync', path, act },
    { call: 'renameSync', path, act: failsWith('EIO') },
  ];
}

/** Refuses the next name like that, in a process that is at its end afterwards. */
export function refuseName(name: RegExp): void {
  const undo = beforeEachCall((call, path) => {
    if (!name.test(path) || (call !== 'linkSync' && call !== 'renameSync')) return;
    if (call === 'renameSync') undo();
    failsWith('EIO')();
  });
}

/**
 * Lets a savepoint of its own work in the bed's project, and stops it dead at a moment, as a kill does:
 * from there on it changes neither files nor store. The bed's own one is closed; reopen it afterwards.
 */
export async function dieAt(
  bed: Bed,
  moment: Omit<Moment, 'act'>,
  work: (savepoint: Savepoint) => Promise<unknown>,
  earlier: readonly Moment[] = [],
): Promise<void> {
  await bed.savepoint.close();
  let dead = false;
  const stop = (): void => {
    if (dead) failsWith('EIO')();
  };
  const die = (): void => {
    dead = true;
    stop();
  };
  const store = await sqliteStore({ directory: storeDirectory(bed.home, bed.root) });
  const savepoint = await openSavepoint({ project: bed.root, store: mortal(store, stop) });
  await atMoments([...earlier, { ...moment, act: die }], async () => {
    const undo = beforeEachCall(stop);
    await work(savepoint).catch(() => undefined);
    await savepoint.close().finally(undo);
  });
}

/** The same store, until `stop` throws. */
function mortal(store: Store, stop: () => void): Store {
  const commit: Store['timeline']['commit'] = async (batch) => {
    stop();
    return store.timeline.commit(batch);
  };
  const timeline = { ...store.timeline, commit };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'timeline') return timeline;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

type AnyCall = (...args: unknown[]) => unknown;

function beforeEachCall(look: (call: Moment['call'], path: string) => void): () => void {
  const table = fs as unknown as Record<Moment['call'], AnyCall>;
  const before = CALLS.map((call) => [call, table[call]] as const);
  for (const [call, original] of before) {
    table[call] = (...args) => {
      if (changes(call, args)) look(call, pathOf(call, args));
      return original(...args);
    };
  }
  syncBuiltinESMExports();
  return () => {
    for (const [call, original] of before) table[call] = original;
    syncBuiltinESMExports();
  };
}

function changes(call: Moment['call'], [, flags]: readonly unknown[]): boolean {
  return call !== 'openSync' || (Number(flags) & fs.constants.O_CREAT) !== 0;
}

const TWO_PATHS: readonly string[] = ['renameSync', 'linkSync', 'symlinkSync'];

/** The engine goes through descriptors; here they have names. */
function pathOf(call: Moment['call'], args: readonly unknown[]): string {
  const path = String(TWO_PATHS.includes(call) ? args[1] : args[0]);
  const [, folder, rest = ''] = /^(\/proc\/self\/fd\/\d+)(\/.*)?$/s.exec(path) ?? [];
  return folder === undefined ? path : readlinkSync(folder) + rest;
}
