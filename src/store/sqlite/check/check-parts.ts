import { isSavepointError } from '../../../model/errors.ts';
import type { PartId } from '../../../model/ids.ts';
import type { Connection } from '../connection.ts';
import { ownPart } from '../documents.ts';
import type { Opened } from '../opened.ts';
import { nameOf, type PartRow, toPart } from '../parts.ts';
import { NO_PART } from '../prune-parts.ts';
import { problem, type StoreProblem } from './problem.ts';

const IDS = `SELECT id FROM parts WHERE kind <> ${NO_PART} ORDER BY id`;
const ROW = 'SELECT id, hash, kind, children, data FROM parts WHERE id = ?';

/** Whether a column names a part that is not there; even null is not among none. */
export function isLost(column: string): string {
  const there = `(SELECT id FROM parts WHERE kind <> ${NO_PART})`;
  return `(${column} IS NOT NULL AND ${column} NOT IN ${there})`;
}

const OF_STEP =
  "' of step ' || step || ' of ' || (SELECT id FROM executions WHERE num = execution)";

const NAMELESS = `
  SELECT 'document ' || category || ' ' || key AS what FROM documents WHERE ${isLost('part')}
  UNION ALL SELECT 'state' || ${OF_STEP} FROM steps WHERE ${isLost('root')}
  UNION ALL SELECT 'result' || ${OF_STEP} FROM steps WHERE ${isLost('result')}`;

/** Every part is compared with its name, which vouches for all that it holds. */
export async function* checkParts({ connection }: Opened): AsyncGenerator<StoreProblem | null> {
  const names = new Map<number, PartId>();
  for (const { id, isWhole } of partsOf(connection, names)) {
    yield isWhole ? null : problem('blob', `the part ${id} of documents is damaged`);
  }
  for (const row of connection.all<OwnRow>(OWN)) {
    const name = `${row.category} ${row.key}`;
    yield isOwnIntact(row, names) ? null : problem('blob', `the document ${name} is damaged`);
  }
  for (const { what } of connection.all<{ what: string }>(NAMELESS)) {
    yield problem('blob', `the ${what} is lost`);
  }
}

const OWN = 'SELECT * FROM documents WHERE part IS NULL';

export interface OwnRow extends Omit<PartRow, 'id'> {
  readonly num: number;
  readonly category: string;
  readonly key: string;
}

/** Documents whose first part is in their own rows and damaged, or holds one that is not among these. */
export function damagedDocuments(
  connection: Connection,
  names: ReadonlyMap<number, PartId>,
): OwnRow[] {
  return connection.all<OwnRow>(OWN).filter((row) => !isOwnIntact(row, names));
}

function isOwnIntact(row: OwnRow, names: ReadonlyMap<number, PartId>): boolean {
  return isReadable(() => toPart(ownPart(row), names));
}

export function countParts(connection: Connection): number {
  return connection.get<{ count: number }>(`SELECT count(*) AS count FROM (${IDS})`)?.count ?? 0;
}

/** In the order of their numbers: what a part holds was stored before it. `names` gets those of whole ones. */
export function* partsOf(
  connection: Connection,
  names: Map<number, PartId>,
): Generator<{ id: number; isWhole: boolean }> {
  for (const { id } of connection.all<{ id: number }>(IDS)) {
    const row = connection.get<PartRow>(ROW, id);
    const isWhole = row !== undefined && isIntact(row, names);
    if (isWhole) names.set(id, nameOf(row.hash));
    yield { id, isWhole };
  }
}

function isIntact(row: PartRow, names: ReadonlyMap<number, PartId>): boolean {
  return isReadable(() => toPart(row, names));
}

function isReadable(read: () => unknown): boolean {
  try {
    read();
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
