import type { TrackedPath } from '../../model/path.ts';
import type { ByteText } from '../ignore/pattern.ts';
import { headOf } from './find-repository.ts';
import { checkEnvironment, type GitEnvironment, runGit } from './git-child.ts';
import { ENTRY, type IndexEntries, type IndexFile, OID_SIZE, readIndex } from './git-index.ts';
import { type Gathered, matchEntries, pathOf, type StatOf } from './match-entries.ts';
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
  { gitDir, top }: Repository,
  head: string,
  environment: GitEnvironment,
  signal: AbortSignal,
): Promise<ByteText> {
  const args = ['ls-tree', '-r', '-l', '-z', '--full-tree', head];
  return runGit({ gitDir, top, args, environment, signal });
}

async function readEntries(
  repository: Repository,
  environment: GitEnvironment,
  signal: AbortSignal,
): Promise<Pick<Gathered, 'index' | 'converted'>> {
  const index = await readIndex(repository);
  const { entries } = index;
  const converted = await convertedEntries(repository, entries, environment, signal);
  return { index, converted };
}

/**
 * Attributes with which a file and its object may differ although they have the same size. `ident` is one:
 * an object that was committed with an expanded `$Id: …$` gets another id of the same length. End-of-line
 * conversion is none: it always changes the size.
 */
const CONVERTING: readonly string[] = ['filter', 'working-tree-encoding', 'ident'];

/**
 * One byte for each entry, 1 where git may convert the file. Git is always asked, because only git knows
 * where its system file of attributes is. `--all` prints nothing for a path without attributes.
 */
async function convertedEntries(
  { gitDir, top }: Repository,
  entries: IndexEntries,
  environment: GitEnvironment,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const args = ['check-attr', '--all', '--stdin', '-z'];
  const input = Buffer.from(`${entries.paths.join('\0')}\0`, 'latin1');
  const call = { gitDir, top, needsWorktree: true, args, environment, input, signal } as const;
  return parseAttributes(await runGit(call), entries);
}

/** Parses `path NUL attribute NUL value NUL` …, in the order of the entries. */
function parseAttributes(printed: ByteText, { paths }: IndexEntries): Uint8Array {
  const converted = new Uint8Array(paths.length);
  let entry = 0;
  let at = 0;
  const nextField = (): ByteText => {
    const end = printed.indexOf('\0', at);
    if (end === -1) throw new Refusal('git-failed');
    const field = printed.slice(at, end);
    at = end + 1;
    return field;
  };
  while (at < printed.length) {
    const path = nextField();
    const name = nextField();
    const value = nextField();
    while (paths[entry] !== path) {
      if (entry >= paths.length) throw new Refusal('git-failed');
      entry += 1;
    }
    // A driver or encoding of the name "unset" would look the same, but none can be in force.
    if (CONVERTING.includes(name) && value !== 'unset') converted[entry] = 1;
  }
  return converted;
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
  const { bytes, paths, at } = index.entries;
  for (const i of held) {
    const path = pathOf((paths[i] as ByteText).slice(prefixLength));
    const oidAt = (at[i] as number) + ENTRY.oid;
    const oid = bytes.subarray(oidAt, oidAt + OID_SIZE);
    yield { path, oid, size: bytes.readUInt32BE((at[i] as number) + ENTRY.size) };
  }
}
