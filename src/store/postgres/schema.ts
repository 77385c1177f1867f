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
import { schemaOf } from './connect.ts';
import type { Database, Session } from './database.ts';
import { isRefused } from './failure.ts';
import { PROJECT, RecordTable, WORKTREE } from './record-table.ts';
import {
  grantsSql,
  MOST_TENANTS,
  NEXT_NUMBER,
  NUMBERS_EACH,
  rowSecuritySql,
  TENANT,
} from './tenants.ts';

/** A change that this code could not read raises it, and refuses schemas with another number. */
export const FORMAT = 2;

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
  FOREIGN KEY (worktree, session_id) REFERENCES sessions(worktree, id) ON DELETE CASCADE`;

/**
 * Every table and index. Tables that hold records follow from their descriptions in `tables.ts`; what is unique and
 * what belongs to what is said here. Every row says its worktree first, or its project where all worktrees share it, and
 * every index begins with that: what one project asks does not depend on how many others there are.
 */
const SCHEMA = `
  CREATE TABLE format (number integer NOT NULL);
  INSERT INTO format VALUES (${FORMAT});

  -- A role of the server with projects of its own. last: the number that its newest project or worktree has got.
  CREATE TABLE tenants (
    role name PRIMARY KEY,
    id integer GENERATED ALWAYS AS IDENTITY (MAXVALUE ${MOST_TENANTS}) UNIQUE,
    last integer NOT NULL DEFAULT 0 CHECK (last < ${NUMBERS_EACH})
  );

  -- uuid tells it from another project with the same name, on this server or another.
  CREATE TABLE projects (
    id integer PRIMARY KEY,
    tenant integer NOT NULL REFERENCES tenants(id),
    uuid uuid NOT NULL DEFAULT gen_random_uuid(),
    name text NOT NULL,
    UNIQUE (tenant, name)
  );

  -- A folder on a machine, with a timeline of its own. fence: raised by everybody who takes the lock of the worktree;
  -- who has an older one holds the lock no more. last_commit: written anew in each transaction that commits a batch.
  CREATE TABLE worktrees (
    id integer PRIMARY KEY,
    ${PROJECT},
    uuid uuid NOT NULL,
    machine text NOT NULL,
    active_at bigint NOT NULL,
    seq bigint NOT NULL DEFAULT 0,
    fence bigint NOT NULL DEFAULT 0,
    last_commit uuid,
    UNIQUE (project, uuid)
  );

  -- What there is one of in a worktree: its folder, its baseline, the journal of a restore.
  CREATE TABLE meta (
    ${WORKTREE}, key text NOT NULL, value text NOT NULL, seal integer NOT NULL,
    PRIMARY KEY (worktree, key)
  );

  CREATE TABLE sessions (${sessions.definition()});

  CREATE TABLE checkpoints (${checkpoints.definition()}, UNIQUE (worktree, seq), ${WITH_SESSION});
  CREATE INDEX checkpoints_session ON checkpoints(worktree, session_id);
  CREATE INDEX checkpoints_message ON checkpoints(worktree, message_id) WHERE message_id IS NOT NULL;

  CREATE TABLE windows (${windows.definition()}, UNIQUE (worktree, opened), ${WITH_SESSION});
  CREATE INDEX windows_session ON windows(worktree, session_id);

  CREATE TABLE heads (${heads.definition()});

  CREATE TABLE changes (
    ${changes.definition()},
    FOREIGN KEY (worktree, session) REFERENCES sessions(worktree, id)
  );
  CREATE INDEX changes_path ON changes(worktree, path);
  CREATE INDEX changes_checkpoint ON changes(worktree, checkpoint_id) WHERE checkpoint_id IS NOT NULL;
  CREATE INDEX changes_operation ON changes(worktree, operation_id) WHERE operation_id IS NOT NULL;
  CREATE INDEX changes_open ON changes(worktree, seq) WHERE after_mode IS NULL;
  CREATE INDEX changes_of_several ON changes(worktree, seq) WHERE co_authors IS NOT NULL;
  CREATE INDEX changes_session ON changes(worktree, session) WHERE session IS NOT NULL;

  CREATE TABLE private_paths (${privatePaths.definition()});
  CREATE TABLE cancellations (${cancellations.definition()});
  CREATE TABLE operations (${operations.definition()}, UNIQUE (worktree, seq));

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

  -- Which blobs came with which pack. A worktree removes its own packs alone: another may have one that no baseline
  -- names yet.
  CREATE TABLE packed (
    project integer NOT NULL,
    hash bytea NOT NULL,
    ${WORKTREE},
    pack text NOT NULL,
    PRIMARY KEY (project, hash, worktree, pack),
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
  CREATE INDEX executions_session ON executions(worktree, session_id);

  CREATE TABLE steps (
    ${steps.definition()},
    FOREIGN KEY (worktree, execution) REFERENCES executions(worktree, id) ON DELETE CASCADE
  );
`;

/** Advisory locks have two numbers: what is locked, and the number of the worktree or of the project. */
export type LockClass = 'schema' | 'worktree' | 'contents';

/** The number of a class, for one schema: others in the same database have locks of their own. */
export function lockClass(schema: string, name: LockClass): number {
  return hash('sha256', `savepoint/${schema}/${name}`, 'buffer').readInt32BE();
}

interface Found {
  readonly format: number;
  readonly id: number | null;
  readonly uuid: string | null;
}

/** A project on the server: its number in every table, and the id that it has for good. */
export interface ProjectRow {
  readonly id: number;
  readonly uuid: string;
}

// A superuser sees the projects of all tenants.
const FIND = `
  SELECT number AS format, id, uuid FROM format
  LEFT JOIN projects ON tenant = ${TENANT} AND name = $1`;
// An insert that meets a conflict uses up a number all the same, and there are few: only a new tenant gets that far.
const COME = `
  INSERT INTO tenants (role) SELECT current_user
  WHERE NOT EXISTS (SELECT 1 FROM tenants WHERE role = current_user)
  ON CONFLICT DO NOTHING`;
const MAKE = `
  WITH ${NEXT_NUMBER} INSERT INTO projects (id, tenant, name) SELECT number, tenant, $1 FROM next
  ON CONFLICT DO NOTHING`;

/**
 * The project of a name, which is made where there is none, with the tables if need be. Null where nothing may be
 * made. Throws `store-too-new` where the tables have another format.
 */
export async function findProject(
  database: Database,
  schema: string,
  name: string,
  create: boolean,
): Promise<ProjectRow | null> {
  const found = await find(database, name);
  if (found !== null) requireFormat(found.format);
  if (found !== null && found.id !== null) return found as ProjectRow;
  if (!create) return null;
  if (found === null) await makeTables(database, schema);
  await database.transaction(async (session) => {
    session.send(COME);
    session.send(MAKE, [name]);
  });
  const made = await find(database, name);
  requireFormat(made?.format ?? null);
  return made as ProjectRow;
}

/** Null where there are no tables. */
async function find(session: Session, name: string): Promise<Found | null> {
  try {
    return (await session.query<Found>(FIND, [name]))[0] ?? null;
  } catch (error) {
    if (isRefused(error, 'unknown table')) return null;
    throw error;
  }
}

/** One makes them at a time: whoever comes second finds them. */
async function makeTables(database: Database, schema: string): Promise<void> {
  const first = `SELECT pg_advisory_xact_lock(${lockClass(schema, 'schema')}, 0)`;
  await database.transactionAfter(first, async (session) => {
    const sql = 'SELECT to_regclass($1) IS NOT NULL AS there';
    const [table] = await session.query<{ there: boolean }>(sql, [`${schema}.format`]);
    if (!table?.there) for (const statement of tablesSql(schema)) await session.run(statement);
  });
}

/** What makes the schema and all that is in it. */
function tablesSql(schema: string): string[] {
  const tables = SCHEMA.split(/;\n/).map((statement) => statement.trim());
  return [
    `CREATE SCHEMA IF NOT EXISTS ${schema}`,
    ...tables.filter((statement) => statement !== ''),
    ...rowSecuritySql(),
  ];
}

function requireFormat(format: number | null): void {
  if (format === FORMAT) return;
  const message = `the tables have format ${format}, and this Savepoint reads format ${FORMAT} only`;
  const hint = 'use the Savepoint that made them, or name another schema';
  throw new SavepointError('store-too-new', message, { hint });
}

export interface PostgresSqlOptions {
  /** Where the tables are to be; `savepoint` when left out. */
  readonly schema?: string;
  /** Roles that are to have projects of their own on these tables. */
  readonly tenants?: readonly string[];
  /** False: only what the tenants are given, for tables that are there. */
  readonly tables?: boolean;
}

/**
 * What an operator runs as the role that is to own the tables, where agents connect with roles that own nothing and can
 * make nothing. Roles are made by whoever may do so.
 */
export function postgresSql({
  tenants = [],
  tables = true,
  ...options
}: PostgresSqlOptions): string {
  const schema = schemaOf(options);
  const statements = [
    'BEGIN',
    ...(tables ? tablesSql(schema) : []),
    ...tenants.flatMap((tenant) => grantsSql(schema, tenant)),
    'COMMIT',
  ];
  // The tables are made where the path looks first.
  return [`SET search_path = ${schema}`, ...statements].map((one) => `${one};\n`).join('');
}
