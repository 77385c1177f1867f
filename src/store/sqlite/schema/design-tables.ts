/**
 * Migration 1. Rows of the timeline carry their sequence number as primary key, which keeps them in
 * order on disk. Paths are bytes. Blobs are named by their hash without a foreign key: what is missing
 * is found out when it is read.
 */
export const DESIGN_TABLES: string = `
  CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value
  ) WITHOUT ROWID;
  INSERT INTO meta VALUES ('seq', 0);

  CREATE TABLE sessions (
    id TEXT PRIMARY KEY NOT NULL,
    root_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_active_at INTEGER NOT NULL,
    archived_at INTEGER
  );

  CREATE TABLE checkpoints (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session_id TEXT REFERENCES sessions(id) ON DELETE CASCADE,
    message_id TEXT,
    kind TEXT NOT NULL,
    description TEXT NOT NULL,
    label TEXT,
    created_at INTEGER NOT NULL,
    git_head TEXT
  );
  CREATE INDEX checkpoints_session ON checkpoints(session_id);
  CREATE INDEX checkpoints_message ON checkpoints(message_id) WHERE message_id IS NOT NULL;

  -- A state is 'absent', 'unknown' with a reason, or an entry type with mode, blob and size.
  -- after_type is null while the change is open. message_id is its checkpoint's.
  CREATE TABLE changes (
    seq INTEGER PRIMARY KEY,
    path BLOB NOT NULL,
    before_type TEXT NOT NULL,
    before_mode INTEGER,
    before_blob BLOB,
    before_size INTEGER,
    before_reason TEXT,
    after_type TEXT,
    after_mode INTEGER,
    after_blob BLOB,
    after_size INTEGER,
    after_reason TEXT,
    origin TEXT NOT NULL,
    attribution TEXT NOT NULL,
    session_id TEXT REFERENCES sessions(id) ON DELETE SET NULL,
    checkpoint_id TEXT,
    message_id TEXT,
    operation_id TEXT,
    tool_call_id TEXT,
    owner TEXT,
    created_at INTEGER NOT NULL
  );
  CREATE INDEX changes_path ON changes(path);
  CREATE INDEX changes_checkpoint ON changes(checkpoint_id, path) WHERE checkpoint_id IS NOT NULL;
  CREATE INDEX changes_operation ON changes(operation_id) WHERE operation_id IS NOT NULL;
  CREATE INDEX changes_open ON changes(seq) WHERE after_type IS NULL;
  -- For compaction: which version came before this one.
  CREATE INDEX changes_after_blob ON changes(after_blob) WHERE after_blob IS NOT NULL;

  CREATE TABLE heads (
    path BLOB PRIMARY KEY NOT NULL,
    seq INTEGER NOT NULL,
    open INTEGER NOT NULL,
    type TEXT NOT NULL,
    mode INTEGER,
    blob BLOB,
    size INTEGER,
    reason TEXT
  ) WITHOUT ROWID;

  CREATE TABLE cancellations (
    change_seq INTEGER NOT NULL,
    by_seq INTEGER NOT NULL,
    PRIMARY KEY (change_seq, by_seq)
  ) WITHOUT ROWID;

  CREATE TABLE operations (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    checkpoint_id TEXT,
    reverts TEXT,
    in_effect INTEGER NOT NULL,
    safety_checkpoint_id TEXT NOT NULL,
    description TEXT NOT NULL,
    created_at INTEGER NOT NULL
  );

  CREATE TABLE journal (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    content TEXT NOT NULL
  );

  -- data is null for a blob that lies in a file of its own. It comes last, so that the rest of a row
  -- is read without it. pending: compaction has not looked at it yet.
  CREATE TABLE blobs (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    stored INTEGER NOT NULL,
    encoding TEXT NOT NULL,
    pending INTEGER NOT NULL,
    base INTEGER REFERENCES blobs(id),
    depth INTEGER NOT NULL,
    data BLOB
  );
  CREATE INDEX blobs_pending ON blobs(id) WHERE pending = 1;
  CREATE INDEX blobs_base ON blobs(base) WHERE base IS NOT NULL;
`;
