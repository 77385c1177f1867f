/**
 * Migration 4. An edit waits for every index that its change is put into, and a store grows by each. Which
 * version came before another is asked by compaction alone, which looks through all changes once; the
 * message is asked for by the seed's view alone, which shows what tools did.
 */
export const LEANER_CHANGES: string = `
  DROP INDEX changes_after_blob;
  DROP INDEX idx_checkpoints_message;
  UPDATE changes SET message_id = NULL WHERE origin <> 'tool';
  CREATE INDEX idx_checkpoints_message ON changes(message_id) WHERE origin = 'tool';
`;
