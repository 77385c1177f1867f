import {
  applyEdit,
  type Certain,
  type Disk,
  type Edit,
  type Entry,
  type File,
  type Folder,
  type NameChange,
  sharesSlot,
} from './disk.ts';

/**
 * How the file system treats names that were not synced: it forgets them, it keeps the first few of
 * them (as one with a journal does), or it keeps any of them, in no order.
 */
export type NameFate = 'none' | 'all' | 'first' | 'any';
/** The same for bytes: `any` also tears single writes apart. */
export type ByteFate = 'none' | 'all' | 'any';

export interface Fate {
  readonly names: NameFate;
  readonly bytes: ByteFate;
}

export const ALL_FATES: readonly Fate[] = (['none', 'all', 'first', 'any'] as const).flatMap(
  (names) => (['none', 'all', 'any'] as const).map((bytes) => ({ names, bytes })),
);

/** What is found on the disk when the power is back. */
export interface Remains {
  readonly kind: 'folder';
  readonly mode: number;
  readonly entries: ReadonlyMap<string, RemainingEntry>;
}

export type RemainingEntry =
  | Remains
  | { readonly kind: 'link'; readonly target: string }
  /** One value for all names of a file. */
  | { readonly kind: 'file'; readonly mode: number; readonly bytes: Buffer };

/** One of the states in which a power cut can leave the disk. Changes nothing. */
export function cutPower(disk: Disk, fate: Fate, random: () => number): Remains {
  const surviving = survivors(disk.uncertainNames, fate.names, random);
  const names = new Map<Folder, Map<string, Entry | null>>();
  for (const { slots } of surviving) {
    for (const { folder, name, entry } of slots) {
      names.set(folder, (names.get(folder) ?? new Map()).set(name, entry));
    }
  }
  const seen = new Map<File, RemainingEntry>();
  const remainsOf = (entry: Entry): RemainingEntry => {
    if (entry.kind === 'link') return entry;
    if (entry.kind === 'folder') return folderRemains(entry);
    const known = seen.get(entry) ?? { kind: 'file', ...damaged(entry, fate.bytes, random) };
    seen.set(entry, known);
    return known;
  };
  const folderRemains = (folder: Folder): Remains => {
    const entries = new Map<string, RemainingEntry>();
    const merged = new Map<string, Entry | null>([
      ...folder.certainEntries,
      ...(names.get(folder) ?? []),
    ]);
    for (const [name, entry] of merged) if (entry !== null) entries.set(name, remainsOf(entry));
    return { kind: 'folder', mode: damaged(folder, fate.bytes, random).mode, entries };
  };
  return folderRemains(disk.root);
}

function survivors(
  changes: readonly NameChange[],
  fate: NameFate,
  random: () => number,
): NameChange[] {
  if (fate === 'none') return [];
  if (fate === 'all') return [...changes];
  if (fate === 'first') return changes.slice(0, Math.floor(random() * (changes.length + 1)));
  const lost: NameChange[] = [];
  const kept: NameChange[] = [];
  for (const change of changes) {
    // What stands on a lost change is lost with it.
    const hollow = lost.some((earlier) => sharesSlot(earlier, change));
    (hollow || random() < 0.5 ? lost : kept).push(change);
  }
  return kept;
}

function damaged(entry: File | Folder, fate: ByteFate, random: () => number): Certain {
  const state: Certain = { mode: entry.certain.mode, bytes: Buffer.from(entry.certain.bytes) };
  if (fate === 'none') return state;
  for (const edit of entry.edits) {
    for (const part of fate === 'all' ? [edit] : partsOf(edit, random)) applyEdit(state, part);
  }
  return state;
}

/** What is left of an edit: nothing, all, some sectors, or only the length with zeros in it. */
function partsOf(edit: Edit, random: () => number): Edit[] {
  const luck = random();
  if (luck < 0.35) return [];
  if (luck < 0.65 || edit.kind !== 'write') return [edit];
  if (luck < 0.75) return [{ ...edit, bytes: Buffer.alloc(edit.bytes.length) }];
  const sector = random() < 0.5 ? 512 : 4096;
  return sectorsOf(edit.offset, edit.bytes, sector).filter(() => random() < 0.5);
}

function sectorsOf(offset: number, bytes: Buffer, sector: number): Edit[] {
  const parts: Edit[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = Math.min(sector - ((offset + at) % sector), bytes.length - at);
    parts.push({ kind: 'write', offset: offset + at, bytes: bytes.subarray(at, at + length) });
    at += length;
  }
  return parts;
}
