/**
 * A disk on which only what was synced is certain. Every change is kept twice: as programs see it, and
 * as the disk would hold it if the power went off now. A file's bytes and mode are certain after an
 * fsync of that file; a name is certain after an fsync of its folder, and not before: that some file
 * systems do more is not relied on.
 */
export class Disk {
  readonly root: Folder = newFolder(0o755);
  /** Changes of names that no fsync has made certain yet, in order. */
  #uncertain: NameChange[] = [];

  get uncertainNames(): readonly NameChange[] {
    return this.#uncertain;
  }

  /** Puts, replaces or (null) removes names, all together or not at all: a rename has two. */
  changeNames(slots: readonly Slot[]): void {
    for (const { folder, name, entry } of slots) {
      if (entry === null) folder.entries.delete(name);
      else folder.entries.set(name, entry);
    }
    this.#uncertain.push({ slots });
  }

  /** A change of bytes or of a mode. */
  edit(entry: File | Folder, edit: Edit): void {
    entry.edits.push(edit);
  }

  /** What fsync does; fdatasync leaves the mode out. */
  sync(entry: File | Folder, withMode: boolean): void {
    const settled = entry.edits.filter(({ kind }) => withMode || kind !== 'mode');
    entry.edits = entry.edits.filter((edit) => !settled.includes(edit));
    for (const edit of settled) applyEdit(entry.certain, edit);
    if (entry.kind === 'folder') this.#settle(entry);
  }

  /** Everything so far is certain: how a disk starts. */
  settleAll(): void {
    for (const change of this.#uncertain) applyNames(change);
    this.#uncertain = [];
  }

  #settle(folder: Folder): void {
    const certain = new Set<NameChange>();
    for (const change of this.#uncertain.toReversed()) {
      const here = change.slots.some((slot) => slot.folder === folder);
      // What a certain change was built on is certain as well.
      const below = [...certain].some((later) => sharesSlot(change, later));
      if (here || below) certain.add(change);
    }
    for (const change of this.#uncertain) if (certain.has(change)) applyNames(change);
    this.#uncertain = this.#uncertain.filter((change) => !certain.has(change));
  }
}

export type Entry = File | Folder | Link;

/** What the disk holds of a file or a folder itself. */
export interface Certain {
  bytes: Buffer;
  mode: number;
}

export interface File {
  readonly kind: 'file';
  readonly certain: Certain;
  /** Not yet certain, in order. */
  edits: Edit[];
}

export interface Folder {
  readonly kind: 'folder';
  readonly certain: Certain;
  /** The names as the disk holds them. */
  readonly certainEntries: Map<string, Entry>;
  readonly entries: Map<string, Entry>;
  edits: Edit[];
}

export interface Link {
  readonly kind: 'link';
  readonly target: string;
}

export type Edit =
  | { readonly kind: 'write'; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly size: number }
  | { readonly kind: 'mode'; readonly mode: number };

export interface Slot {
  readonly folder: Folder;
  readonly name: string;
  readonly entry: Entry | null;
}

export interface NameChange {
  readonly slots: readonly Slot[];
}

export function newFile(mode: number, bytes: Buffer = Buffer.alloc(0)): File {
  return { kind: 'file', certain: { bytes, mode }, edits: [] };
}

export function newFolder(mode: number): Folder {
  const certain = { bytes: Buffer.alloc(0), mode };
  return {
    kind: 'folder',
    certain,
    certainEntries: new Map(),
    entries: new Map(),
    edits: [],
  };
}

/** Whether two changes are about one name, so that they happen in their order or not at all. */
export function sharesSlot(a: NameChange, b: NameChange): boolean {
  return a.slots.some((one) =>
    b.slots.some((other) => one.folder === other.folder && one.name === other.name),
  );
}

/** Works in place: the bytes of `to` belong to it alone. */
export function applyEdit(to: Certain, edit: Edit): void {
  if (edit.kind === 'mode') to.mode = edit.mode;
  else if (edit.kind === 'truncate') to.bytes = resized(to.bytes, edit.size);
  else {
    const end = edit.offset + edit.bytes.length;
    if (end > to.bytes.length) to.bytes = resized(to.bytes, end);
    edit.bytes.copy(to.bytes, edit.offset);
  }
}

function applyNames({ slots }: NameChange): void {
  for (const { folder, name, entry } of slots) {
    if (entry === null) folder.certainEntries.delete(name);
    else folder.certainEntries.set(name, entry);
  }
}

function resized(bytes: Buffer, size: number): Buffer {
  return Buffer.concat([bytes], size);
}
