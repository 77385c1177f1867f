/**
 * Migration 8. The first part of a document is in its row also where it holds others: `children` has their
 * numbers, as among the parts. Rows that are damaged stay recognizable as such.
 */
export const DOCUMENT_CHILDREN: string = `
  ALTER TABLE documents ADD COLUMN children TEXT;
  UPDATE documents SET seal = seal_of(category, key, root, saved_at, hash, kind, children)
  WHERE seal IS seal_of(category, key, root, saved_at, hash, kind);
`;
