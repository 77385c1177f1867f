import { SavepointError } from '../../model/errors.ts';
import type { PartId } from '../../model/ids.ts';
import { missingPart, PART_KINDS, type Part, partOf } from '../parts/part.ts';
import { fourEach, type Prepared, type Session, together, type Writing } from './database.ts';
import { bytesToText } from './record-table.ts';

const HASH_BYTES = 32;
const STATEMENT_PARTS = 1_000;
const MOST_PREPARED = 16;

interface PartRow {
  readonly hash: Buffer;
  readonly kind: number;
  readonly children: Buffer;
  readonly data: Buffer;
}

/** The hashes that the column `children` holds, as rows. */
const CHILDREN = `
  generate_series(0, octet_length(parts.children) / ${HASH_BYTES} - 1) AS child(place)`;
const CHILD = `substring(parts.children FROM child.place * ${HASH_BYTES} + 1 FOR ${HASH_BYTES})`;

const READ = `
  WITH RECURSIVE reached(hash) AS (
    SELECT $2::bytea
    UNION
    SELECT ${CHILD} FROM reached
    JOIN parts ON parts.project = $1 AND parts.hash = reached.hash
    CROSS JOIN LATERAL ${CHILDREN}
  )
  SELECT hash, kind, children, data FROM reached JOIN parts USING (hash) WHERE project = $1`;

/** See the port: a part with all that it holds. */
export async function readParts(session: Session, project: number, root: PartId): Promise<Part[]> {
  const rows = await session.query<PartRow>(READ, [project, Buffer.from(root, 'hex')]);
  return partsFrom(rows, root);
}

/** The parts that rows say, if they are what their names vouch for, and none is missing. */
function partsFrom(rows: readonly PartRow[], root: PartId): Part[] {
  const parts = rows.map(partFrom);
  const found = new Set(parts.map(({ id }) => id));
  for (const id of [root, ...parts.flatMap(({ children }) => children)]) {
    if (!found.has(id)) throw missingPart(id);
  }
  return parts;
}

function partFrom({ hash, kind, children, data }: PartRow): Part {
  const name = PART_KINDS[kind];
  const id = hash.toString('hex') as PartId;
  if (name !== undefined) {
    const content = name === 'bytes' ? new Uint8Array(data) : bytesToText(data);
    const part = partOf(name, namesIn(children), content);
    if (part.id === id) return part;
  }
  throw new SavepointError('part-corrupt', `part ${id} is not what was stored`);
}

function namesIn(children: Buffer): PartId[] {
  return Array.from(
    { length: children.length / HASH_BYTES },
    (_, at) => children.toString('hex', at * HASH_BYTES, (at + 1) * HASH_BYTES) as PartId,
  );
}

/**
 * Stores parts; those that are there already stay. Throws `part-missing` for one that they hold and that is not.
 * Answers how many are new.
 */
export async function putParts(
  session: Writing,
  project: number,
  parts: readonly Part[],
  alsoNeeded: readonly PartId[] = [],
): Promise<number> {
  // In one order, so that two writers of the same parts do not wait in a circle.
  const given = [...new Map(parts.map((part) => [part.id, part])).values()].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
  const stored = new Set(given.map(({ id }) => id));
  const named = new Set([...given.flatMap(({ children }) => children), ...alsoNeeded]);
  const others = [...named].filter((id) => !stored.has(id));
  const [fresh] = await together(
    insertParts(session, project, given),
    requireParts(session, project, others),
  );
  return fresh;
}

async function insertParts(
  session: Writing,
  project: number,
  parts: readonly Part[],
): Promise<number> {
  let fresh = 0;
  for (let at = 0; at < parts.length; at += STATEMENT_PARTS) {
    const group = parts.slice(at, at + STATEMENT_PARTS);
    const text = `
      INSERT INTO parts (project, hash, kind, children, data) VALUES ${fourEach(group.length)}
      ON CONFLICT DO NOTHING`;
    // Most documents bring a few new parts. A statement for every number would fill the server's memory.
    const sql = group.length > MOST_PREPARED ? text : { name: `put-parts-${group.length}`, text };
    fresh += await session.run(sql, [project, ...group.flatMap(valuesOf)]);
  }
  return fresh;
}

function valuesOf({ id, kind, children, data }: Part): unknown[] {
  return [
    Buffer.from(id, 'hex'),
    PART_KINDS.indexOf(kind),
    Buffer.from(children.join(''), 'hex'),
    typeof data === 'string' ? Buffer.from(data) : data,
  ];
}

const AMONG = 'FROM parts WHERE project = $1 AND hash = ANY($2::bytea[])';
const COUNT_AMONG: Prepared = { name: 'count-parts', text: `SELECT count(*) ${AMONG}` };

async function requireParts(
  session: Session,
  project: number,
  ids: readonly PartId[],
): Promise<void> {
  if (ids.length === 0) return;
  const values = [project, ids.map((id) => Buffer.from(id, 'hex'))];
  const [all] = await session.query<{ count: number }>(COUNT_AMONG, values);
  if (all?.count === ids.length) return;
  const rows = await session.query<{ hash: Buffer }>(`SELECT hash ${AMONG}`, values);
  const found = new Set(rows.map(({ hash }) => hash.toString('hex')));
  const lost = ids.find((id) => !found.has(id));
  if (lost !== undefined) throw missingPart(lost);
}

export const OF_PROJECT = 'worktree IN (SELECT id FROM worktrees WHERE project = $1)';
const DROP = `
  WITH RECURSIVE kept(hash) AS (
    (SELECT root FROM steps WHERE ${OF_PROJECT} AND root IS NOT NULL
    UNION SELECT result FROM steps WHERE ${OF_PROJECT} AND result IS NOT NULL
    UNION SELECT root FROM executions WHERE ${OF_PROJECT} AND root IS NOT NULL
    UNION SELECT root FROM documents WHERE project = $1)
    UNION
    SELECT ${CHILD} FROM kept JOIN parts ON parts.project = $1 AND parts.hash = kept.hash
    CROSS JOIN LATERAL ${CHILDREN}
  )
  DELETE FROM parts
  WHERE project = $1 AND NOT EXISTS (SELECT 1 FROM kept WHERE kept.hash = parts.hash)`;

/** Removes parts that no step and no document reaches. Nobody may be naming any meanwhile. */
export async function dropParts(session: Writing, project: number): Promise<void> {
  await session.run(DROP, [project]);
}
