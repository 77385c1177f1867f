import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { makeScratch, removeScratch } from '../e2e/scratch.ts';
import { canaryOf, type Tree } from '../e2e/tree-of.ts';

/** A project whose folder "dir" is swapped for a link to a folder outside while the body runs. */
export interface Arena {
  readonly base: string;
  readonly root: string;
  readonly dir: string;
  /** Whether anything at all has happened in the folder outside. Cheap: for every try. */
  escaped(): boolean;
}

export interface RaceResult<T> {
  readonly result: T;
  readonly swaps: number;
  readonly outside: { readonly before: Tree; readonly after: Tree };
}

/** The names that tries work on. Outside there are the same, so that a way through the link hits. */
export const NAMES: readonly string[] = ['file', 'made', 'mode', 'link', 'sub'];

/** What to do while the folder is swapped, and, once it stands still again, what to find out. */
export interface Contest<T> {
  run(): Promise<void> | void;
  result(): Promise<T> | T;
}

export async function race<T>(
  prepare: (arena: Arena) => Promise<Contest<T>> | Contest<T>,
): Promise<RaceResult<T>> {
  const base = makeScratch();
  try {
    const arena = makeArena(base);
    const contest = await prepare(arena);
    const outside = join(base, 'outside');
    const before = canaryOf(outside);
    const swaps = await whileSwapping(arena, () => contest.run());
    const result = await contest.result();
    return { result, swaps, outside: { before, after: canaryOf(outside) } };
  } finally {
    removeScratch(base);
  }
}

async function whileSwapping(arena: Arena, run: () => Promise<void> | void): Promise<number> {
  const swapper = await startSwapper(arena);
  let swaps = 0;
  try {
    await run();
  } finally {
    swaps = await stop(swapper);
  }
  return swaps;
}

function makeArena(base: string): Arena {
  const root = join(base, 'project');
  const dir = join(root, 'dir');
  const outside = join(base, 'outside');
  for (const folder of [dir, outside]) {
    mkdirSync(folder, { recursive: true });
    for (const name of NAMES) writeFileSync(join(folder, name), 'outside\n', { mode: 0o644 });
  }
  const watched = [outside, ...NAMES.map((name) => join(outside, name))];
  const times = () => watched.map((path) => statSync(path, { bigint: true }).ctimeNs).join();
  const start = times();
  return { base, root, dir, escaped: () => gone(watched) || times() !== start };
}

function gone(paths: readonly string[]): boolean {
  return paths.some((path) => statSync(path, { throwIfNoEntry: false }) === undefined);
}

type Swapper = ChildProcessByStdio<null, Readable, null>;

async function startSwapper({ base, dir }: Arena): Promise<Swapper> {
  const script = join(import.meta.dirname, 'swapper.ts');
  const args = [script, dir, join(base, 'project/aside'), join(base, 'outside')];
  const env = { PATH: process.env.PATH ?? '', HOME: base };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

/** Ends it between two swaps, and gives their number. */
async function stop(child: Swapper): Promise<number> {
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const closed = child.exitCode === null ? once(child, 'close') : null;
  child.kill('SIGTERM');
  await closed;
  if (said === '') throw new Error('the swapper gave up, so nothing was raced');
  return Number(said);
}
