/**
 * Migration 5. Paths, hashes and session ids were written out in every row and index that named them, which
 * was most of what a change cost. Now a row names a path by the number of its head, a blob by its id and
 * a session by its `num`; a state is one number and a blob, as `state-columns.ts` says. A blob that is
 * named without being there has a row too, of encoding `missing`.
 *
 * `arrived`: raw bytes in the file `arrivals`; `data` says from where on.
 */
export const NUMBERED_ROWS: string = `
  DROP VIEW file_checkpoints;

  ALTER TABLE sessions ADD COLUMN num INTEGER;
  UPDATE sessions SET num = rowid;
  CREATE UNIQUE INDEX sessions_num ON sessions(num);

  INSERT INTO meta VALUES ('arrivals', 0);
  INSERT INTO blobs (hash, size, stored, encoding, pending, base, depth, data)
  SELECT hash, max(size), 0, 'missing', 0, NULL, 0, NULL FROM (
    SELECT before_blob AS hash, before_size AS size FROM changes
    UNION ALL SELECT after_blob, after_size FROM changes
    UNION ALL SELECT blob, size FROM heads
  )
  WHERE hash IS NOT NULL AND hash NOT IN (SELECT hash FROM blobs) GROUP BY hash;

  ALTER TABLE heads RENAME TO old_heads;
  ALTER TABLE changes RENAME TO old_changes;

  CREATE TABLE heads (
    id INTEGER PRIMARY KEY,
    path BLOB NOT NULL UNIQUE,
    seq INTEGER NOT NULL,
    open INTEGER NOT NULL,
    mode INTEGER NOT NULL,
    blob INTEGER
  );
  INSERT INTO heads (path, seq, open, mode, blob)
  SELECT path, seq, open, ${modeFrom('type', 'mode', 'reason')}, ${numberOf('blob')}
  FROM old_heads ORDER BY path;

  -- after_mode is null while the change is open. origin 1: a tool.
  CREATE TABLE changes (
    seq INTEGER PRIMARY KEY,
    path INTEGER NOT NULL REFERENCES heads(id),
    before_mode INTEGER NOT NULL,
    before_blob INTEGER,
    after_mode INTEGER,
    after_blob INTEGER,
    origin INTEGER NOT NULL CHECK (origin >= 0),
    attribution INTEGER NOT NULL CHECK (attribution >= 0),
    session INTEGER REFERENCES sessions(num) ON DELETE SET NULL,
    checkpoint_id TEXT,
    operation_id TEXT,
    tool_call_id TEXT,
    owner TEXT,
    created_at INTEGER NOT NULL
  );
  INSERT INTO changes
  SELECT seq, (SELECT id FROM heads WHERE heads.path = old_changes.path),
    ${modeFrom('before_type', 'before_mode', 'before_reason')}, ${numberOf('before_blob')},
    ${modeFrom('after_type', 'after_mode', 'after_reason')}, ${numberOf('after_blob')},
    ${codeOf('origin', ['outside', 'tool', 'shell', 'operation'])},
    ${codeOf('attribution', ['exact', 'inferred', 'shared'])},
    (SELECT num FROM sessions WHERE sessions.id = session_id),
    checkpoint_id, operation_id, tool_call_id, owner, created_at
  FROM old_changes ORDER BY seq;

  DROP TABLE old_changes;
  DROP TABLE old_heads;

  CREATE INDEX changes_path ON changes(path);
  CREATE INDEX changes_checkpoint ON changes(checkpoint_id, path) WHERE checkpoint_id IS NOT NULL;
  CREATE INDEX changes_operation ON changes(operation_id) WHERE operation_id IS NOT NULL;
  CREATE INDEX changes_open ON changes(seq) WHERE after_mode IS NULL;
  CREATE INDEX idx_checkpoints_session ON changes(session) WHERE session IS NOT NULL;
  CREATE INDEX idx_checkpoints_created ON changes(created_at) WHERE origin = 1;
  -- The message is its checkpoint's, and found there.
  DROP INDEX checkpoints_message;
  CREATE INDEX idx_checkpoints_message ON checkpoints(message_id) WHERE message_id IS NOT NULL;

  CREATE VIEW file_checkpoints AS
  SELECT
    'change-' || changes.seq AS id,
    sessions.id AS session_id,
    checkpoints.message_id AS message_id,
    CAST(heads.path AS TEXT) AS file_path,
    nullif(lower(hex(blobs.hash)), '') AS original_blob,
    nullif(changes.before_mode, 0) & 511 AS original_mode,
    changes.before_mode <> 0 AS file_existed,
    changes.created_at AS created_at
  FROM changes
  JOIN sessions ON sessions.num = changes.session
  JOIN checkpoints ON checkpoints.id = changes.checkpoint_id
  JOIN heads ON heads.id = changes.path
  LEFT JOIN blobs ON blobs.id = changes.before_blob
  -- Nothing, a file or a link: an unknown is below 0, and a folder is no file.
  WHERE changes.origin = 1 AND changes.before_mode >= 0 AND changes.before_mode >> 12 IN (0, 8, 10)
    -- Nor is one that was made for a file.
    AND NOT (changes.before_mode = 0 AND changes.after_mode >> 12 IS 4);
`;

/** A state's type, permissions and reason as one number. */
function modeFrom(type: string, mode: string, reason: string): string {
  const reasons = [
    'too-large',
    'unreadable',
    'unstable',
    'not-seen',
    'past-limit',
    'special-file',
    'protected',
    'purged',
  ];
  return `CASE ${type}
    WHEN 'absent' THEN 0
    WHEN 'file' THEN 32768 | ${mode}
    WHEN 'symlink' THEN 40960 | ${mode}
    WHEN 'directory' THEN 16384 | ${mode}
    WHEN 'unknown' THEN -1 - ${codeOf(reason, reasons)} END`;
}

function codeOf(column: string, names: readonly string[]): string {
  const cases = names.map((name, code) => `WHEN '${name}' THEN ${code}`);
  return `CASE ${column} ${cases.join(' ')} END`;
}

function numberOf(hash: string): string {
  return `(SELECT id FROM blobs WHERE blobs.hash = ${hash})`;
}
