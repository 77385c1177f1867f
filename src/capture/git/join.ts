import { lstatSync } from 'node:fs';
import { pathToBytes, type TrackedPath } from '../../model/path.ts';
import { isCommitted, isUntouched } from './entry-match.ts';
import { type FileStat, fileStatOf } from './file-stat.ts';
import { endsWith, type PathBytes, startsWith, textOf } from './path-bytes.ts';
import type { IndexFile } from './read-index.ts';
import type { Repository } from './repository.ts';
import { TreeListing } from './tree-listing.ts';

/** What the scan's `lstat` said of a path of the project; null for what is not in scope, or no file. */
export type StatOf = (path: TrackedPath) => FileStat | null;

export interface Gathered {
  readonly repository: Repository;
  readonly head: string;
  readonly index: IndexFile;
  /** What `ls-tree` printed for `head`. */
  readonly listing: Buffer;
  /** One byte for each entry of the index, 1 where git may convert the file. */
  readonly converted: Uint8Array;
}

const ATTRIBUTES = Buffer.from('.gitattributes');
const SLASH = 47;
const MAX_UNSETTLED = 200;

/** The entries of the index, by position, whose files hold exactly the bytes of HEAD's objects. */
export function joinWithStats(gathered: Gathered, statOf: StatOf): number[] {
  return new Join(gathered, statOf).run();
}

/** Index and HEAD's tree have one order, so that both are gone through once, side by side. */
class Join {
  readonly #gathered: Gathered;
  readonly #statOf: StatOf;
  readonly #tree: TreeListing;
  readonly #prefix: Uint8Array;
  readonly #held: number[] = [];
  /** Folders whose attributes differ between HEAD, index and worktree, each ending with "/". */
  readonly #unsettled: Uint8Array[] = [];

  constructor(gathered: Gathered, statOf: StatOf) {
    this.#gathered = gathered;
    this.#statOf = statOf;
    this.#tree = new TreeListing(gathered.listing);
    this.#prefix = pathToBytes(gathered.repository.prefix);
  }

  run(): number[] {
    const { count } = this.#gathered.index.entries;
    let inTree = this.#tree.next();
    const path = { bytes: this.#gathered.index.entries.paths, start: 0, end: 0 };
    for (let i = 0; i < count; i += 1) {
      this.#moveTo(path, i);
      let order = inTree ? this.#tree.comparePath(path) : 1;
      for (; order < 0; order = inTree ? this.#tree.comparePath(path) : 1) {
        this.#settle(this.#tree.path, false);
        inTree = this.#tree.next();
      }
      this.#judge(i, path, order === 0);
      if (order === 0) inTree = this.#tree.next();
    }
    for (; inTree; inTree = this.#tree.next()) this.#settle(this.#tree.path, false);
    return this.#settled();
  }

  #moveTo(path: PathBytes, i: number): void {
    const { pathStart, pathEnd } = this.#gathered.index.entries;
    path.start = pathStart[i] as number;
    path.end = pathEnd[i] as number;
  }

  #judge(i: number, path: PathBytes, inTree: boolean): void {
    const inProject = startsWith(path, this.#prefix);
    if (!inProject && !this.#isAbove(path)) return;
    const held = inTree && this.#isHeld(i, path, inProject);
    if (held && inProject) this.#held.push(i);
    this.#settle(path, held);
  }

  #isHeld(i: number, path: PathBytes, inProject: boolean): boolean {
    const { index, converted } = this.#gathered;
    if (converted[i] !== 0 || !isCommitted(index, i, this.#tree)) return false;
    const stat = inProject ? this.#statInProject(path) : this.#statAbove(path);
    return stat !== null && isUntouched(index, i, stat, this.#tree.size);
  }

  #statInProject({ start, end }: PathBytes): FileStat | null {
    const { paths } = this.#gathered.index.entries;
    return this.#statOf(textOf(paths, start + this.#prefix.length, end));
  }

  /** The scan knows nothing of the folders above a project that is not the whole worktree. */
  #statAbove({ bytes, start, end }: PathBytes): FileStat | null {
    const top = Buffer.from(`${this.#gathered.repository.top}/`);
    const at = Buffer.concat([top, bytes.subarray(start, end)]);
    const stats = lstatSync(at, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? null : fileStatOf(stats);
  }

  /**
   * Git tells the attributes of now. Where the file that gives them is not the one in HEAD, others may
   * have been in force when the files were written, and nothing below it can be relied on.
   */
  #settle(path: PathBytes, held: boolean): void {
    if (held || !isAttributesFile(path)) return;
    if (!startsWith(path, this.#prefix) && !this.#isAbove(path)) return;
    this.#unsettled.push(path.bytes.subarray(path.start, path.end - ATTRIBUTES.length));
  }

  /** Whether a path gives attributes to the project from a folder above it. */
  #isAbove({ bytes, start, end }: PathBytes): boolean {
    if (!isAttributesFile({ bytes, start, end })) return false;
    const prefix = { bytes: this.#prefix, start: 0, end: this.#prefix.length };
    return startsWith(prefix, bytes.subarray(start, end - ATTRIBUTES.length));
  }

  #settled(): number[] {
    if (this.#unsettled.length === 0) return this.#held;
    // Each is compared with every path. So many are no accident.
    if (this.#unsettled.length > MAX_UNSETTLED) return [];
    const path = { bytes: this.#gathered.index.entries.paths, start: 0, end: 0 };
    return this.#held.filter((i) => {
      this.#moveTo(path, i);
      return !this.#unsettled.some((folder) => startsWith(path, folder));
    });
  }
}

function isAttributesFile(path: PathBytes): boolean {
  if (!endsWith(path, ATTRIBUTES)) return false;
  const before = path.end - ATTRIBUTES.length;
  return before === path.start || path.bytes[before - 1] === SLASH;
}
