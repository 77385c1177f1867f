/**
 * Migration 3. What the scan of a worktree adds: how much a checkpoint covers, and the windows in which
 * commands could write anything. Until then checkpoints covered what tools had named.
 */
export const SCAN_TABLES: string = `
  ALTER TABLE checkpoints ADD COLUMN coverage TEXT NOT NULL DEFAULT 'named';

  -- closed is null while the window is open.
  CREATE TABLE windows (
    opened INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    checkpoint_id TEXT NOT NULL,
    tool_call_id TEXT,
    owner TEXT,
    description TEXT NOT NULL,
    closed INTEGER,
    created_at INTEGER NOT NULL
  );
  CREATE INDEX windows_session ON windows(session_id);
`;
