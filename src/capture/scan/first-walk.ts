import type { TrackedPath } from '../../model/path.ts';
import { type GlobalRules, type IgnoreScope, rootScope } from '../ignore/index.ts';
import { NO_RULE_TEXTS, parseRules } from './folder-rules.ts';
import { addFolder, isPartial, listFresh, racyFlag } from './fresh-walk.ts';
import { type BuiltIndex, type CopySource, IndexBuilder } from './index-builder.ts';
import { type Child, type Listing, listFolder, type WalkContext } from './list-folder.ts';
import { readableRoot } from './readable-root.ts';
import type { ScopeStep } from './scope-step.ts';
import type { PartFolder, WalkedPart } from './walk-part.ts';

/** What is in a folder: listed here, or found by another thread. */
type Inside = { readonly listing: Listing | 'unreadable' } | Range;

interface Range {
  readonly source: CopySource;
  /** From folder numbers of the source to those of the index. */
  readonly folders: Uint32Array;
  readonly from: number;
  readonly to: number;
}

interface Pending {
  readonly above: ScopeStep;
  readonly name: string;
  readonly child: Child;
  readonly scope: IgnoreScope;
}

export interface HandOver {
  /** The number of entries below which other threads are not worth their start. */
  readonly minEntries: number;
  /** The number of folders that there must be to share out. */
  readonly minFolders: number;
}

/**
 * The first walk of a tree. Reads the upper levels breadth first, until there is enough below for other
 * threads to share; what they find is put into its place in the end.
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
    const listing = listFolder(context, {
      path: '',
      knownRules: NO_RULE_TEXTS,
      scopeWith: (rules) => rootScope(global, parseRules(rules)),
    });
    this.#root = readableRoot(listing);
    this.unreadable.push(...([...this.#root.failed] as TrackedPath[]));
    this.#await(this.#root, { above: null, name: '', prefix: '', rules: this.#root.rules });
  }

  get partialRoot(): boolean {
    return this.#root.failed.size > 0;
  }

  /** Walks until nothing is left, or there is enough to hand over; returns the folders to hand over. */
  readUpper({ minEntries, minFolders }: HandOver): readonly PartFolder[] {
    let read = 0;
    for (let next = this.#pending[0]; next !== undefined; next = this.#pending[read]) {
      if (this.#found > minEntries && this.#pending.length - read >= minFolders) break;
      read += 1;
      this.#read(next);
    }
    this.#pending = this.#pending.slice(read);
    return this.#pending.map(({ above, name, child }) => ({ above, name, stat: child.stat }));
  }

  /** Takes what was found for the handed over folders from number `first` on. */
  takePart(first: number, { source, ends, unreadable }: WalkedPart): void {
    this.unreadable.push(...unreadable);
    const folders = new Uint32Array(source.columns.sizes.folders);
    ends.forEach((to, at) => {
      const pending = this.#pending[first + at];
      const from = at === 0 ? 0 : (ends[at - 1] as number);
      if (pending !== undefined) this.#inside.set(pending.child, { source, folders, from, to });
    });
  }

  /** Puts everything in order. */
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
        builder.add(frame.folder, child.name, child.stat, racyFlag(this.#context, child));
      } else if (inside !== undefined && 'source' in inside) {
        copyPart(builder, frame.folder, inside);
      } else if (inside !== undefined) {
        const { listing } = inside;
        const folder = addFolder(builder, this.#context, frame.folder, child, listing);
        if (listing !== 'unreadable') open.push({ folder, children: listing.children, next: 0 });
      }
    }
    return builder.finish();
  }

  #read({ above, name, child, scope }: Pending): void {
    const { prefix } = above;
    const listing = listFresh(this.#context, { prefix, scope }, name);
    if (listing === 'missing') return;
    this.#inside.set(child, { listing });
    if (isPartial(listing)) this.unreadable.push((prefix + name) as TrackedPath);
    if (listing === 'unreadable') return;
    this.#await(listing, { above, name, prefix: `${prefix}${name}/`, rules: listing.rules });
  }

  #await({ children, scope }: Listing, above: ScopeStep): void {
    this.#found += children.length;
    this.#context.control.countEntries(children.length);
    for (const child of children) {
      if (child.isDirectory) this.#pending.push({ above, name: child.name, child, scope });
    }
  }
}

function copyPart(builder: IndexBuilder, folder: number, range: Range): void {
  // Entries at the top of a part are in its folder 0.
  range.folders[0] = folder;
  builder.copy(range.source, range.from, range.to, range.folders);
}
