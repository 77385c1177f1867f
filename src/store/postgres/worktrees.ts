import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accepts, exact, type Kind, matching, TEXT } from '../../model/check.ts';
import { SavepointError } from '../../model/errors.ts';
import type { StoredDocument } from '../../model/execution.ts';
import { type BlobId, isBlobId } from '../../model/ids.ts';
import { newPackName } from '../blob.ts';
import { writeDurably } from '../sqlite/layout.ts';
import { withProjectLock } from '../sqlite/lock.ts';
import { bytesToHash, hashToBytes } from '../state-columns.ts';
import type { ProjectIdentity, StoreReader, WorktreeEntry, Worktrees } from '../store.ts';
import { packHeld } from './blobs.ts';
import type { Opened, OpenedProject, Run, Writing } from './database.ts';
import { documentName } from './documents.ts';
import { readState } from './meta.ts';
import { type FoundProject, openProject } from './open-project.ts';
import type { PostgresStoreOptions } from './postgres-store.ts';
import { parseStored } from './record-table.ts';
import { lockClass } from './schema.ts';
import { NEXT_NUMBER } from './tenants.ts';
import { timelineReader } from './timeline.ts';

/** Which worktree of which project a folder on this machine stands for. It holds no URL and no credentials. */
export interface ServerFile {
  /** The project's name when the worktree was made; its id says which one it is. */
  readonly name: string;
  readonly project: string;
  readonly worktree: string;
}

const UUID = matching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'a UUID');
const SERVER_FILE: Kind<ServerFile> = exact({ name: TEXT, project: UUID, worktree: UUID });
const NAME = 'server.json';

/** Null where the folder stands for none yet. */
export function readServerFile(directory: string): ServerFile | null {
  const path = join(directory, NAME);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const found = parsed(text);
  if (accepts(SERVER_FILE, found)) return found;
  throw new SavepointError('store-corrupt', 'the file that names the worktree is damaged', {
    path,
    hint: 'put it back from a backup, or remove it to begin a new timeline',
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

// As text: what a person types need not be a UUID.
const FIND = 'SELECT id FROM worktrees WHERE project = $1 AND uuid::text = $2';

/** Null where the project has no such worktree. */
async function numberOf({ database, project }: OpenedProject, id: string): Promise<number | null> {
  return (await database.query<{ id: number }>(FIND, [project, id]))[0]?.id ?? null;
}

/** The number of the worktree that a folder stands for. */
export async function findWorktree(
  opened: OpenedProject,
  { worktree }: ServerFile,
): Promise<number> {
  const number = await numberOf(opened, worktree);
  if (number !== null) return number;
  const message = 'the project on the server does not know this worktree';
  throw new SavepointError('project-mismatch', message, {
    hint: 'nothing was changed; was the database put back from an older backup?',
  });
}

const MAKE = `
  WITH ${NEXT_NUMBER} INSERT INTO worktrees (id, project, uuid, machine, active_at)
  SELECT number, $1, $2, $3, (extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM next
  RETURNING id`;
const TIMEOUT_MS = 10_000;

interface NewWorktree {
  /** The name of the project. */
  readonly name: string;
  readonly directory: string;
  readonly machine: string;
}

/**
 * Makes a worktree for a folder, unless another process has done so meanwhile. If this one dies in between, a row
 * without anything in it is left, which nobody sees.
 */
export function makeWorktree(
  opened: FoundProject,
  { name, directory, machine }: NewWorktree,
): Promise<{ readonly file: ServerFile; readonly worktree: number }> {
  return withProjectLock(directory, TIMEOUT_MS, async () => {
    const known = readServerFile(directory);
    if (known !== null) return { file: known, worktree: await findWorktree(opened, known) };
    const file = { name, project: opened.uuid, worktree: randomUUID() };
    const values = [opened.project, file.worktree, machine];
    const [row] = await opened.database.transaction((session) =>
      session.query<{ id: number }>(MAKE, values),
    );
    if (row === undefined) throw new SavepointError('store-failed', 'no worktree was made');
    writeDurably(join(directory, NAME), Buffer.from(`${JSON.stringify(file)}\n`));
    return { file, worktree: row.id };
  });
}

export function worktreesOf(run: Run): Worktrees {
  return {
    list: () => run(listWorktrees),
    reader: (id) => run((opened) => readerOf(run, opened, id)),
    keep: (ids) => run((opened) => keep(opened, ids)),
    remove: (id) => run((opened) => remove(opened, id)),
  };
}

interface WorktreeRow {
  readonly id: number;
  readonly uuid: string;
  readonly machine: string;
  readonly active_at: number;
  readonly value: string;
}

// One that has no folder yet is about to be made, or its process died before.
const LIST = `
  SELECT id, uuid, machine, active_at, value FROM worktrees
  JOIN meta ON meta.worktree = worktrees.id AND key = 'project'
  WHERE project = $1 ORDER BY active_at DESC, id DESC`;

async function listWorktrees({ database, project, worktree }: Opened): Promise<WorktreeEntry[]> {
  const rows = await database.query<WorktreeRow>(LIST, [project]);
  return rows.map(({ id, uuid, machine, active_at, value }) => ({
    id: uuid,
    machine,
    root: (parseStored(value) as ProjectIdentity).root,
    activeAt: active_at,
    isThis: id === worktree,
  }));
}

async function otherNumber(opened: Opened, id: string): Promise<number> {
  const number = await numberOf(opened, id);
  if (number !== null) return number;
  throw new SavepointError('worktree-not-found', 'the project has no such worktree', {
    hint: 'savepoint store shows them',
  });
}

async function readerOf(run: Run, opened: Opened, id: string): Promise<StoreReader> {
  const worktree = await otherNumber(opened, id);
  const there: Run = (work) => run((own) => work({ ...own, worktree }));
  return {
    timeline: timelineReader(there),
    state: () => there(({ database: session }) => readState({ session, worktree })),
  };
}

/** As a pack that no baseline names: the next prune removes it, and what no row names by then. */
async function keep(opened: Opened, ids: readonly BlobId[]): Promise<readonly BlobId[]> {
  const wanted = ids.filter(isBlobId);
  const held = await packHeld(opened, wanted.map(hashToBytes), newPackName());
  const found = new Set(held.map(bytesToHash));
  return ids.filter((id) => !found.has(id));
}

/** The lock is taken for good: nobody gets it before the row, which its taking needs, is gone. */
async function remove(opened: Opened, id: string): Promise<void> {
  const worktree = await otherNumber(opened, id);
  if (worktree === opened.worktree) {
    throw new SavepointError('worktree-not-found', 'this is the worktree of this folder');
  }
  const lock = `SELECT pg_try_advisory_xact_lock(${lockClass(opened.schema, 'worktree')}, $1) AS held`;
  await opened.database.transaction(async (session) => {
    const [row] = await session.query<{ held: boolean }>(lock, [worktree]);
    if (row?.held !== true) {
      throw new SavepointError('store-locked', 'a process is at work in this worktree', {
        hint: 'nothing was removed; its machine is not gone',
      });
    }
    await session.run('DELETE FROM worktrees WHERE id = $1', [worktree]);
  });
}

export interface RemoveWorktreeOptions extends PostgresStoreOptions {
  /** Documents that a move has written and that go as well, where nobody has saved them anew since. */
  readonly documents?: readonly StoredDocument[];
}

/**
 * Takes the worktree that a folder stands for off the server, with its timeline. Contents go where the project has no
 * other worktree, and the project where it has no document either. Documents stay, except for those that are named.
 * The folder's own file stays. Nobody may have the worktree open. Idempotent.
 */
export async function removeWorktree(options: RemoveWorktreeOptions): Promise<void> {
  const known = readServerFile(options.directory);
  if (known === null) return;
  const { database, project } = await openProject({ ...options, create: false }, known.project);
  try {
    await database.transaction(async (session) => {
      for (const document of options.documents ?? []) {
        const { root, savedAt } = document;
        const values = [...documentName(project, document), Buffer.from(root, 'hex'), savedAt];
        session.send(REMOVE_DOCUMENT, values);
      }
      await session.run(REMOVE, [project, known.worktree]);
      await removeIfUnused(session, project);
    });
  } finally {
    await database.close();
  }
}

const REMOVE = 'DELETE FROM worktrees WHERE project = $1 AND uuid = $2';
const REMOVE_DOCUMENT = `
  DELETE FROM documents
  WHERE project = $1 AND category = $2 AND key = $3 AND root = $4 AND saved_at = $5`;

const HOLD_PROJECT = 'SELECT 1 FROM projects WHERE id = $1 FOR UPDATE';
const NO_WORKTREE = 'NOT EXISTS (SELECT 1 FROM worktrees WHERE project = $1)';
const REMOVE_CONTENTS = `DELETE FROM blobs WHERE project = $1 AND ${NO_WORKTREE}`;
const REMOVE_PROJECT = `
  DELETE FROM projects
  WHERE id = $1 AND ${NO_WORKTREE} AND NOT EXISTS (SELECT 1 FROM documents WHERE project = $1)`;

/**
 * Every worktree and document refers to the row of its project. While the row is held, nobody makes one, and the
 * statements after it see all that were made before: none goes with the project.
 */
async function removeIfUnused(session: Writing, project: number): Promise<void> {
  await session.run(HOLD_PROJECT, [project]);
  await session.run(REMOVE_CONTENTS, [project]);
  await session.run(REMOVE_PROJECT, [project]);
}
