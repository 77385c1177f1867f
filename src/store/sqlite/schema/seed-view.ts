/**
 * Migration 2. The seed names a table `file_checkpoints` and three indices, and readers query them with
 * SQL. Joining the session makes its rows vanish with it even where foreign keys are not enforced,
 * which is how the sqlite3 shell starts.
 */
export const SEED_VIEW: string = `
  CREATE INDEX idx_checkpoints_session ON changes(session_id) WHERE session_id IS NOT NULL;
  CREATE INDEX idx_checkpoints_message ON changes(message_id) WHERE message_id IS NOT NULL;
  CREATE INDEX idx_checkpoints_created ON changes(created_at) WHERE origin = 'tool';

  CREATE VIEW file_checkpoints AS
  SELECT
    'change-' || changes.seq AS id,
    changes.session_id AS session_id,
    changes.message_id AS message_id,
    CAST(changes.path AS TEXT) AS file_path,
    nullif(lower(hex(changes.before_blob)), '') AS original_blob,
    changes.before_mode AS original_mode,
    changes.before_type <> 'absent' AS file_existed,
    changes.created_at AS created_at
  FROM changes
  JOIN sessions ON sessions.id = changes.session_id
  JOIN checkpoints ON checkpoints.id = changes.checkpoint_id
  WHERE changes.origin = 'tool' AND changes.before_type IN ('absent', 'file', 'symlink')
    -- A folder that was made for a file is no file.
    AND NOT (changes.before_type = 'absent' AND changes.after_type IS 'directory');
`;
