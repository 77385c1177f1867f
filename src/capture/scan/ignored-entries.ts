import { databaseOf } from '../../model/living-file.ts';
import { type IgnoreScope, isNestedGit, type Verdict } from '../ignore/ignore-scope.ts';
import { type EntryStat, isDirectoryMode, isFileMode, isLinkMode } from './entry-stat.ts';
import { isUnreadable } from './file-system.ts';
import { type LeftOutNames, NO_RULE_TEXTS, parseRules } from './folder-rules.ts';
import type { Child, FindKnown, KnownEntry, WalkContext } from './list-folder.ts';

/** A file that git ignores is kept up to this size. */
export const MAX_IGNORED_BYTES: number = 1024 * 1024;
/** A folder that git ignores is kept with at most so many entries in it and below it; a larger one is left out. */
export const MAX_IGNORED_ENTRIES = 200;

/** Which files that git ignores are kept, beside those of the previous index. */
export interface PrivateEntries {
  /** The paths that were kept before, also where they were gone or left out since. */
  readonly onRecord: ReadonlySet<string>;
  /** Whether other paths are kept as well. */
  readonly takesNew: boolean;
}

export const NO_PRIVATE_ENTRIES: PrivateEntries = { onRecord: new Set(), takesNew: true };

/** An entry that is taken, as far as its name tells. */
interface Choice {
  readonly name: string;
  readonly isDirectory: boolean;
  readonly isPrivate: boolean;
  /** Whether it is taken only if it is small. */
  readonly isLimited: boolean;
  readonly known: KnownEntry | null;
}

/**
 * Chooses among the entries of one folder. What the rules leave in scope is taken, and so are known entries
 * that are held. What git ignores is taken if it is small. In a folder with many ignored names, only those stay
 * that were kept before, and new files of the databases among them: the others are output of some program.
 */
export class EntryChooser {
  readonly #context: WalkContext;
  /** The path of the folder with "/" at its end; empty for the root. */
  readonly #prefix: string;
  readonly #scope: IgnoreScope;
  readonly #find: FindKnown;
  readonly #children: Child[] = [];
  readonly #leftOut: string[] = [];
  /** Entries that are taken if they are small, and that were never kept. */
  readonly #fresh = new Set<Child>();
  #limited = 0;

  constructor(context: WalkContext, path: string, scope: IgnoreScope, find: FindKnown) {
    this.#context = context;
    this.#prefix = path === '' ? '' : `${path}/`;
    this.#scope = scope;
    this.#find = find;
  }

  /** Null for an entry that is not taken, whatever its size. */
  judge(name: string, isDirectory: boolean): Choice | null {
    const known = this.#find(name, isDirectory);
    const verdict = this.#verdict(name, isDirectory, known);
    if (verdict === 'never') {
      // A nested repository is not whole without it, and nothing brings it back.
      if (isNestedGit(this.#prefix, name)) this.#leave(name);
      return null;
    }
    if (verdict === 'left-out') {
      this.#leave(name);
      return null;
    }
    const isLimited = verdict === 'ignored';
    return { name, isDirectory, isPrivate: isLimited || verdict === 'private', isLimited, known };
  }

  take(judged: Choice, stat: EntryStat): void {
    const { name } = judged;
    const isDirectory = isDirectoryMode(stat.mode);
    // If a file became a folder or the reverse since the folder was read, other rules apply to it.
    const choice = isDirectory === judged.isDirectory ? judged : this.judge(name, isDirectory);
    if (choice === null) return;
    const { isPrivate, isLimited, known } = choice;
    if (isLimited && !this.#isSmall(name, stat, known)) {
      this.#leave(name);
      return;
    }
    const child = { name, key: isDirectory ? `${name}/` : name, stat, isDirectory, isPrivate };
    this.#children.push(child);
    if (!isLimited) return;
    this.#limited += 1;
    const wasKept = known !== null || this.#context.privates.onRecord.has(this.#prefix + name);
    if (!wasKept) this.#fresh.add(child);
  }

  children(): Child[] {
    if (this.#takesFresh) return this.#children;
    const known = this.#children.filter((child) => !this.#fresh.has(child));
    const databases = new Set(known.map(({ name }) => databaseOf(name)));
    return this.#children.filter(
      (child) => !this.#fresh.has(child) || databases.has(databaseOf(child.name)),
    );
  }

  get leftOut(): LeftOutNames {
    const isLong = this.#leftOut.length > MAX_IGNORED_ENTRIES;
    return isLong || (!this.#takesFresh && this.#fresh.size > 0) ? 'many' : this.#leftOut;
  }

  get #takesFresh(): boolean {
    return this.#limited <= MAX_IGNORED_ENTRIES && this.#context.privates.takesNew;
  }

  #verdict(name: string, isDirectory: boolean, known: KnownEntry | null): Verdict {
    if (known?.isHeld && !known.isPrivate) return 'in-scope';
    const verdict = this.#scope.judge(name, isDirectory);
    const isHeldBack = verdict === 'left-out' && known?.isHeld && this.#scope.keepsIgnored;
    return isHeldBack ? 'ignored' : verdict;
  }

  #isSmall(name: string, { mode, size }: EntryStat, known: KnownEntry | null): boolean {
    if (!isDirectoryMode(mode)) {
      return (isFileMode(mode) && size <= MAX_IGNORED_BYTES) || isLinkMode(mode);
    }
    // Folders in a folder that is ignored were counted together with it.
    return this.#scope.isIgnored || known?.isQuiet || this.#isSmallTree(name);
  }

  /** Stops at the first entry too many: the folder may hold a hundred thousand. */
  #isSmallTree(name: string): boolean {
    const { control, fileSystem, root } = this.#context;
    const rules = parseRules(NO_RULE_TEXTS);
    let room = MAX_IGNORED_ENTRIES;
    const open = [
      { at: `${root}/${this.#prefix}${name}`, scope: this.#scope.enter(name, rules, true) },
    ];
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      control.checkNow();
      const { at, scope } = folder;
      try {
        if (!fileSystem.hasAtMost(at, room)) return false;
        for (const entry of fileSystem.list(at)) {
          room -= 1;
          if (!entry.isDirectory || scope.judge(entry.name, true) !== 'ignored') continue;
          open.push({ at: `${at}/${entry.name}`, scope: scope.enter(entry.name, rules) });
        }
      } catch (error) {
        // The walk comes to the folder itself, and says that it cannot be read.
        if (!isUnreadable(error)) throw error;
      }
      if (room < 0) return false;
    }
    return true;
  }

  #leave(name: string): void {
    if (this.#leftOut.length <= MAX_IGNORED_ENTRIES) this.#leftOut.push(name);
  }
}
