/**
 * Migration 7. Executions and their steps, documents under their names, and the parts that all of these are
 * made of. Parts name each other by number, in a list that SQLite can read: a whole document is one query.
 */
export const EXECUTION_TABLES: string = `
  -- children is a JSON list of numbers, or null. data comes last, so that the rest is read without it.
  CREATE TABLE parts (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    kind INTEGER NOT NULL,
    children TEXT,
    seal INTEGER,
    data BLOB NOT NULL
  );

  -- A small document that holds no part is in its own row, with its hash and kind; root is null then.
  CREATE TABLE documents (
    num INTEGER PRIMARY KEY,
    category TEXT NOT NULL,
    key TEXT NOT NULL,
    root INTEGER,
    saved_at INTEGER NOT NULL,
    hash BLOB,
    kind INTEGER,
    seal INTEGER,
    data BLOB,
    UNIQUE (category, key)
  );

  CREATE TABLE executions (
    num INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    status TEXT NOT NULL,
    parent_id TEXT,
    parent_step INTEGER,
    token INTEGER NOT NULL,
    owner TEXT,
    lease_until INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    seal INTEGER
  );
  CREATE INDEX executions_session ON executions(session_id);

  -- effects and writes are JSON lists.
  CREATE TABLE steps (
    execution INTEGER NOT NULL REFERENCES executions(num) ON DELETE CASCADE,
    step INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    checkpoint_id TEXT,
    root INTEGER,
    result INTEGER,
    error TEXT,
    effects TEXT NOT NULL,
    writes TEXT,
    restored INTEGER NOT NULL,
    rolled_back_by TEXT,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    seal INTEGER,
    PRIMARY KEY (execution, step, attempt)
  ) WITHOUT ROWID;
`;
