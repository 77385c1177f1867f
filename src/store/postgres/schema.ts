import { hash } from 'node:crypto';
import type { Cancellation, Change } from '../../model/change.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import type { Execution, StepAttempt } from '../../model/execution.ts';
import type { Operation } from '../../model/operation.ts';
import type { Session as AgentSession } from '../../model/session.ts';
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
import type { Database, Session, Writing } from './database.ts';
import { isUnknownTable } from './failure.ts';
import { PROJECT, RecordTable } from './record-table.ts';

/** A change that this code could not read raises it, and refuses schemas with another number. */
export const FORMAT = 1;

export const sessions: RecordTable<AgentSession> = new RecordTable(SESSIONS);
export const checkpoints: RecordTable<Checkpoint> = new RecordTable(CHECKPOINTS);
export const windows: RecordTable<Window> = new RecordTable(WINDOWS);
export const heads: RecordTable<Head> = new RecordTable(HEADS);
export const changes: RecordTable<Change> = new RecordTable(CHANGES);
export const privatePaths: RecordTable<PrivatePath> = new RecordTable(PRIVATE_PATHS);
export const cancellations: RecordTable<Cancellation> = new RecordTable(CANCELLATIONS);
export const operations: RecordTable<Operation> = new RecordTable(OPERATIONS);
export const executions: RecordTable<Execution> = new RecordTable(EXECUTIONS);
export const steps: RecordTable<StepAttempt> = new RecordTable(STEPS);

const WITH_SESSION = `
  FOREIGN KEY (project, session_id) REFERENCES sessions(project, id) ON DELETE CASCADE`;

/**
 * Every table and index. Tables that hold records follow from their descriptions in `tables.ts`; what is unique and
 * what belongs to what is said here. Every row says its project first, and every index begins with it: what one
 * project asks does not depend on how many others there are.
 */
const SCHEMA = `
  CREATE TABLE format (number integer NOT NULL);
  INSERT INTO format VALUES (${FORMAT});

  -- fence: raised by everybody who takes the project lock. Who has an older one holds the lock no more.
  CREATE TABLE projects (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    seq bigint NOT NULL DEFAULT 0,
    fence bigint NOT NULL DEFAULT 0
  );

  -- What there is one of in a project: its worktree, its baseline, the journal of a restore.
  CREATE TABLE meta (
    ${PROJECT}, key text NOT NULL, value text NOT NULL, seal integer NOT NULL,
    PRIMARY KEY (project, key)
  );

  CREATE TABLE sessions (${sessions.definition()});

  CREATE TABLE checkpoints (${checkpoints.definition()}, UNIQUE (project, seq), ${WITH_SESSION});
  CREATE INDEX checkpoints_session ON checkpoints(project, session_id);
  CREATE INDEX checkpoints_message ON checkpoints(project, message_id) WHERE message_id IS NOT NULL;

  CREATE TABLE windows (${windows.definition()}, UNIQUE (project, opened), ${WITH_SESSION});
  CREATE INDEX windows_session ON windows(project, session_id);

  CREATE TABLE heads (${heads.definition()});

  CREATE TABLE changes (
    ${changes.definition()},
    FOREIGN KEY (project, session) REFERENCES sessions(project, id)
  );
  CREATE INDEX changes_path ON changes(project, path);
  CREATE INDEX changes_checkpoint ON changes(project, checkpoint_id) WHERE checkpoint_id IS NOT NULL;
  CREATE INDEX changes_operation ON changes(project, operation_id) WHERE operation_id IS NOT NULL;
  CREATE INDEX changes_open ON changes(project, seq) WHERE after_mode IS NULL;
  CREATE INDEX changes_of_several ON changes(project, seq) WHERE co_authors IS NOT NULL;
  CREATE INDEX changes_session ON changes(project, session) WHERE session IS NOT NULL;

  CREATE TABLE private_paths (${privatePaths.definition()});
  CREATE TABLE cancellations (${cancellations.definition()});
  CREATE TABLE operations (${operations.definition()}, UNIQUE (project, seq));

  -- stored is null for a blob that was only ever named. named: a batch brought it or referred to it; others are
  -- there for a pack alone.
  CREATE TABLE blobs (
    ${PROJECT},
    hash bytea NOT NULL,
    size bigint NOT NULL,
    stored bigint,
    named boolean NOT NULL,
    PRIMARY KEY (project, hash)
  );

  -- The bytes of a blob in pieces of bounded size, each compressed by itself, or as it is.
  CREATE TABLE pieces (
    project integer NOT NULL,
    hash bytea NOT NULL,
    place integer NOT NULL,
    is_zstd boolean NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (project, hash, place),
    FOREIGN KEY (project, hash) REFERENCES blobs(project, hash) ON DELETE CASCADE
  );
  ALTER TABLE pieces ALTER COLUMN data SET STORAGE EXTERNAL;

  -- Which blobs came with which pack.
  CREATE TABLE packed (
    project integer NOT NULL,
    hash bytea NOT NULL,
    pack text NOT NULL,
    PRIMARY KEY (project, hash, pack),
    FOREIGN KEY (project, hash) REFERENCES blobs(project, hash) ON DELETE CASCADE
  );

  -- children: the hashes of the parts that it holds, one after the other. A name vouches for all of it.
  CREATE TABLE parts (
    ${PROJECT},
    hash bytea NOT NULL,
    kind smallint NOT NULL,
    children bytea NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (project, hash)
  );

  -- Names as JSON, which keeps what text would not: lone surrogates, and NUL.
  CREATE TABLE documents (
    ${PROJECT},
    category text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    root bytea NOT NULL,
    saved_at bigint NOT NULL,
    PRIMARY KEY (project, category, key)
  );

  -- num: the order in which they came.
  CREATE TABLE executions (
    ${executions.definition()},
    num bigint GENERATED ALWAYS AS IDENTITY
  );
  CREATE INDEX executions_session ON executions(project, session_id);

  CREATE TABLE steps (
    ${steps.definition()},
    FOREIGN KEY (project, execution) REFERENCES executions(project, id) ON DELETE CASCADE
  );
`;

/** Advisory locks have two numbers: what is locked, and the project. */
export type LockClass = 'schema' | 'project' | 'parts';

/** The number of a class, for one schema: others in the same database have locks of their own. */
export function lockClass(schema: string, name: LockClass): number {
  return hash('sha256', `savepoint/${schema}/${name}`, 'buffer').readInt32BE();
}

interface Found {
  readonly format: number;
  readonly project: number | null;
}

const FIND = `
  SELECT number AS format, (SELECT id FROM projects WHERE name = $1) AS project FROM format`;

/**
 * The number of a project, which is made where there is none, with the tables if need be. Throws `store-missing` where
 * nothing may be made, and `store-too-new` where the tables have another format.
 */
export async function findProject(
  database: Database,
  schema: string,
  name: string,
  create: boolean,
): Promise<number> {
  const found = await find(database, name);
  if (found !== null) requireFormat(found.format);
  if (found?.project) return found.project;
  if (!create) {
    throw new SavepointError('store-missing', 'the database has no store for this project yet');
  }
  const first = `SELECT pg_advisory_xact_lock(${lockClass(schema, 'schema')}, 0)`;
  return database.transaction((session) => makeProject(session, schema, name), { first });
}

/** Null where there are no tables. */
async function find(session: Session, name: string): Promise<Found | null> {
  try {
    return (await session.query<Found>(FIND, [name]))[0] ?? null;
  } catch (error) {
    if (isUnknownTable(error)) return null;
    throw error;
  }
}

/** One makes them at a time: whoever comes second finds them. */
async function makeProject(session: Writing, schema: string, name: string): Promise<number> {
  const sql = 'SELECT to_regclass($1) IS NOT NULL AS there';
  const [table] = await session.query<{ there: boolean }>(sql, [`${schema}.format`]);
  if (!table?.there) {
    await session.run(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    for (const statement of SCHEMA.split(/;\n/)) {
      if (statement.trim() !== '') await session.run(statement);
    }
  }
  const insert = 'INSERT INTO projects (name) VALUES ($1) ON CONFLICT DO NOTHING';
  await session.run(insert, [name]);
  const found = await find(session, name);
  requireFormat(found?.format ?? null);
  return found?.project as number;
}

function requireFormat(format: number | null): void {
  if (format === FORMAT) return;
  const message = `the tables have format ${format}, and this Savepoint reads format ${FORMAT} only`;
  const hint = 'use the Savepoint that made them, or name another schema';
  throw new SavepointError('store-too-new', message, { hint });
}
