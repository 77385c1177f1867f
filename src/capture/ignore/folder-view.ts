import type { ByteText } from './byte-text.ts';
import { type IgnoreFile, type PlacedPattern, type Rule, ruleOf } from './ignore-file.ts';
import { ANY_DEPTH, type Component } from './pattern.ts';

/** How far the folders on the way have led through a pattern: the components that may come next. */
interface Progress {
  readonly pattern: PlacedPattern;
  readonly next: readonly number[];
}

/**
 * One rule file as it counts in one folder at or below its own. Patterns for certain folders are
 * followed as the scan descends, so that judging a name never looks at the path before it, and
 * patterns that lead elsewhere are dropped for the whole subtree.
 */
export class FolderView {
  readonly #file: IgnoreFile;
  readonly #progress: readonly Progress[];
  /** All rules but those for plain names, strongest first. */
  readonly #rules: readonly Rule[];

  private constructor(file: IgnoreFile, progress: readonly Progress[]) {
    this.#file = file;
    this.#progress = progress;
    const here = progress.filter(isAtLast).map(({ pattern }) => ruleOf(pattern));
    this.#rules = here.length === 0 ? file.anywhere : strongestFirst([...here, ...file.anywhere]);
  }

  /** The view of the folder in which the file lies. */
  static of(file: IgnoreFile): FolderView {
    const start = (pattern: PlacedPattern): Progress => ({
      pattern,
      next: withAnyDepth(pattern.components, 0),
    });
    return new FolderView(file, file.anchored.map(start));
  }

  enter(name: ByteText): FolderView {
    // Nothing to follow: the view is the same however deep the folder.
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

/** As long as a "**" finds nothing to go on from. */
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

/** Null where the name leads nowhere, as any does from beyond the last component. */
function step(components: readonly Component[], at: number, name: ByteText): number | null {
  const component = components[at];
  if (component === ANY_DEPTH) return at;
  return component?.fits(name) ? at + 1 : null;
}

/** A "**" may stand for no folder at all. */
function withAnyDepth(components: readonly Component[], at: number): number[] {
  return components[at] === ANY_DEPTH ? [at, at + 1] : [at];
}
