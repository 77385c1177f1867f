import type { Cancellation, Change } from '../../model/change.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import type { Execution, StepAttempt } from '../../model/execution.ts';
import type { Operation } from '../../model/operation.ts';
import type { Session } from '../../model/session.ts';
import type { Window } from '../../model/window.ts';
import type { Head } from '../store.ts';
import {
  CANCELLATIONS,
  CHANGES,
  CHECKPOINTS,
  EXECUTIONS,
  HEADS,
  OPERATIONS,
  PRIVATE_PATHS,
  type PrivatePath,
  SESSIONS,
  STEPS,
  WINDOWS,
} from '../tables.ts';
import { RowTable } from './row-table.ts';

/** "SAVP", so that `file` and we can tell a store from any other database. */
export const APPLICATION_ID = 0x53415650;

/** `PRAGMA user_version`. A change that this code could not read raises it, and refuses older stores. */
export const FORMAT = 6;

export const sessions: RowTable<Session> = new RowTable(SESSIONS);
export const checkpoints: RowTable<Checkpoint> = new RowTable(CHECKPOINTS);
export const windows: RowTable<Window> = new RowTable(WINDOWS);
export const heads: RowTable<Head> = new RowTable(HEADS);
export const changes: RowTable<Change> = new RowTable(CHANGES, {
  // Written out in every row and index, these were most of what a change cost.
  asNumbers: ['path', 'sessionId', 'origin', 'attribution'],
});
export const privatePaths: RowTable<PrivatePath> = new RowTable(PRIVATE_PATHS);
export const cancellations: RowTable<Cancellation> = new RowTable(CANCELLATIONS);
export const operations: RowTable<Operation> = new RowTable(OPERATIONS);
export const executions: RowTable<Execution> = new RowTable(EXECUTIONS);
export const steps: RowTable<StepAttempt> = new RowTable(STEPS);

const WITH_SESSION = 'REFERENCES sessions(id) ON DELETE CASCADE';

/**
 * Every table, index and view. Tables that hold records follow from their descriptions in `tables.ts`; the
 * other columns, what is unique and what belongs to what are said here. Rows of the timeline have their
 * sequence number as primary key, which keeps them in order on disk. Each row says, in `seal`, what it was
 * when it was written.
 */
export const SCHEMA: string = `
  CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, value, seal INTEGER) WITHOUT ROWID;
  INSERT INTO meta VALUES ('seq', 0, seal_of('seq', 0)), ('arrivals', 0, seal_of('arrivals', 0));

  -- AUTOINCREMENT: changes hold the number, and it is never given to another session, even where somebody
  -- deleted the row without foreign keys, which is how the sqlite3 shell starts.
  CREATE TABLE sessions (
    num INTEGER PRIMARY KEY AUTOINCREMENT,
    ${sessions.definition({ id: 'UNIQUE' })}
  );

  CREATE TABLE checkpoints (
    ${checkpoints.definition({ seq: 'PRIMARY KEY', id: 'UNIQUE', session_id: WITH_SESSION })}
  );
  CREATE INDEX checkpoints_session ON checkpoints(session_id);
  CREATE INDEX idx_checkpoints_message ON checkpoints(message_id) WHERE message_id IS NOT NULL;

  CREATE TABLE windows (
    ${windows.definition({ opened: 'PRIMARY KEY', id: 'UNIQUE', session_id: WITH_SESSION })}
  );
  CREATE INDEX windows_session ON windows(session_id);

  CREATE TABLE heads (
    id INTEGER PRIMARY KEY,
    ${heads.definition({ path: 'UNIQUE' })}
  );

  CREATE TABLE changes (
    ${changes.definition({
      seq: 'PRIMARY KEY',
      path: 'REFERENCES heads(id)',
      session: 'REFERENCES sessions(num) ON DELETE SET NULL',
    })}
  );
  -- An edit waits for every index that its change is put into.
  CREATE INDEX changes_path ON changes(path);
  CREATE INDEX changes_checkpoint ON changes(checkpoint_id, path) WHERE checkpoint_id IS NOT NULL;
  CREATE INDEX changes_operation ON changes(operation_id) WHERE operation_id IS NOT NULL;
  CREATE INDEX changes_open ON changes(seq) WHERE after_mode IS NULL;
  CREATE INDEX changes_of_several ON changes(seq) WHERE co_authors IS NOT NULL;
  CREATE INDEX idx_checkpoints_session ON changes(session) WHERE session IS NOT NULL;
  CREATE INDEX idx_checkpoints_created ON changes(created_at) WHERE origin = 1;

  CREATE TABLE private_paths (
    num INTEGER PRIMARY KEY,
    ${privatePaths.definition({ path: 'UNIQUE' })}
  );

  CREATE TABLE cancellations (
    ${cancellations.definition({})},
    PRIMARY KEY (change_seq, by_seq)
  ) WITHOUT ROWID;

  CREATE TABLE operations (
    ${operations.definition({ seq: 'PRIMARY KEY', id: 'UNIQUE' })}
  );

  CREATE TABLE journal (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    content TEXT NOT NULL,
    seal INTEGER
  );

  -- data is null for a blob that lies in a file of its own; for one of encoding 'arrived' it is the number of
  -- the byte at which it begins. It comes last, so that the rest of a row is read without it. pending:
  -- compaction has not looked at it yet. 'missing': a row names it, and it was never stored.
  CREATE TABLE blobs (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    stored INTEGER NOT NULL,
    encoding TEXT NOT NULL,
    pending INTEGER NOT NULL,
    base INTEGER REFERENCES blobs(id),
    depth INTEGER NOT NULL,
    seal INTEGER,
    data BLOB
  );
  CREATE INDEX blobs_pending ON blobs(id) WHERE pending = 1;
  CREATE INDEX blobs_base ON blobs(base) WHERE base IS NOT NULL;

  -- children is a JSON list of numbers, or null: a whole document is one query. data comes last, as in blobs.
  CREATE TABLE parts (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    kind INTEGER NOT NULL,
    children TEXT,
    seal INTEGER,
    data BLOB NOT NULL
  );

  -- The first part of a document: its number among the parts or, where it is small, the part itself.
  CREATE TABLE documents (
    num INTEGER PRIMARY KEY,
    category TEXT NOT NULL,
    key TEXT NOT NULL,
    part INTEGER,
    saved_at INTEGER NOT NULL,
    hash BLOB,
    kind INTEGER,
    children TEXT,
    seal INTEGER,
    data BLOB,
    UNIQUE (category, key)
  );

  -- An execution outlives its session: without steps, its row keeps its id from being used again.
  CREATE TABLE executions (
    num INTEGER PRIMARY KEY,
    ${executions.definition({ id: 'UNIQUE' })}
  );
  CREATE INDEX executions_session ON executions(session_id);

  CREATE TABLE steps (
    ${steps.definition({ execution: 'REFERENCES executions(num) ON DELETE CASCADE' })},
    PRIMARY KEY (execution, step, attempt)
  ) WITHOUT ROWID;

  -- The seed names this table and the three indices above that begin with idx_. Joining the session makes its
  -- rows vanish with it, even where foreign keys are not enforced. origin 1: a tool.
  CREATE VIEW file_checkpoints AS
  SELECT
    'change-' || changes.seq AS id,
    sessions.id AS session_id,
    checkpoints.message_id AS message_id,
    CAST(heads.path AS TEXT) AS file_path,
    CASE blobs.encoding WHEN 'text' THEN CAST(blobs.data AS TEXT) END AS original_content,
    changes.before_mode <> 0 AS file_existed,
    changes.created_at AS created_at,
    nullif(lower(hex(blobs.hash)), '') AS original_blob,
    nullif(changes.before_mode, 0) & 511 AS original_mode
  FROM changes
  JOIN sessions ON sessions.num = changes.session
  JOIN checkpoints ON checkpoints.id = changes.checkpoint_id
  JOIN heads ON heads.id = changes.path
  LEFT JOIN blobs ON blobs.id = changes.before_blob
  -- Nothing, a file or a link: an unknown is below 0, and a folder is no file.
  WHERE changes.origin = 1 AND changes.before_mode >= 0 AND (changes.before_mode >> 12) & 15 IN (0, 8, 10)
    -- Nor is one that was made for a file.
    AND NOT (changes.before_mode = 0 AND (changes.after_mode >> 12) & 15 IS 4);

  PRAGMA user_version = ${FORMAT};
`;

/** The columns that tell one row of a table from another. */
export const ROW_KEYS = {
  meta: ['key'],
  sessions: ['id'],
  checkpoints: ['id'],
  windows: ['id'],
  changes: ['seq'],
  heads: ['id'],
  private_paths: ['num'],
  cancellations: ['change_seq', 'by_seq'],
  operations: ['id'],
  journal: ['only'],
  blobs: ['id'],
  parts: ['id'],
  documents: ['num'],
  executions: ['num'],
  steps: ['execution', 'step', 'attempt'],
} as const;

export type SealedTable = keyof typeof ROW_KEYS;

/**
 * The columns that a seal covers: every one that says something. Numbers that SQLite gives out are not among
 * them; that they are right shows in the rows that name them.
 */
export const SEALED_COLUMNS: Readonly<Record<SealedTable, readonly string[]>> = {
  meta: ['key', 'value'],
  sessions: sessions.columnNames,
  checkpoints: checkpoints.columnNames,
  windows: windows.columnNames,
  heads: heads.columnNames,
  changes: changes.columnNames,
  private_paths: privatePaths.columnNames,
  cancellations: cancellations.columnNames,
  operations: operations.columnNames,
  journal: ['content'],
  // What these two say of their bytes shows when the bytes are read.
  blobs: ['hash', 'size'],
  parts: ['hash', 'kind', 'children'],
  documents: ['category', 'key', 'part', 'saved_at', 'hash', 'kind', 'children'],
  executions: executions.columnNames,
  steps: steps.columnNames,
};
