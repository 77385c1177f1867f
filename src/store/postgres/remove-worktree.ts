import type { StoredDocument } from '../../model/execution.ts';
import type { Writing } from './database.ts';
import { documentName } from './documents.ts';
import { openProject } from './open-project.ts';
import { readServerFile } from './open-worktree.ts';
import type { PostgresStoreOptions } from './postgres-store.ts';

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
