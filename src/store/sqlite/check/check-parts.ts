import { isSavepointError } from '../../../model/errors.ts';
import type { PartId } from '../../../model/ids.ts';
import type { Connection } from '../connection.ts';
import type { Opened } from '../opened.ts';
import { nameOf, type PartRow, toPart } from '../parts.ts';
import { NO_PART } from '../prune-parts.ts';
import { problem, type StoreProblem } from './problem.ts';

const IDS = `SELECT id FROM parts WHERE kind <> ${NO_PART} ORDER BY id`;
const ROW = 'SELECT id, hash, kind, children, data FROM parts WHERE id = ?';

const THERE = `(SELECT id FROM parts WHERE kind <> ${NO_PART})`;
const OF_STEP =
  "' of step ' || step || ' of ' || (SELECT id FROM executions WHERE num = execution)";

const NAMELESS = `
  SELECT 'document ' || category || ' ' || key AS what FROM documents WHERE root NOT IN ${THERE}
  UNION ALL SELECT 'state' || ${OF_STEP} FROM steps WHERE root NOT IN ${THERE}
  UNION ALL SELECT 'result' || ${OF_STEP} FROM steps WHERE result NOT IN ${THERE}`;

/** Every part is compared with its name, which vouches for all that it holds. */
export async function* checkParts({ connection }: Opened): AsyncGenerator<StoreProblem | null> {
  for (const { id, isWhole } of partsOf(connection)) {
    yield isWhole ? null : problem('blob', `the part ${id} of documents is damaged`);
  }
  for (const { what } of connection.all<{ what: string }>(NAMELESS)) {
    yield problem('blob', `the ${what} is lost`);
  }
}

export function countParts(connection: Connection): number {
  return connection.get<{ count: number }>(`SELECT count(*) AS count FROM (${IDS})`)?.count ?? 0;
}

/** In the order of their numbers: what a part holds was stored before it. */
export function* partsOf(connection: Connection): Generator<{ id: number; isWhole: boolean }> {
  const names = new Map<number, PartId>();
  for (const { id } of connection.all<{ id: number }>(IDS)) {
    const row = connection.get<PartRow>(ROW, id);
    const isWhole = row !== undefined && isIntact(row, names);
    if (isWhole) names.set(id, nameOf(row.hash));
    yield { id, isWhole };
  }
}

function isIntact(row: PartRow, names: ReadonlyMap<number, PartId>): boolean {
  try {
    toPart(row, names);
    return true;
  } catch (error) {
    // Values of other kinds than were written, or a list that is none.
    if (error instanceof TypeError || error instanceof SyntaxError) return false;
    if (isSavepointError(error, 'part-missing') || isSavepointError(error, 'part-corrupt')) {
      return false;
    }
    throw error;
  }
}
