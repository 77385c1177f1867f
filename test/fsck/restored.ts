import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isSavepointError, type Savepoint } from '../../src/index.ts';
import type { SampleStore } from './sample-store.ts';

/** Files of a folder; not git's, nor what a restore that was cut short has left for the next start. */
export type Files = ReadonlyMap<string, string>;

export function filesIn(folder: string): Files {
  const files = new Map<string, string>();
  if (!existsSync(folder)) return files;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const isAside = name.startsWith('.git') || name.includes('.savepoint-');
    if (!isAside && lstatSync(join(folder, name)).isFile()) {
      files.set(name, readFileSync(join(folder, name), 'latin1'));
    }
  }
  return files;
}

/** What comes of a store: the trees of its checkpoints, and the project after a rewind. */
export interface Restored {
  /** By the label or message of the checkpoint; null where it was refused, with a typed error. */
  readonly trees: ReadonlyMap<string, Files | null>;
  readonly before: Files;
  readonly after: Files;
}

const MESSAGES = ['m1', 'm4', 'm7'] as const;

/** Throws whatever is no error of ours. */
export async function restoreFrom(sample: SampleStore): Promise<Restored> {
  const before = filesIn(sample.project);
  const trees = new Map<string, Files | null>();
  await typed(async () => {
    const savepoint = await sample.open();
    try {
      for (const message of MESSAGES) {
        trees.set(message, (await typed(() => written(savepoint, sample, message))) ?? null);
      }
      await typed(async () => savepoint.rewind({ to: await idOf(savepoint, 'm2'), take: 'exact' }));
    } finally {
      await savepoint.close();
    }
  });
  return { trees, before, after: filesIn(sample.project) };
}

/** What is not as it is with a store that is whole, and was not there before either. */
export function wrongBytes(found: Restored, right: Restored): string[] {
  const wrong: string[] = [];
  for (const [message, files] of found.trees) {
    for (const [name, bytes] of files ?? []) {
      if (right.trees.get(message)?.get(name) !== bytes) wrong.push(`${message}: ${name}`);
    }
  }
  for (const [name, bytes] of found.after) {
    const isRight = right.after.get(name) === bytes || found.before.get(name) === bytes;
    if (!isRight) wrong.push(`rewound: ${name}`);
  }
  for (const name of found.before.keys()) {
    if (!found.after.has(name) && right.after.has(name)) wrong.push(`deleted: ${name}`);
  }
  return wrong;
}

async function written(savepoint: Savepoint, sample: SampleStore, message: string): Promise<Files> {
  const directory = join(sample.base, 'tree');
  rmSync(directory, { recursive: true, force: true });
  await savepoint.materialize(await idOf(savepoint, message), directory);
  return filesIn(directory);
}

async function idOf(savepoint: Savepoint, messageId: string): Promise<string> {
  const [found] = await savepoint.list({ messageId });
  return found?.id ?? 'none';
}

async function typed<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isSavepointError(error)) return undefined;
    throw error;
  }
}
