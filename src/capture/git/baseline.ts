import type { TrackedPath } from '../../model/path.ts';
import { convertedEntries } from './attributes.ts';
import { headOf } from './find-repository.ts';
import { checkEnvironment, type GitEnvironment, runGit } from './git-child.ts';
import { ENTRY, type IndexFile, OID_SIZE, readIndex, textOf } from './git-index.ts';
import { type Gathered, matchEntries, type StatOf } from './match-entries.ts';
import { placesOf } from './packs.ts';
import { Refusal, type RefusedByGit, refusedBy } from './refusal.ts';
import {
  checkConfiguration,
  checkUnlocked,
  objectsOf,
  openRepository,
  type Repository,
} from './repository.ts';

/** A file of the project whose bytes git holds. */
export interface GitEntry {
  /** Relative to the project root. */
  readonly path: TrackedPath;
  /** 20 bytes. */
  readonly oid: Buffer;
  readonly size: number;
}

/** The files that need no copy. All other files of the project must be read. */
export interface GitBaseline {
  /** In ascending order of the paths' bytes. Each iteration makes them anew. */
  readonly entries: Iterable<GitEntry>;
  readonly count: number;
  /** The commit in whose tree all of them are. */
  readonly head: string;
}

export interface PendingBaseline {
  /** Compares git's answers with the scan's stats. Problems become a refusal; only bugs are thrown. */
  finish(statOf: StatOf): Promise<GitBaseline | RefusedByGit>;
  /** Stops git if it still runs. Resolves when its processes have ended. */
  cancel(): Promise<void>;
}

/**
 * Starts to ask git, so that git works while the caller scans. A file's stat may be taken before or after
 * the index is read: if both agree, the file had the object's bytes when its stat was taken.
 */
export function startGitBaseline(root: string, environment: GitEnvironment): PendingBaseline {
  const controller = new AbortController();
  const gathered = gather(root, environment, controller).catch(refusedBy);
  // `finish` reports the error; without this, a caller that never asks would leave it unhandled.
  gathered.catch(() => {});
  return {
    finish: async (statOf) => {
      const found = await gathered;
      return 'refused' in found ? found : finish(found, statOf);
    },
    cancel: async () => {
      controller.abort();
      await gathered;
    },
  };
}

async function gather(
  root: string,
  environment: GitEnvironment,
  controller: AbortController,
): Promise<Gathered> {
  const { signal } = controller;
  checkEnvironment(environment);
  const repository = openRepository(root);
  checkUnlocked(repository);
  await checkConfiguration(repository, environment, signal);
  const head = headOf(repository.gitDir);
  if (head === null) throw new Refusal('no-commit');
  const tree = listTree(repository, head, environment, signal);
  const entries = readEntries(repository, environment, signal);
  try {
    const [listing, { index, converted }] = await Promise.all([tree, entries]);
    return { repository, head, index, listing, converted };
  } catch (error) {
    // If one fails, the other is useless: it is stopped, and waited for.
    controller.abort();
    await Promise.allSettled([tree, entries]);
    throw error;
  }
}

function listTree(
  { gitDir }: Repository,
  head: string,
  environment: GitEnvironment,
  signal: AbortSignal,
): Promise<Buffer> {
  const args = ['ls-tree', '-r', '-l', '-z', '--full-tree', head];
  return runGit({ gitDir, top: null, args, environment, signal });
}

async function readEntries(
  repository: Repository,
  environment: GitEnvironment,
  signal: AbortSignal,
): Promise<Pick<Gathered, 'index' | 'converted'>> {
  const index = await readIndex(repository);
  const { entries } = index;
  const converted = await convertedEntries({ repository, entries, environment, signal });
  return { index, converted };
}

function finish(gathered: Gathered, statOf: StatOf): GitBaseline | RefusedByGit {
  const { repository, index, head } = gathered;
  try {
    checkUnlocked(repository);
    const held = matchEntries(gathered, statOf);
    const places = placesOf(objectsOf(repository.commonDir), oidsOf(index, held));
    const missing = new Set(places.missing);
    const kept = missing.size === 0 ? held : held.filter((_, position) => !missing.has(position));
    const prefixLength = Buffer.byteLength(repository.prefix);
    const entries = { [Symbol.iterator]: () => entriesOf(index, kept, prefixLength) };
    return { entries, count: kept.length, head };
  } catch (error) {
    return refusedBy(error);
  }
}

function oidsOf(index: IndexFile, held: readonly number[]): Buffer {
  const oids = Buffer.allocUnsafe(held.length * OID_SIZE);
  held.forEach((i, position) => {
    const from = (index.entries.at[i] as number) + ENTRY.oid;
    index.entries.bytes.copy(oids, position * OID_SIZE, from, from + OID_SIZE);
  });
  return oids;
}

function* entriesOf(
  index: IndexFile,
  held: readonly number[],
  prefixLength: number,
): Generator<GitEntry> {
  const { bytes, paths, pathStart, pathEnd } = index.entries;
  for (const i of held) {
    const start = (pathStart[i] as number) + prefixLength;
    const path = textOf(paths, start, pathEnd[i] as number);
    const at = index.entries.at[i] as number;
    const oid = bytes.subarray(at + ENTRY.oid, at + ENTRY.oid + OID_SIZE);
    yield { path, oid, size: bytes.readUInt32BE(at + ENTRY.size) };
  }
}
