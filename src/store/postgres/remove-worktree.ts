import { openProject } from './open-project.ts';
import { readServerFile } from './open-worktree.ts';
import type { PostgresStoreOptions } from './postgres-store.ts';

const REMOVE = 'DELETE FROM worktrees WHERE project = $1 AND uuid = $2';
const REMOVE_PROJECT = `
  DELETE FROM projects
  WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM worktrees WHERE project = $1)`;

/**
 * Takes the worktree that a folder stands for off the server, with its timeline, and the project with all contents and
 * documents where no other worktree has it. The folder's own file stays. Nobody may have it open. Idempotent.
 */
export async function removeWorktree(options: PostgresStoreOptions): Promise<void> {
  const known = readServerFile(options.directory);
  if (known === null) return;
  const { database, project } = await openProject({ ...options, create: false }, known.project);
  try {
    await database.transaction(async (session) => {
      await session.run(REMOVE, [project, known.worktree]);
      await session.run(REMOVE_PROJECT, [project]);
    });
  } finally {
    await database.close();
  }
}
