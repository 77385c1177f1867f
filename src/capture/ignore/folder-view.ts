import { ancestors, nameOf, type TrackedPath } from '../../model/path.ts';
import {
  type IgnoreFile,
  type PlacedPattern,
  parseIgnore,
  type Rule,
  ruleOf,
} from './ignore-file.ts';
import { ANY_DEPTH, type ByteText, byteText, type Component } from './pattern.ts';

/** How much of a pattern the folders on the way have matched: the components that may come next. */
interface Progress {
  readonly pattern: PlacedPattern;
  readonly next: readonly number[];
}

/**
 * One rule file as it applies to one folder, its own or one below it. Patterns for certain folders are
 * followed while the scan descends. So a name is judged without the path before it, and patterns that
 * lead elsewhere are dropped for the whole subtree.
 */
export class FolderView {
  readonly #file: IgnoreFile;
  readonly #progress: readonly Progress[];
  /** All rules except those for plain names, strongest first. */
  readonly #rules: readonly Rule[];

  private constructor(file: IgnoreFile, progress: readonly Progress[]) {
    this.#file = file;
    this.#progress = progress;
    const here = progress.filter(isAtLast).map(({ pattern }) => ruleOf(pattern));
    this.#rules = here.length === 0 ? file.anywhere : strongestFirst([...here, ...file.anywhere]);
  }

  /** The view for the folder that holds the file. */
  static of(file: IgnoreFile): FolderView {
    const start = (pattern: PlacedPattern): Progress => ({
      pattern,
      next: withAnyDepth(pattern.components, 0),
    });
    return new FolderView(file, file.anchored.map(start));
  }

  enter(name: ByteText): FolderView {
    // Without patterns to follow, the view is the same for every folder below.
    if (this.#progress.length === 0) return this;
    const progress = this.#progress
      .map(({ pattern, next }) => ({ pattern, next: follow(pattern, next, name) }))
      .filter(({ next }) => next.length > 0);
    return isSame(progress, this.#progress) ? this : new FolderView(this.#file, progress);
  }

  /** Whether an entry is ignored; null where the file says nothing about it. */
  judge(name: ByteText, isDirectory: boolean): boolean | null {
    const named = this.#file.named.get(name);
    const plain = (isDirectory ? named?.directory : named?.file) ?? null;
    const found = this.#strongerThan(plain?.index ?? -1, name, isDirectory) ?? plain;
    return found === null ? null : !found.negated;
  }

  #strongerThan(index: number, name: ByteText, isDirectory: boolean): Rule | null {
    for (const rule of this.#rules) {
      if (rule.index < index) return null;
      if ((isDirectory || !rule.directoryOnly) && rule.name.fits(name)) return rule;
    }
    return null;
  }
}

/** True for example while a "**" finds no component after it. */
function isSame(a: readonly Progress[], b: readonly Progress[]): boolean {
  return (
    a.length === b.length && a.every(({ next }, index) => next.join() === b[index]?.next.join())
  );
}

function isAtLast({ pattern, next }: Progress): boolean {
  return next.includes(pattern.components.length - 1);
}

function strongestFirst(rules: Rule[]): Rule[] {
  return rules.sort((a, b) => b.index - a.index);
}

function follow({ components }: PlacedPattern, next: readonly number[], name: ByteText): number[] {
  const found = new Set<number>();
  for (const at of next) {
    const reached = step(components, at, name);
    if (reached !== null) for (const each of withAnyDepth(components, reached)) found.add(each);
  }
  return [...found];
}

/** Null where the name does not fit; beyond the last component no name does. */
function step(components: readonly Component[], at: number, name: ByteText): number | null {
  const component = components[at];
  if (component === ANY_DEPTH) return at;
  return component?.fits(name) ? at + 1 : null;
}

/** A "**" may match no folder at all. */
function withAnyDepth(components: readonly Component[], at: number): number[] {
  return components[at] === ANY_DEPTH ? [at, at + 1] : [at];
}

/** Whether patterns fit a path itself, or a folder above it. */
export type PathMatcher = (path: TrackedPath, isDirectory: boolean) => boolean;

const NONE: PathMatcher = () => false;

/**
 * Matches whole paths against patterns as in a .gitignore at the project's root. As in git, a "!" brings
 * nothing back below a folder that fits. The folders of a path outside of the project are counted from the
 * root of the file system.
 */
export function pathMatcher(patterns: readonly string[]): PathMatcher {
  if (patterns.length === 0) return NONE;
  const file = parseIgnore(patterns.join('\n'));
  return (path, isDirectory) => fits(file, path, isDirectory);
}

function fits(file: IgnoreFile, path: TrackedPath, isDirectory: boolean): boolean {
  let view = FolderView.of(file);
  for (const folder of ancestors(path)) {
    const name = byteText(nameOf(folder));
    if (view.judge(name, true) === true) return true;
    view = view.enter(name);
  }
  return view.judge(byteText(nameOf(path)), isDirectory) === true;
}
