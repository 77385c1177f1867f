/**
 * Migration 8. The first part of a document is in its row also where it holds others: `children` has their
 * numbers, as among the parts. The column `root` is called `part`, so that a process which was there before
 * fails where it prunes, and does not remove what it cannot know to be needed. Rows that are damaged stay
 * recognizable as such.
 */
export const DOCUMENT_CHILDREN: string = `
  ALTER TABLE documents RENAME COLUMN root TO part;
  ALTER TABLE documents ADD COLUMN children TEXT;
  UPDATE documents SET seal = seal_of(category, key, part, saved_at, hash, kind, children)
  WHERE seal IS seal_of(category, key, part, saved_at, hash, kind);
`;
