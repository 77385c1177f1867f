import { SavepointError } from '../../model/errors.ts';
import type { PartId } from '../../model/ids.ts';
import { PART_KINDS, type Part, type PartKind, partId } from '../parts/part.ts';
import type { Connection } from './connection.ts';
import { newSealSql } from './seals.ts';

export interface PartRow {
  readonly id: number;
  readonly hash: Uint8Array;
  readonly kind: number;
  readonly children: string | null;
  readonly data: Uint8Array;
}

const INSERT = `
  INSERT INTO parts (hash, kind, children, data, seal, id)
  VALUES (?1, ?2, ?3, ?4, ${newSealSql('parts')}, 1 + coalesce((SELECT max(id) FROM parts), 0))
  RETURNING id`;

const GENERATION = "SELECT value FROM meta WHERE key = 'parts'";
// Numbers are small; this is more than a large document has.
const REMEMBERED = 100_000;

interface Memory {
  generation: unknown;
  readonly numbers: Map<PartId, number>;
}

const memories = new WeakMap<Connection, Memory>();

/** The numbers of parts, within one transaction. What was found stays known until something is removed. */
export class PartNumbers {
  readonly #connection: Connection;
  readonly #memory: Memory;
  readonly #found = new Map<PartId, number>();

  constructor(connection: Connection) {
    this.#connection = connection;
    const generation = connection.get<{ value: unknown }>(GENERATION)?.value ?? null;
    const known = memories.get(connection);
    const isFresh = known !== undefined && known.generation === generation;
    this.#memory = isFresh ? known : { generation, numbers: new Map() };
    memories.set(connection, this.#memory);
  }

  /** Throws `part-missing`. */
  of(id: PartId): number {
    const number = this.#find(id);
    if (number !== null) return number;
    throw new SavepointError('part-missing', `part ${id} is not in the store`);
  }

  put(part: Part): void {
    if (this.#find(part.id) !== null) return;
    const children = part.children.map((child) => this.of(child));
    const row = this.#connection.get<{ id: number }>(
      INSERT,
      Buffer.from(part.id, 'hex'),
      PART_KINDS.indexOf(part.kind),
      children.length === 0 ? null : JSON.stringify(children),
      part.data,
    );
    this.#found.set(part.id, row?.id ?? 0);
  }

  /** The transaction has happened. */
  keep(): void {
    const { numbers } = this.#memory;
    if (numbers.size > REMEMBERED) numbers.clear();
    for (const [id, number] of this.#found) numbers.set(id, number);
  }

  #find(id: PartId): number | null {
    const known = this.#found.get(id) ?? this.#memory.numbers.get(id);
    if (known !== undefined) return known;
    const sql = 'SELECT id FROM parts WHERE hash = ?';
    const row = this.#connection.get<{ id: number }>(sql, Buffer.from(id, 'hex'));
    if (row !== undefined) this.#found.set(id, row.id);
    return row?.id ?? null;
  }
}

const READ = `
  WITH RECURSIVE reached(id) AS (
    SELECT id FROM parts WHERE hash = ?
    UNION
    SELECT entry.value FROM reached
    JOIN parts ON parts.id = reached.id AND parts.children IS NOT NULL
    JOIN json_each(parts.children) AS entry
  )
  SELECT parts.id, hash, kind, children, data FROM reached JOIN parts ON parts.id = reached.id`;

/** See the port. One query, and then a look at every byte. */
export function readParts(connection: Connection, root: PartId): Part[] {
  const rows = connection.all<PartRow>(READ, Buffer.from(root, 'hex'));
  if (rows.length === 0) {
    throw new SavepointError('part-missing', `part ${root} is not in the store`);
  }
  const names = new Map(rows.map(({ id, hash }) => [id, nameOf(hash)]));
  return rows.map((row) => toPart(row, names));
}

/** The part that a row says, if it is what its name vouches for. */
export function toPart(row: PartRow, names: ReadonlyMap<number, PartId>): Part {
  const id = names.get(row.id) ?? nameOf(row.hash);
  const children = childrenOf(row).map((child) => {
    const name = names.get(child);
    if (name !== undefined) return name;
    throw new SavepointError('part-missing', `a part that ${id} holds is not in the store`);
  });
  const kind = PART_KINDS[row.kind] as PartKind | undefined;
  if (kind === undefined || partId(kind, children, row.data) !== id) throw corrupt(id);
  return { id, kind, children, data: row.data };
}

export function childrenOf({ children }: Pick<PartRow, 'children'>): number[] {
  return children === null ? [] : (JSON.parse(children) as number[]);
}

/** By which rows name it, as a subquery; null stays null. */
export function nameOf(hash: Uint8Array): PartId {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.length).toString('hex') as PartId;
}

function corrupt(id: PartId): SavepointError {
  return new SavepointError('part-corrupt', `part ${id} is not what was stored`, {
    hint: 'savepoint fsck says what is damaged',
  });
}
