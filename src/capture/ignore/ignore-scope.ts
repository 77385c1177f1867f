import { nameOf, type TrackedPath } from '../../model/path.ts';
import { protectionOf } from '../../model/protection.ts';
import { defaultFile, foldersBeside, isIgnoredOutput } from './default-rules.ts';
import { FolderView } from './folder-view.ts';
import { type IgnoreFile, parseIgnore } from './ignore-file.ts';
import { type ByteText, byteText } from './pattern.ts';

/** The rule files of a folder. As in git, a link in place of a .gitignore is not followed. */
export const IGNORE_FILE_NAMES: readonly string[] = ['.gitignore', '.savepointignore'];

/** Whether rules are read from a path: a rule file of any folder, or git's own. */
export function isRuleFile(path: TrackedPath): boolean {
  return IGNORE_FILE_NAMES.includes(nameOf(path)) || path.endsWith('.git/info/exclude');
}

/**
 * Files that say what is recorded. No rule hides them: the undo of a run must also bring back the rules as they
 * were, even where the run wrote a rule that hides every name.
 */
const SCOPE_FILES: ReadonlySet<string> = new Set([...IGNORE_FILE_NAMES, 'savepoint.config.json']);

export function isScopeFile(name: string): boolean {
  return SCOPE_FILES.has(name);
}

/** The rules of one folder, for its entries and all that is below them. */
export interface FolderRules {
  readonly gitignore: IgnoreFile | null;
  readonly savepointignore: IgnoreFile | null;
  /** The names of MARKER_NAMES that exist in it. */
  readonly markers: ReadonlySet<string>;
}

/** The texts of the rules that come from outside the project. */
export interface GlobalRules {
  readonly excludesFile: string | null;
  readonly infoExclude: string | null;
  /** Whether small files that git ignores are in scope too. Left out, they are not. */
  readonly keepIgnored?: boolean;
  /** Where the project lies below the top of a repository: the folders above it, outermost first. */
  readonly above?: readonly FolderAbove[];
}

export function sameGlobalRules(a: GlobalRules, b: GlobalRules): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export interface FolderAbove {
  readonly gitignore: string | null;
  /** The name of the folder in it that leads to the project. */
  readonly next: string;
}

/**
 * What the rules say about a name. `private`: in scope although git ignores it. `ignored`: git ignores it, and it
 * is kept all the same if it is small. `never`: git's own and ours, which nobody counts.
 */
export type Verdict = 'in-scope' | 'private' | 'ignored' | 'left-out' | 'never';

/** Whether rules take an entry, whatever its size. */
export function isInScope(verdict: Verdict): boolean {
  return verdict === 'in-scope' || verdict === 'private';
}

/** The rules in force in one folder. Immutable. */
export interface IgnoreScope {
  /** Whether the folder is kept although git ignores it, or is in such a folder: so is everything in it then. */
  readonly isIgnored: boolean;
  readonly keepsIgnored: boolean;
  /**
   * The scope of a child folder with its own rules. Returns the same scope where nothing differs.
   * `isPrivate`: git ignores the child, and it is taken all the same.
   */
  enter(name: string, own: FolderRules, isPrivate?: boolean): IgnoreScope;
  /** A link to a folder counts as a file. */
  judge(name: string, isDirectory: boolean): Verdict;
  /** Whether the rules hide an entry of this folder. */
  ignores(name: string, isDirectory: boolean): boolean;
}

export interface ScopeOptions {
  /**
   * Whether more counts than rules that somebody wrote: build output is left out, and files that say what is
   * recorded are not. True by default.
   */
  readonly defaults?: boolean;
}

export function rootScope(
  global: GlobalRules,
  own: FolderRules,
  { defaults = true }: ScopeOptions = {},
): IgnoreScope {
  const outer = [global.infoExclude, global.excludesFile].filter((text) => text !== null);
  const start: Layers = {
    savepointignore: [],
    gitignore: [],
    outer: outer.map((text) => FolderView.of(parseIgnore(text))),
    defaults: defaults ? [FolderView.of(defaultFile())] : [],
  };
  const options: ScopeSwitches = {
    defaults,
    keepsIgnored: global.keepIgnored ?? false,
    isPrivate: false,
    isIgnored: false,
  };
  const above = global.above ?? [];
  const folders = [...above.map(({ gitignore }) => rulesAbove(gitignore)), own];
  return above.reduce<Scope>(
    (scope, { next }, index) => scope.enter(next, folders[index + 1] ?? own),
    Scope.of(start, folders[0] ?? own, options),
  );
}

/** Whether the rules above a project would ignore the project itself. */
export function ignoresRoot(global: GlobalRules): boolean {
  const { above = [] } = global;
  if (above.length === 0) return false;
  let scope = rootScope({ ...global, above: [] }, rulesAbove(above[0]?.gitignore ?? null), {
    defaults: false,
  });
  return above.some(({ next }, index) => {
    if (scope.ignores(next, true)) return true;
    scope = scope.enter(next, rulesAbove(above[index + 1]?.gitignore ?? null));
    return false;
  });
}

function rulesAbove(gitignore: string | null): FolderRules {
  const file = gitignore === null ? null : parseIgnore(gitignore);
  return { gitignore: file, savepointignore: null, markers: new Set() };
}

/** The rule files in force, strongest first in each layer. */
interface Layers {
  readonly savepointignore: readonly FolderView[];
  readonly gitignore: readonly FolderView[];
  /** .git/info/exclude, the global file. */
  readonly outer: readonly FolderView[];
  readonly defaults: readonly FolderView[];
}

interface ScopeSwitches {
  readonly defaults: boolean;
  readonly keepsIgnored: boolean;
  /** Whether git ignores the folder, or one above it. */
  readonly isPrivate: boolean;
  /** As `isPrivate`, and no rule of .savepointignore has brought the folder back. */
  readonly isIgnored: boolean;
}

class Scope implements IgnoreScope {
  readonly #layers: Layers;
  readonly #switches: ScopeSwitches;
  readonly #gitRules: readonly FolderView[];
  /** Folders that are build output because of a marker file beside them. */
  readonly #buildOutput: ReadonlySet<string>;

  private constructor(layers: Layers, markers: ReadonlySet<string>, switches: ScopeSwitches) {
    this.#layers = layers;
    this.#switches = switches;
    this.#gitRules = [...layers.gitignore, ...layers.outer];
    this.#buildOutput = foldersBeside(switches.defaults ? markers : new Set());
  }

  /** `layers` come from above; `own` is the folder's. */
  static of(layers: Layers, own: FolderRules, switches: ScopeSwitches): Scope {
    const merged: Layers = {
      ...layers,
      savepointignore: withOwn(own.savepointignore, layers.savepointignore),
      gitignore: withOwn(own.gitignore, layers.gitignore),
    };
    return new Scope(merged, own.markers, switches);
  }

  get isIgnored(): boolean {
    return this.#switches.isIgnored;
  }

  get keepsIgnored(): boolean {
    return this.#switches.keepsIgnored;
  }

  enter(name: string, own: FolderRules, isPrivate = false): Scope {
    const bytes = byteText(name);
    const layers: Layers = {
      savepointignore: enterAll(this.#layers.savepointignore, bytes),
      gitignore: enterAll(this.#layers.gitignore, bytes),
      outer: enterAll(this.#layers.outer, bytes),
      defaults: enterAll(this.#layers.defaults, bytes),
    };
    const switches = {
      ...this.#switches,
      isPrivate: isPrivate || this.#switches.isPrivate,
      isIgnored: this.isIgnored || (isPrivate && !isInScope(this.judge(name, true))),
    };
    const isAsHere =
      switches.isPrivate === this.#switches.isPrivate && switches.isIgnored === this.isIgnored;
    return isAsHere && this.#isSame(layers, own) ? this : Scope.of(layers, own, switches);
  }

  ignores(name: string, isDirectory: boolean): boolean {
    return !isInScope(this.judge(name, isDirectory));
  }

  judge(name: string, isDirectory: boolean): Verdict {
    if (isNeverTracked(name)) return 'never';
    const bytes = byteText(name);
    const byGit = this.isIgnored || firstOf(this.#gitRules, bytes, isDirectory);
    const verdict = this.#byRules(name, bytes, isDirectory, byGit);
    const isTaken = verdict === 'in-scope' || (this.#switches.defaults && isScopeFile(name));
    if (!isTaken) return verdict;
    return byGit || this.#switches.isPrivate ? 'private' : 'in-scope';
  }

  /** `byGit`: what git's rules say about the name; null where none is about it. */
  #byRules(
    name: string,
    bytes: ByteText,
    isDirectory: boolean,
    byGit: boolean | null,
  ): 'in-scope' | 'ignored' | 'left-out' {
    const told = firstOf(this.#layers.savepointignore, bytes, isDirectory);
    if (told === true) return 'left-out';
    // As in git, nothing comes back into scope below a folder that is ignored.
    if (byGit === false || (told === false && !this.isIgnored)) return 'in-scope';
    const isOutput =
      firstOf(this.#layers.defaults, bytes, isDirectory) === true ||
      (isDirectory && this.#buildOutput.has(name));
    if (byGit === null) return isOutput ? 'left-out' : 'in-scope';
    const isKept = this.keepsIgnored && !isOutput && !(isDirectory && isIgnoredOutput(name));
    return isKept ? 'ignored' : 'left-out';
  }

  #isSame(layers: Layers, own: FolderRules): boolean {
    return (
      own.gitignore === null &&
      own.savepointignore === null &&
      own.markers.size === 0 &&
      this.#buildOutput.size === 0 &&
      layers.savepointignore === this.#layers.savepointignore &&
      layers.gitignore === this.#layers.gitignore &&
      layers.outer === this.#layers.outer &&
      layers.defaults === this.#layers.defaults
    );
  }
}

/** What the strongest rule about a name says; null where none is about it. */
function firstOf(
  views: readonly FolderView[],
  name: ByteText,
  isDirectory: boolean,
): boolean | null {
  for (const view of views) {
    const verdict = view.judge(name, isDirectory);
    if (verdict !== null) return verdict;
  }
  return null;
}

function withOwn(own: IgnoreFile | null, above: readonly FolderView[]): readonly FolderView[] {
  return own === null ? above : [FolderView.of(own), ...above];
}

/** The same list again where no view differs, as in most folders of most projects. */
function enterAll(views: readonly FolderView[], name: ByteText): readonly FolderView[] {
  const entered = views.map((view) => view.enter(name));
  return entered.every((view, index) => view === views[index]) ? views : entered;
}

/** The prefix of a restore's companions, and of the file that a step of an execution is writing. */
const COMPANION_PREFIX = '.savepoint-';

/** Names that no rule brings into scope: git's own folder or file, and files with our prefix. */
function isNeverTracked(name: string): boolean {
  return mayBeGit(name.charCodeAt(0))
    ? name.startsWith(COMPANION_PREFIX) || protectionOf(name as TrackedPath) === 'git'
    : false;
}

/** Whether a name is the `.git` of a nested repository. `folder` is the path of its folder; empty for the root. */
export function isNestedGit(folder: string, name: string): boolean {
  return folder !== '' && protectionOf(name as TrackedPath) === 'git';
}

/** A quick test by the first character, since every name is asked: ".git", "git~1", or an invisible mark. */
function mayBeGit(first: number): boolean {
  return first === 0x2e || first === 0x67 || first === 0x47 || first > 0x7f;
}
