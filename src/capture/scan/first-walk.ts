import type { TrackedPath } from '../../model/path.ts';
import { type GlobalRules, type IgnoreScope, rootScope } from '../ignore/ignore-scope.ts';
import type { EntryStat } from './entry-stat.ts';
import { type FolderRuleTexts, NO_RULE_TEXTS, parseRules } from './folder-rules.ts';
import { type BuiltIndex, type CopySource, IndexBuilder } from './index-builder.ts';
import { type Child, type Listing, listRoot, type WalkContext } from './list-folder.ts';
import { addFolder, addFresh, flagsOf, isPartial, listFresh } from './new-entries.ts';

/** A folder with its rules and those of the folders above it, from which a thread makes its scope. */
interface ScopeStep {
  readonly above: ScopeStep | null;
  /** Empty for the root. */
  readonly name: string;
  /** The folder's path with "/" at the end; empty for the root. */
  readonly prefix: string;
  readonly rules: FolderRuleTexts;
  readonly isPrivate: boolean;
}

/** A folder that was found but not read: a thread walks it with everything below it. */
export interface PartFolder {
  readonly above: ScopeStep;
  readonly name: string;
  readonly stat: EntryStat;
  readonly isPrivate: boolean;
}

/** The entries of several folders, one folder after the other. */
export interface WalkedPart {
  readonly source: CopySource;
  /** Where the entries of each folder (its own first) end. A folder that vanished has none. */
  readonly ends: readonly number[];
  readonly unreadable: readonly TrackedPath[];
}

/** Walks a part of a tree, in this thread or in a worker. */
export function walkPart(
  context: WalkContext,
  global: GlobalRules,
  folders: readonly PartFolder[],
): WalkedPart {
  const builder = new IndexBuilder();
  const scopes = new Map<ScopeStep, IgnoreScope>();
  const scopeOf = (step: ScopeStep): IgnoreScope => {
    const known = scopes.get(step);
    if (known !== undefined) return known;
    const own = parseRules(step.rules);
    const scope =
      step.above === null
        ? rootScope(global, own)
        : scopeOf(step.above).enter(step.name, own, step.isPrivate);
    scopes.set(step, scope);
    return scope;
  };
  const unreadable: TrackedPath[] = [];
  const onUnreadable = (path: TrackedPath) => unreadable.push(path);
  const walk = { context, builder, onEntry: null, onUnreadable };
  const ends = folders.map(({ above, name, stat, isPrivate }) => {
    const place = { folder: 0, prefix: above.prefix, scope: scopeOf(above) };
    addFresh(walk, place, { name, key: `${name}/`, stat, isDirectory: true, isPrivate });
    return builder.count;
  });
  const { columns, rules } = builder.finish();
  return { source: { columns, rules }, ends, unreadable };
}

/** The entries inside a folder: listed here, or found by a thread. */
type Inside = { readonly listing: Listing | 'unreadable' } | PartRange;

interface PartRange {
  readonly source: CopySource;
  /** From folder numbers of the source to those of the index. */
  readonly folders: Uint32Array;
  readonly from: number;
  readonly to: number;
}

interface Pending {
  readonly above: ScopeStep;
  readonly child: Child;
  readonly scope: IgnoreScope;
}

export interface HandOver {
  /** The number of entries below which threads are not worth their start. */
  readonly minEntries: number;
  /** The number of folders that must be left to share. */
  readonly minFolders: number;
}

/**
 * The first walk of a tree. It reads the upper levels breadth first until enough folders are left for
 * threads to share, and puts their parts into place at the end.
 */
export class FirstWalk {
  readonly unreadable: TrackedPath[] = [];
  readonly #context: WalkContext;
  readonly #root: Listing;
  readonly #inside = new Map<Child, Inside>();
  #pending: Pending[] = [];
  #found = 0;

  constructor(context: WalkContext, global: GlobalRules) {
    this.#context = context;
    this.#root = listRoot(context, {
      knownRules: NO_RULE_TEXTS,
      scopeWith: (rules) => rootScope(global, parseRules(rules)),
    });
    this.unreadable.push(...this.failedInRoot);
    const { rules } = this.#root;
    this.#await(this.#root, { above: null, name: '', prefix: '', rules, isPrivate: false });
  }

  get failedInRoot(): readonly TrackedPath[] {
    return [...this.#root.failed] as TrackedPath[];
  }

  /** Walks until nothing is left, or until there is enough to share; returns the folders to share. */
  readUpper({ minEntries, minFolders }: HandOver): readonly PartFolder[] {
    let read = 0;
    for (let next = this.#pending[0]; next !== undefined; next = this.#pending[read]) {
      if (this.#found > minEntries && this.#pending.length - read >= minFolders) break;
      read += 1;
      this.#read(next);
    }
    this.#pending = this.#pending.slice(read);
    return this.#pending.map(({ above, child }) => ({
      above,
      name: child.name,
      stat: child.stat,
      isPrivate: child.isPrivate,
    }));
  }

  /** Takes the part for the shared folders from number `first` on. */
  takePart(first: number, { source, ends, unreadable }: WalkedPart): void {
    for (const path of unreadable) this.unreadable.push(path);
    const folders = new Uint32Array(source.columns.sizes.folders);
    ends.forEach((to, at) => {
      const pending = this.#pending[first + at];
      const from = at === 0 ? 0 : (ends[at - 1] as number);
      if (pending !== undefined) this.#inside.set(pending.child, { source, folders, from, to });
    });
  }

  /** Puts all entries in order. */
  finish(): BuiltIndex {
    const builder = new IndexBuilder();
    builder.setRules(0, this.#root.rules);
    const open = [{ folder: 0, children: this.#root.children, next: 0 }];
    for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
      const child = frame.children[frame.next];
      frame.next += 1;
      if (child === undefined) {
        open.pop();
        continue;
      }
      const inside = this.#inside.get(child);
      if (!child.isDirectory) {
        builder.add(frame.folder, child.name, child.stat, flagsOf(this.#context, child));
      } else if (inside !== undefined && 'source' in inside) {
        // Entries at the top of a part are in its folder 0.
        inside.folders[0] = frame.folder;
        builder.copy(inside.source, inside.from, inside.to, inside.folders);
      } else if (inside !== undefined) {
        const { listing } = inside;
        const folder = addFolder(builder, this.#context, frame.folder, child, listing);
        if (listing !== 'unreadable') open.push({ folder, children: listing.children, next: 0 });
      }
    }
    return builder.finish();
  }

  #read({ above, child, scope }: Pending): void {
    const { prefix } = above;
    const { name, isPrivate } = child;
    const listing = listFresh(this.#context, { prefix, scope }, child);
    if (listing === 'missing') return;
    this.#inside.set(child, { listing });
    if (isPartial(listing)) this.unreadable.push((prefix + name) as TrackedPath);
    if (listing === 'unreadable') return;
    const { rules } = listing;
    this.#await(listing, { above, name, prefix: `${prefix}${name}/`, rules, isPrivate });
  }

  #await({ children, scope }: Listing, above: ScopeStep): void {
    this.#found += children.length;
    this.#context.control.countEntries(children.length);
    for (const child of children) {
      if (child.isDirectory) this.#pending.push({ above, child, scope });
    }
  }
}
