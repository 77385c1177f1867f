import type { PartId } from '../../model/ids.ts';
import type { Tree, TreeObject } from '../../model/value/index.ts';
import { cutBytes, cutText, isLong } from './cut.ts';
import { type Part, type PartKind, partOf } from './part.ts';
import { joined, runsOf, type Skeleton, skeleton, standIn } from './skeleton.ts';

/** What weighs more is divided. */
const LARGEST_NODE = 4_096;
/** Within something that is divided, what weighs more becomes a part of its own. */
const SMALLEST_PART = 512;
const LARGEST_INLINE_TEXT = 1_536;
const LARGEST_INLINE_BYTES = 1_024;

// Long texts are kept alive by this, runs are small.
const REMEMBERED_TEXTS = 64;
const REMEMBERED_CHARACTERS = 16 * 1024 * 1024;
const REMEMBERED_RUNS = 8_192;

/** A list in several runs. */
interface LongList {
  items: readonly Tree[];
  /** For each item what is written in the list. */
  readonly entries: Skeleton[];
  /** Where each run ends, and what stands for it. */
  readonly ends: number[];
  readonly places: Skeleton[];
}

interface Run {
  readonly entries: readonly Skeleton[];
  readonly place: Skeleton;
}

/**
 * Divides trees into parts. The packer remembers the objects that it has divided, so a tree that shares most
 * of its objects with an earlier one costs only the new ones. Where a tree is divided depends on its content
 * alone: two packers make the same parts of it.
 */
export class Packer {
  readonly #skeletons = new WeakMap<object, Skeleton>();
  readonly #texts = new Recent<Skeleton>(REMEMBERED_TEXTS, REMEMBERED_CHARACTERS);
  readonly #runs = new Recent<Run>(REMEMBERED_RUNS);
  readonly #made = new Map<PartId, Part>();
  /** By their first items. */
  readonly #lists = new WeakMap<object, LongList>();

  /**
   * The first part, which is made anew each time, and the others that this packer has not made before,
   * those first that others hold.
   */
  pack(tree: Tree): { readonly root: Part; readonly parts: readonly Part[] } {
    this.#made.clear();
    const { isTagged, children, text } = this.#any(tree);
    const root = partOf(isTagged ? 'tagged' : 'json', children, text);
    return { root, parts: [...this.#made.values()] };
  }

  #any(tree: Tree): Skeleton {
    if (typeof tree === 'string') return this.#text(tree);
    if (typeof tree !== 'object' || tree === null) return skeleton(JSON.stringify(tree));
    const known = this.#skeletons.get(tree);
    if (known !== undefined) return known;
    const made = this.#container(tree);
    this.#skeletons.set(tree, made);
    return made;
  }

  #container(tree: object): Skeleton {
    if (tree instanceof Uint8Array) return this.#bytes(tree);
    if (Array.isArray(tree)) return this.#list(tree as readonly Tree[]);
    let isTagged = false;
    const entries = Object.entries(tree as TreeObject).map(([key, value]) => {
      isTagged ||= key.startsWith('$');
      return { name: `${JSON.stringify(key)}:`, content: this.#any(value) };
    });
    return this.#object(entries, isTagged);
  }

  #object(
    entries: readonly { readonly name: string; readonly content: Skeleton }[],
    isTagged: boolean,
  ): Skeleton {
    const cost = entries.reduce((sum, { name, content }) => sum + name.length + content.cost, 0);
    const settled = entries.map(({ name, content }) => {
      const { text, children, isTagged } = cost > LARGEST_NODE ? this.#light(content) : content;
      return skeleton(name + text, children, isTagged);
    });
    return this.#divided('{', settled, '}', isTagged);
  }

  #list(items: readonly Tree[]): Skeleton {
    const known = this.#listAgain(items);
    if (known !== null) return known;
    const entries = items.map((item) => this.#any(item));
    const isHeavy = weightOf(entries) > LARGEST_NODE;
    const settled = isHeavy ? entries.map((entry) => this.#light(entry)) : entries;
    const [first] = items;
    if (weightOf(settled) <= LARGEST_NODE || typeof first !== 'object' || first === null) {
      return this.#divided('[', settled, ']', false);
    }
    const list: LongList = { items, entries: settled, ends: [], places: [] };
    this.#lists.set(first, list);
    return this.#divideOn(list);
  }

  /**
   * A long list that begins as an earlier one did, which is still long: only what follows is looked at. What is
   * known of the list is changed in place, so that a list which grows leaves nothing behind.
   */
  #listAgain(items: readonly Tree[]): Skeleton | null {
    const first = items[0] as object;
    const list = this.#lists.get(first);
    if (list === undefined) return null;
    const same = sameAtBegin(list.items, items);
    const { entries, ends, places } = list;
    entries.length = same;
    for (const item of items.slice(same)) entries.push(this.#light(this.#any(item)));
    list.items = items;
    // Another entry may follow the last run: where that run ends is open.
    while ((ends.at(-1) ?? 0) >= same) ends.pop();
    places.length = ends.length;
    if (weightOf(entries) > LARGEST_NODE) return this.#divideOn(list);
    this.#lists.delete(first);
    return null;
  }

  #divideOn({ entries, ends, places }: LongList): Skeleton {
    for (const run of runsOf(entries, ends.at(-1) ?? 0)) {
      places.push(this.#run('[', run, ']', false));
      ends.push((ends.at(-1) ?? 0) + run.length);
    }
    return this.#joinedAgain(places);
  }

  #light(entry: Skeleton): Skeleton {
    return entry.cost > SMALLEST_PART ? this.#part(entry) : entry;
  }

  /** All in one place, or, where that is too much, runs of entries that are joined again on reading. */
  #divided(open: string, entries: readonly Skeleton[], close: string, isTagged: boolean): Skeleton {
    // A tag stays whole: it has one entry.
    if (weightOf(entries) <= LARGEST_NODE || entries.length < 2) {
      return joined(open, entries, close, isTagged);
    }
    const runs = runsOf(entries).map((run) => this.#run(open, run, close, isTagged));
    return this.#joinedAgain(runs);
  }

  #joinedAgain(places: readonly Skeleton[]): Skeleton {
    if (weightOf(places) <= LARGEST_NODE) return joined('{"$joined":[', places, ']}');
    const runs = runsOf(places).map((run) => this.#run('{"$joined":[', run, ']}', false));
    return this.#joinedAgain(runs);
  }

  #run(open: string, entries: readonly Skeleton[], close: string, isTagged: boolean): Skeleton {
    const [first] = entries;
    const key = `${open}${isTagged}${first?.text}${first?.children[0] ?? ''}`;
    const known = this.#runs.get(key);
    if (known !== undefined && sameEntries(known.entries, entries)) return known.place;
    const place = this.#part(joined(open, entries, close, isTagged));
    this.#runs.set(key, { entries, place });
    return place;
  }

  #text(text: string): Skeleton {
    if (text.length <= LARGEST_INLINE_TEXT) return skeleton(JSON.stringify(text));
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const made = this.#longText(text);
    this.#texts.set(text, made);
    return made;
  }

  #longText(text: string): Skeleton {
    const pieces = isLong(text.length) ? cutText(text) : [text];
    const places = pieces.map((piece) => this.#piece(piece));
    return pieces.length === 1 ? (places[0] as Skeleton) : this.#joinedAgain(places);
  }

  #piece(text: string): Skeleton {
    // UTF-8 has no half of a surrogate pair, which may also be where a text was cut; SQLite ends at a NUL.
    const isPlain = text.isWellFormed() && !text.includes('\0');
    return isPlain ? this.#keep('text', [], text) : this.#part(skeleton(JSON.stringify(text)));
  }

  #bytes(bytes: Uint8Array): Skeleton {
    if (bytes.length <= LARGEST_INLINE_BYTES) {
      return skeleton(JSON.stringify(Buffer.from(bytes).toString('base64')));
    }
    const pieces = isLong(bytes.length) ? cutBytes(bytes) : [bytes];
    const places = pieces.map((piece) => this.#keep('bytes', [], piece));
    return pieces.length === 1 ? (places[0] as Skeleton) : this.#joinedAgain(places);
  }

  /** What stands for it where it is a part of its own. */
  #part(content: Skeleton): Skeleton {
    if (content.place !== null) return content.place;
    const { text, children, isTagged } = content;
    const place = this.#keep(isTagged ? 'tagged' : 'json', children, text);
    content.place = place;
    return place;
  }

  #keep(kind: PartKind, children: readonly PartId[], data: string | Uint8Array): Skeleton {
    const part = partOf(kind, children, data);
    this.#made.set(part.id, part);
    return standIn(part.id);
  }
}

/** What `Packer` makes of a tree that is too small to be divided, in less time; null for others. */
export function packWhole(
  tree: Tree,
): { readonly root: Part; readonly parts: readonly Part[] } | null {
  if (roomAfter(tree, LARGEST_INLINE_TEXT) < 0) return null;
  const text = JSON.stringify(tree);
  if (text.length > LARGEST_INLINE_TEXT) return null;
  return { root: partOf('json', [], text), parts: [] };
}

const NO_ROOM = -1;

/** What is left of so many characters when a tree is written, or a little more; none where it has tags. */
function roomAfter(tree: Tree, room: number): number {
  if (typeof tree === 'string') return room - tree.length;
  if (typeof tree !== 'object' || tree === null) return room - 1;
  if (tree instanceof Uint8Array) return NO_ROOM;
  let left = room - 2;
  if (Array.isArray(tree)) {
    for (const item of tree as readonly Tree[]) {
      if (left < 0) return NO_ROOM;
      left = roomAfter(item, left - 1);
    }
    return left;
  }
  for (const key of Object.keys(tree)) {
    if (left < 0 || key.startsWith('$')) return NO_ROOM;
    left = roomAfter((tree as TreeObject)[key] as Tree, left - key.length);
  }
  return left;
}

/** How many entries two lists have in common, from the first on. */
function sameAtBegin(one: readonly Tree[], other: readonly Tree[]): number {
  let same = 0;
  while (same < one.length && same < other.length && one[same] === other[same]) same += 1;
  return same;
}

function weightOf(entries: readonly Skeleton[]): number {
  let weight = 0;
  for (const { cost } of entries) weight += cost;
  return weight;
}

function sameEntries(one: readonly Skeleton[], other: readonly Skeleton[]): boolean {
  return (
    one.length === other.length &&
    one.every((entry, at) => entry === other[at] || isSame(entry, other[at] as Skeleton))
  );
}

function isSame(one: Skeleton, other: Skeleton): boolean {
  return (
    one.text === other.text &&
    one.isTagged === other.isTagged &&
    one.children.length === other.children.length &&
    one.children.every((child, at) => child === other.children[at])
  );
}

/** Remembers the values that were used last: at most `limit`, and keys of at most `most` characters in all. */
export class Recent<Value> {
  readonly #values = new Map<string, Value>();
  readonly #limit: number;
  readonly #most: number;
  #length = 0;

  constructor(limit: number, most: number = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
    this.#most = most;
  }

  get(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    // A Map keeps the order of insertion: what comes first was not used for the longest time.
    this.#delete(key);
    this.#values.set(key, value);
    this.#length += key.length;
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#limit && this.#length <= this.#most) return;
      if (this.#values.size > 1) this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    if (this.#values.delete(key)) this.#length -= key.length;
  }
}
