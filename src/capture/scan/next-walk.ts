import type { Entry } from '../../fs/tree.ts';
import type { TrackedPath } from '../../model/path.ts';
import { type GlobalRules, type IgnoreScope, rootScope } from '../ignore/ignore-scope.ts';
import { noDifferences, type ScanDifferences } from './differences.ts';
import type { EntryStat } from './entry-stat.ts';
import { type FolderRuleTexts, parseRules, readRules, sameRules } from './folder-rules.ts';
import { type BuiltIndex, CarriedIndex } from './index-builder.ts';
import {
  type Child,
  type FindKnown,
  type Listing,
  listFolder,
  listRoot,
  type WalkContext,
} from './list-folder.ts';
import { addFolder, addFresh, flagsOf, folderFlags, isPartial } from './new-entries.ts';
import type { DroppedEntry, Item, PreviousScan } from './previous-scan.ts';

/** A known folder whose entries are being walked. */
interface Frame {
  /** Its number in the previous index. */
  readonly known: number;
  readonly prefix: string;
  /** Set where rules changed here or above: everything below is read and judged by the new rules. */
  readonly newScope: IgnoreScope | null;
  readonly items: readonly Item[];
  next: number;
}

/** A folder to be visited. */
interface Visit {
  readonly frame: Frame;
  readonly name: string;
  readonly path: TrackedPath;
  readonly entry: number;
  /** Its number in the previous index. */
  readonly known: number;
  readonly stat: EntryStat;
  readonly isPrivate: boolean;
}

/**
 * Walks the folders that may have changed since the previous scan and copies the rest from its index.
 * Only folders that changed are read; where rules changed, all folders below are.
 */
export class NextWalk {
  readonly differences: ScanDifferences = noDifferences();
  readonly #context: WalkContext;
  readonly #previous: PreviousScan;
  readonly #carried: CarriedIndex;
  /** Whether entries that are known stay in scope although new rules hide them. */
  readonly #holdsKnown: boolean;
  readonly #open: Frame[] = [];
  #failedInRoot: readonly TrackedPath[] = [];

  constructor(context: WalkContext, previous: PreviousScan, holdsKnown: boolean) {
    this.#context = context;
    this.#holdsKnown = holdsKnown;
    this.#previous = previous;
    this.#carried = new CarriedIndex(previous.index);
  }

  run(global: GlobalRules): void {
    this.#openRoot(global);
    // An explicit stack, because a tree may be deep and each level holds a listing.
    for (let frame = this.#open.at(-1); frame !== undefined; frame = this.#open.at(-1)) {
      const item = frame.items[frame.next];
      frame.next += 1;
      if (item === undefined) this.#open.pop();
      else this.#take(frame, item);
    }
    this.#checkLimits();
  }

  get failedInRoot(): readonly TrackedPath[] {
    return this.#failedInRoot;
  }

  /** The new index; null when it would equal the previous one. */
  finish(): BuiltIndex | null {
    const { globalChanged, index } = this.#previous;
    const isSame =
      !globalChanged && index.meta.failedInRoot.join('/') === this.#failedInRoot.join('/');
    return isSame ? this.#carried.finish() : this.#carried.finishAnew();
  }

  #openRoot(global: GlobalRules): void {
    const { index, globalChanged } = this.#previous;
    const knownRules = index.rulesOf(0);
    const isSame = (rules: FolderRuleTexts) => !globalChanged && sameRules(rules, knownRules);
    const scopeWith = (rules: FolderRuleTexts) =>
      isSame(rules) ? index.scopeOf(0) : rootScope(global, parseRules(rules));
    const knownUnder = this.#knownIn(0, isSame);
    const listing = listRoot(this.#context, { knownRules, scopeWith, knownUnder });
    this.#failedInRoot = [...listing.failed] as TrackedPath[];
    this.differences.unreadable.push(...this.#failedInRoot);
    this.#carried.builder.setRules(0, listing.rules);
    this.#enter({ known: 0, prefix: '' }, listing, isSame(listing.rules));
  }

  #take(frame: Frame, item: Item): void {
    this.#checkLimits();
    const { known, child } = item;
    const { index } = this.#previous;
    if (known === -1) this.#addNew(frame, item);
    else if (child === null) this.#takeKnown(frame, item);
    else if (!child.isDirectory) this.#takeFile(frame, known, child);
    else if (index.isDirectory(known)) this.#visit(frame, item, child.stat);
    else this.#takeNewFolder(frame, child);
  }

  #takeKnown(frame: Frame, item: Item): void {
    const { index } = this.#previous;
    const isLookedAt = !this.#previous.isFailed(item.known) && index.isDirectory(item.known);
    if (isLookedAt && this.#previous.mustVisit(index.folderOf(item.known))) {
      this.#visit(frame, item, index.stampOf(item.known).stat);
    } else {
      this.#carried.keep(item.known, this.#previous.endOf(item.known));
    }
  }

  /** An entry that was known before, as a file or a folder, and is no folder now. */
  #takeFile(frame: Frame, known: number, child: Child): void {
    const { index } = this.#previous;
    const isAsPrivate = index.isPrivate(known) === child.isPrivate;
    if (isAsPrivate && this.#previous.isSettled(known, child.stat)) {
      this.#carried.keep(known, known + 1);
      return;
    }
    const flags = flagsOf(this.#context, child);
    if (index.isDirectory(known)) {
      const folder = this.#carried.folderOf(frame.known);
      this.#carried.builder.add(folder, child.name, child.stat, flags);
    } else {
      this.#carried.replace(known, child.stat, flags);
    }
    this.differences.touched.push(index.path(known));
    if (index.isDirectory(known)) this.#addLost(index.folderOf(known), []);
    this.#addGone(known + 1, this.#previous.endOf(known));
  }

  /** A folder that was a file or a link before, so that nothing can have been below it. */
  #takeNewFolder(frame: Frame, child: Child): void {
    const { touched, appeared } = this.differences;
    this.#addFresh(frame, child, touched, appeared);
  }

  #addNew(frame: Frame, { name, child }: Item): void {
    if (child === null) return;
    const { index } = this.#previous;
    const unseen = index.isUnreadable(frame.known);
    const { appeared, entered } = this.differences;
    // If the folder itself did not exist, nothing below it did, whatever the rules were.
    const below = unseen || index.hides(frame.known, name, true) ? entered : appeared;
    const own = below === entered || index.hides(frame.known, name, false) ? entered : appeared;
    this.#addFresh(frame, child, own, below);
  }

  #addFresh(frame: Frame, child: Child, own: TrackedPath[], below: TrackedPath[]): void {
    const path = frame.prefix + child.name;
    const scope = frame.newScope ?? this.#previous.index.scopeOf(frame.known);
    const walk = {
      context: this.#context,
      builder: this.#carried.builder,
      onEntry: (found: TrackedPath) => (found === path ? own : below).push(found),
      onUnreadable: (found: TrackedPath) => this.differences.unreadable.push(found),
    };
    const folder = this.#carried.folderOf(frame.known);
    addFresh(walk, { folder, prefix: frame.prefix, scope }, child);
  }

  /** A folder that was one before. */
  #visit(frame: Frame, { name, known: entry, child }: Item, stat: EntryStat): void {
    const { index } = this.#previous;
    const isPrivate = child?.isPrivate ?? index.isPrivate(entry);
    const known = index.folderOf(entry);
    const path = (frame.prefix + name) as TrackedPath;
    const visit: Visit = { frame, name, path, entry, known, stat, isPrivate };
    const isUnchanged = frame.newScope === null && this.#previous.isSettled(entry, stat);
    if (isUnchanged && !this.#previous.mustVisit(known)) {
      this.#carried.keep(entry, this.#previous.endOf(entry));
    } else if (!isUnchanged || this.#previous.hasOtherNames(known) || !this.#goThrough(visit)) {
      this.#readAnew(visit);
    }
  }

  /** Walks a folder without reading it; false when its rules changed, so that it must be read. */
  #goThrough({ path, entry, known }: Visit): boolean {
    const was = this.#previous.index.rulesOf(known);
    const rules = readRules(this.#context, `${this.#context.root}/${path}`, null, was);
    if (!sameRules(rules, was)) return false;
    this.#carried.keep(entry, entry + 1);
    const frame = { known, prefix: `${path}/`, newScope: null };
    // The rule files have the same text but a new stamp.
    if (rules !== was) this.#carried.builder.setRules(this.#carried.folderOf(frame.known), rules);
    this.#open.push({ ...frame, items: this.#previous.knownItems(known), next: 0 });
    return true;
  }

  #readAnew(visit: Visit): void {
    const { frame, name, path, entry, known, stat, isPrivate } = visit;
    const { index } = this.#previous;
    const knownRules = index.rulesOf(known);
    const isSame = (rules: FolderRuleTexts) =>
      frame.newScope === null && sameRules(rules, knownRules);
    const above = frame.newScope ?? index.scopeOf(frame.known);
    const scopeWith = (rules: FolderRuleTexts) =>
      isSame(rules) ? index.scopeOf(known) : above.enter(name, parseRules(rules), isPrivate);
    const knownUnder = this.#knownIn(known, isSame);
    const listing = listFolder(this.#context, { path, knownRules, scopeWith, knownUnder });
    if (listing === 'missing') {
      this.#addGone(entry, this.#previous.endOf(entry));
      return;
    }
    if (stat.mode !== index.mode(entry)) this.differences.touched.push(path);
    if (isPartial(listing)) this.differences.unreadable.push(path);
    this.#addVisited(visit, listing);
    if (listing === 'unreadable') this.#carried.keep(entry + 1, this.#previous.endOf(entry));
    else this.#enter({ known, prefix: `${path}/` }, listing, isSame(listing.rules));
  }

  /**
   * The entries of a known folder. Under the same rules as before they stay in scope, although a rule may hide
   * them that came while known entries were held.
   */
  #knownIn(
    folder: number,
    isSame: (rules: FolderRuleTexts) => boolean,
  ): (rules: FolderRuleTexts) => FindKnown {
    const { index } = this.#previous;
    const names = this.#previous.namesIn(folder);
    return (rules) => {
      const isHeld = this.#holdsKnown || isSame(rules);
      return (name, isDirectory) => {
        const known = names.get(name);
        if (known === undefined || index.isDirectory(known) !== isDirectory) return null;
        const isQuiet = isDirectory && this.#previous.isQuiet(known);
        return { isPrivate: index.isPrivate(known), isHeld, isQuiet };
      };
    };
  }

  /** Adds the entry of a known folder, with its listing if it could be read. */
  #addVisited(visit: Visit, listing: Listing | 'unreadable'): void {
    const { frame, name, entry, known, stat, isPrivate } = visit;
    const knownRules = this.#previous.index.rulesOf(known);
    const rules = listing === 'unreadable' ? knownRules : listing.rules;
    if (rules === knownRules) {
      this.#carried.replace(entry, stat, folderFlags(this.#context, { stat, isPrivate }, listing));
      return;
    }
    const child: Child = { name, key: `${name}/`, stat, isDirectory: true, isPrivate };
    const parent = this.#carried.folderOf(frame.known);
    const folder = addFolder(this.#carried.builder, this.#context, parent, child, listing);
    this.#carried.placeFolder(known, folder);
  }

  #enter(place: Pick<Frame, 'known' | 'prefix'>, listing: Listing, hasKnownScope: boolean): void {
    const { items, dropped } = this.#previous.matchListing(place.known, listing);
    for (const entry of dropped) this.#drop(entry);
    this.#addLost(place.known, listing.names);
    const newScope = hasKnownScope ? null : listing.scope;
    this.#open.push({ ...place, newScope, items, next: 0 });
  }

  #drop({ known, listed }: DroppedEntry): void {
    const { index } = this.#previous;
    const end = this.#previous.endOf(known);
    if (listed === null) {
      this.#addGone(known, end);
      return;
    }
    this.differences.left.push(index.path(known));
    for (let entry = known + 1; entry < end; entry += 1) {
      const isThere = listed.isDirectory && !this.#previous.isMissing(entry);
      (isThere ? this.differences.left : this.differences.gone).push(index.path(entry));
    }
  }

  #addGone(from: number, to: number): void {
    const { index } = this.#previous;
    for (let entry = from; entry < to; entry += 1) {
      this.differences.gone.push(index.path(entry));
      if (index.isDirectory(entry)) this.#addLost(index.folderOf(entry), []);
    }
  }

  #addLost(folder: number, listed: readonly Entry[]): void {
    const { index } = this.#previous;
    const missed = index.missedIn(folder);
    if (missed.length === 0) return;
    const prefix = index.paths.folderPrefix(folder);
    const there = new Set(listed.map(({ name }) => name));
    for (const name of missed) {
      if (!there.has(name)) this.differences.lost.push((prefix + name) as TrackedPath);
    }
  }

  #checkLimits(): void {
    this.#context.control.limitEntries(this.#carried.count);
    this.#context.control.check();
  }
}
