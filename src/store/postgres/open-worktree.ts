import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accepts, exact, type Kind, matching, TEXT } from '../../model/check.ts';
import { SavepointError } from '../../model/errors.ts';
import { writeDurably } from '../sqlite/layout.ts';
import { withProjectLock } from '../sqlite/lock.ts';
import type { FoundProject } from './open-project.ts';
import { NEXT_NUMBER } from './tenants.ts';

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

const FIND = 'SELECT id FROM worktrees WHERE project = $1 AND uuid = $2';

/** The number of the worktree that a folder stands for. */
export async function findWorktree(
  { database, project }: FoundProject,
  { worktree }: ServerFile,
): Promise<number> {
  const [row] = await database.query<{ id: number }>(FIND, [project, worktree]);
  if (row !== undefined) return row.id;
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
