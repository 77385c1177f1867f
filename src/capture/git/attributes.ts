import type { ByteText } from '../ignore/pattern.ts';
import { type GitEnvironment, runGit } from './git-child.ts';
import type { IndexEntries } from './git-index.ts';
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
  const input = Buffer.from(`${entries.paths.join('\0')}\0`, 'latin1');
  return parse(await runGit({ gitDir, top, args, environment, input, signal }), entries);
}

/** Parses `path NUL attribute NUL value NUL` …, in the order of the entries. */
function parse(printed: ByteText, { paths }: IndexEntries): Uint8Array {
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
