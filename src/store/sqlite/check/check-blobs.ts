import { isSavepointError } from '../../../model/errors.ts';
import type { Connection } from '../connection.ts';
import type { Opened } from '../opened.ts';
import { readBlob } from '../read-blob.ts';
import { bytesToHash } from '../state-columns.ts';
import { affectedBy } from './affected.ts';
import { problem, type StoreProblem } from './problem.ts';

interface Row {
  readonly id: number;
  readonly hash: Uint8Array;
  readonly size: number;
  readonly encoding: string;
}

const NAMED = `
  SELECT before_blob AS id FROM changes UNION SELECT after_blob FROM changes UNION SELECT blob FROM heads`;

const DANGLING = `SELECT id FROM (${NAMED}) WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM blobs)`;

// One that is missing and that nothing names only keeps its number from being used again.
const ROWS = `
  SELECT id, hash, size, encoding FROM blobs
  WHERE encoding <> 'missing' OR id IN (${NAMED}) ORDER BY id`;

/** Every blob is read and compared with its hash. Gives way after each; `count` is called for each. */
export async function* checkBlobs(opened: Opened): AsyncGenerator<StoreProblem | null> {
  const { connection } = opened;
  for (const { id } of connection.all<{ id: number }>(DANGLING)) {
    yield problem('chain', 'a content is named that is not there', affectedBy(connection, id));
  }
  for (const row of connection.all<Row>(ROWS)) yield checkBlob(opened, row);
}

export function countBlobs(connection: Connection): number {
  return connection.get<{ count: number }>(`SELECT count(*) AS count FROM (${ROWS})`)?.count ?? 0;
}

function checkBlob(opened: Opened, { id, hash, size, encoding }: Row): StoreProblem | null {
  const blob = bytesToHash(hash);
  try {
    if (readBlob(opened, blob).length === size) return null;
    return lost(opened, id, `the content ${blob} is not as long as its row says`);
  } catch (error) {
    if (isSavepointError(error, 'blob-missing'))
      return lost(opened, id, `the content ${blob} is missing`);
    if (!isSavepointError(error, 'blob-corrupt')) throw error;
    const where = encoding === 'pack' || encoding === 'git' ? ` where ${encoding} has it` : '';
    return lost(opened, id, `the content ${blob} is damaged${where}`);
  }
}

function lost({ connection }: Opened, id: number, message: string): StoreProblem {
  return problem('blob', message, affectedBy(connection, id));
}
