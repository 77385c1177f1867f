import { randomBytes } from 'node:crypto';
import { SavepointError } from '../../model/errors.ts';
import type { Connection } from './connection.ts';
import { writeMeta } from './meta.ts';
import { isMalformed } from './parts.ts';
import { sealSql } from './seals.ts';

/** Of a row that only keeps its number from being used again. */
export const NO_PART = -1;

const KEPT = `
  WITH RECURSIVE kept(id) AS (
    SELECT root FROM steps WHERE root IS NOT NULL
    UNION SELECT result FROM steps WHERE result IS NOT NULL
    UNION SELECT part FROM documents WHERE part IS NOT NULL
    UNION SELECT entry.value FROM documents
    JOIN json_each(documents.children) AS entry WHERE documents.children IS NOT NULL
    UNION SELECT entry.value FROM kept
    JOIN parts ON parts.id = kept.id AND parts.children IS NOT NULL
    JOIN json_each(parts.children) AS entry
  )`;

const DROP = `${KEPT}
  DELETE FROM parts WHERE id NOT IN (SELECT id FROM kept) AND id < (SELECT max(id) FROM parts)`;

const sealed = { hash: '?1', kind: String(NO_PART), children: 'NULL' };
const BLANK = `${KEPT}
  UPDATE parts SET hash = ?1, kind = ${NO_PART}, children = NULL, data = x'',
    seal = ${sealSql('parts', sealed)}
  WHERE id = (SELECT max(id) FROM parts) AND id NOT IN (SELECT id FROM kept) AND kind <> ${NO_PART}`;

/** Throws where a list of parts is damaged: nobody can tell what to keep. */
function removed(connection: Connection): number {
  try {
    return connection.run(BLANK, randomBytes(32)) + connection.run(DROP);
  } catch (error) {
    if (!isMalformed(error)) throw error;
    throw new SavepointError('store-corrupt', 'a list of the parts of a document is damaged', {
      hint: 'savepoint fsck says which; nothing was removed',
      cause: error,
    });
  }
}

/** Removes parts that no step and no document reaches. The greatest number stays taken. */
export function dropParts(connection: Connection): void {
  connection.immediate(() => {
    const gone = removed(connection);
    if (gone === 0) return;
    const sql = "SELECT coalesce(max(value), 0) AS count FROM meta WHERE key = 'parts'";
    const { count } = connection.get<{ count: number }>(sql) ?? { count: 0 };
    // Other processes may remember numbers that are gone now.
    writeMeta(connection, 'parts', count + 1);
  });
}
