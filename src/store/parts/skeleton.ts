import type { PartId } from '../../model/ids.ts';

/** The text of a tree, in which `{"$part":0}` stands for what lies in parts of their own. */
export interface Skeleton {
  readonly text: string;
  readonly children: readonly PartId[];
  readonly isTagged: boolean;
  /** What it weighs where it is written: its text, and a name for each part. */
  readonly cost: number;
  /** What stands for it where it is a part of its own, once it was made one. */
  place: Skeleton | null;
}

export const PART_TEXT = '{"$part":0}';
/** A name in a row, and in the row of the index that leads to it. */
const CHILD_COST = 48;

export function skeleton(
  text: string,
  children: readonly PartId[] = [],
  isTagged = false,
): Skeleton {
  const cost = text.length + CHILD_COST * children.length;
  return { text, children, isTagged, cost, place: null };
}

/** What stands for a part that lies elsewhere. */
export function standIn(id: PartId): Skeleton {
  return skeleton(PART_TEXT, [id]);
}

export function joined(
  open: string,
  entries: readonly Skeleton[],
  close: string,
  isTagged = false,
): Skeleton {
  let text = open;
  let hasTags = isTagged;
  const children: PartId[] = [];
  for (const entry of entries) {
    text += text.length === open.length ? entry.text : `,${entry.text}`;
    hasTags ||= entry.isTagged;
    for (const child of entry.children) children.push(child);
  }
  return skeleton(text + close, children, hasTags);
}

/** A number that only depends on what an entry says. */
export function markOf({ text, children }: Skeleton): number {
  let mark = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    mark = Math.imul(mark ^ text.charCodeAt(at), 0x01000193);
  }
  for (const child of children) mark ^= Number.parseInt(child.slice(0, 8), 16);
  mark = Math.imul(mark ^ (mark >>> 15), 0x85ebca6b);
  return (mark ^ (mark >>> 13)) & 0xffff;
}
