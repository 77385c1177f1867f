import { SavepointError } from '../../model/errors.ts';
import { type BlobId, isBlobId } from '../../model/ids.ts';
import { newPackName } from '../blob.ts';
import { bytesToHash, hashToBytes } from '../state-columns.ts';
import type { ProjectIdentity, StoreReader, WorktreeEntry, Worktrees } from '../store.ts';
import { packHeld } from './blobs.ts';
import { readState } from './meta.ts';
import type { Opened, Run } from './opened.ts';
import { parseStored } from './record-table.ts';
import { lockClass } from './schema.ts';
import { timelineReader } from './timeline.ts';

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

const FIND = 'SELECT id FROM worktrees WHERE project = $1 AND uuid::text = $2';

async function numberOf({ database, project }: Opened, id: string): Promise<number> {
  const [row] = await database.query<{ id: number }>(FIND, [project, id]);
  if (row !== undefined) return row.id;
  throw new SavepointError('worktree-not-found', 'the project has no such worktree', {
    hint: 'savepoint store shows them',
  });
}

async function readerOf(run: Run, opened: Opened, id: string): Promise<StoreReader> {
  const worktree = await numberOf(opened, id);
  const there: Run = (work) => run((own) => work({ ...own, worktree }));
  return {
    timeline: timelineReader(there),
    state: () => there((opened) => readState(opened.database, opened.worktree)),
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
  const worktree = await numberOf(opened, id);
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
