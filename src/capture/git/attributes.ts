import { type GitEnvironment, runGit } from './git-child.ts';
import { comparePaths, type IndexEntries, type PathBytes } from './git-index.ts';
import { Refusal } from './refusal.ts';
import type { Repository } from './repository.ts';

/**
 * Attributes with which a file and its object may differ although they have the same size. `ident` is one:
 * an object that was committed with an expanded `$Id: …$` gets another id of the same length. End-of-line
 * conversion is none: it always changes the size.
 */
const CONVERTING: readonly string[] = ['filter', 'working-tree-encoding', 'ident'];

export interface AttributesQuery {
  readonly repository: Repository;
  readonly entries: IndexEntries;
  readonly environment: GitEnvironment;
  readonly signal: AbortSignal;
}

/**
 * One byte for each entry, 1 where git may convert the file. Git is always asked, because only git knows
 * where its system file of attributes is. `--all` prints nothing for a path without attributes.
 */
export async function convertedEntries(query: AttributesQuery): Promise<Uint8Array> {
  const { repository, entries, environment, signal } = query;
  const { gitDir, top } = repository;
  const args = ['check-attr', '--all', '--stdin', '-z'];
  const input = joinPaths(entries);
  return parse(await runGit({ gitDir, top, args, environment, input, signal }), entries);
}

function joinPaths({ count, paths, pathStart, pathEnd }: IndexEntries): Buffer {
  let size = count;
  for (let i = 0; i < count; i += 1) size += (pathEnd[i] as number) - (pathStart[i] as number);
  const joined = Buffer.alloc(size);
  let at = 0;
  for (let i = 0; i < count; i += 1) {
    // The buffer is zeroed, so the NUL after the path is there already.
    at += paths.copy(joined, at, pathStart[i], pathEnd[i]) + 1;
  }
  return joined;
}

/** Parses `path NUL attribute NUL value NUL` …, in the order of the entries. */
function parse(printed: Buffer, entries: IndexEntries): Uint8Array {
  const converted = new Uint8Array(entries.count);
  const path: PathBytes = { bytes: printed, start: 0, end: 0 };
  let entry = 0;
  for (let at = 0; at < printed.length; ) {
    path.start = at;
    path.end = fieldEnd(printed, at);
    const nameEnd = fieldEnd(printed, path.end + 1);
    const valueEnd = fieldEnd(printed, nameEnd + 1);
    entry = entryOf(path, entries, entry);
    const name = printed.toString('latin1', path.end + 1, nameEnd);
    const value = printed.toString('latin1', nameEnd + 1, valueEnd);
    // A driver or encoding of the name "unset" would look the same, but none can be in force.
    if (CONVERTING.includes(name) && value !== 'unset') converted[entry] = 1;
    at = valueEnd + 1;
  }
  return converted;
}

function entryOf(path: PathBytes, entries: IndexEntries, from: number): number {
  const { count, paths, pathStart, pathEnd } = entries;
  for (let i = from; i < count; i += 1) {
    const candidate = { bytes: paths, start: pathStart[i] as number, end: pathEnd[i] as number };
    if (comparePaths(candidate, path) === 0) return i;
  }
  throw new Refusal('git-failed');
}

function fieldEnd(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(0, from);
  if (end === -1) throw new Refusal('git-failed');
  return end;
}
