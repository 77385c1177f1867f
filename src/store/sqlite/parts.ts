import { SavepointError } from '../../model/errors.ts';
import type { PartId } from '../../model/ids.ts';
import { missingPart, PART_KINDS, type Part, type PartKind, partOf } from '../parts/part.ts';
import { sealOf } from '../seal.ts';
import { bytesToHash } from '../state-columns.ts';
import { type Connection, isMalformed } from './connection.ts';

export interface PartRow {
  readonly id: number;
  readonly hash: Uint8Array;
  readonly kind: number;
  readonly children: string | null;
  readonly data: string | Uint8Array;
}

// SQLite gives out the greatest number and one: that of a row which is there, so that none comes twice.
const INSERT = `
  INSERT INTO parts (hash, kind, children, data, seal) VALUES (?1, ?2, ?3, ?4, ?5)
  ON CONFLICT (hash) DO NOTHING`;

// A row with this name and another content is damaged. It keeps its number if its children have smaller ones.
const MEND = `
  UPDATE parts SET kind = ?2, children = ?3, data = ?4, seal = ?5
  WHERE hash = ?1 AND id > ?6 AND (kind, children, data) IS NOT (?2, ?3, ?4)`;

const GENERATION = "SELECT value FROM meta WHERE key = 'parts'";
// Numbers are small; this is more than a large document has.
const REMEMBERED = 100_000;

interface Memory {
  generation: unknown;
  readonly numbers: Map<PartId, number>;
}

const memories = new WeakMap<Connection, Memory>();

/** The numbers of parts, within one transaction. They stay known until somebody removes parts. */
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
    throw missingPart(id);
  }

  put(part: Part): void {
    if (this.#known(part.id) !== null) return;
    const numbers = this.below(part);
    const hash = Buffer.from(part.id, 'hex');
    const kind = PART_KINDS.indexOf(part.kind);
    const children = listOf(numbers);
    const seal = sealOf(hash, kind, children);
    const values = [hash, kind, children, part.data, seal] as const;
    const number = this.#connection.insert(INSERT, ...values);
    if (number !== null) {
      this.#found.set(part.id, number);
      return;
    }
    this.#connection.run(MEND, ...values, Math.max(0, ...numbers));
    this.#find(part.id);
  }

  /** Of what a part holds, in its order. */
  below({ children }: Part): readonly number[] {
    return children.map((name) => this.of(name));
  }

  /** The transaction has happened. */
  keep(): void {
    const { numbers } = this.#memory;
    if (numbers.size > REMEMBERED) numbers.clear();
    for (const [id, number] of this.#found) numbers.set(id, number);
  }

  #known(id: PartId): number | null {
    return this.#memory.numbers.get(id) ?? this.#found.get(id) ?? null;
  }

  #find(id: PartId): number | null {
    const known = this.#known(id);
    if (known !== null) return known;
    const sql = 'SELECT id FROM parts WHERE hash = ?';
    const row = this.#connection.get<{ id: number }>(sql, Buffer.from(id, 'hex'));
    if (row === undefined) return null;
    this.#found.set(id, row.id);
    return row.id;
  }
}

/** As a row has them. */
export function listOf(numbers: readonly number[]): string | null {
  return numbers.length === 0 ? null : JSON.stringify(numbers);
}

const readSql = (first: string): string => `
  WITH RECURSIVE reached(id) AS (
    ${first}
    UNION
    SELECT entry.value FROM reached
    JOIN parts ON parts.id = reached.id AND parts.children IS NOT NULL
    JOIN json_each(parts.children) AS entry
  )
  SELECT parts.id, kind, children, data FROM reached JOIN parts ON parts.id = reached.id`;

const READ_NAMED = readSql('SELECT id FROM parts WHERE hash = ?');
const READ_LISTED = readSql('SELECT value FROM json_each(?)');

/**
 * See the port. One query, and then a look at every byte: the name of each part is made from what was found,
 * and with it those of the parts that hold it, up to the first one, whose name is known.
 */
export function readParts(connection: Connection, root: PartId): Part[] {
  const parts = namedParts(rowsBelow(connection, READ_NAMED, Buffer.from(root, 'hex')), new Map());
  if (parts.length === 0) throw missingPart(root);
  if (!parts.some(({ id }) => id === root)) throw corrupt(root);
  return parts;
}

/** A part whose row is elsewhere, with all that it holds: its name vouches for them. */
export function readBelow(connection: Connection, row: PartRow): Part[] {
  const names = new Map<number, PartId>();
  const below =
    row.children === null
      ? []
      : namedParts(rowsBelow(connection, READ_LISTED, row.children), names);
  return [...below, toPart(row, names)];
}

function namedParts(rows: Omit<PartRow, 'hash'>[], names: Map<number, PartId>): Part[] {
  // What a part holds was stored before it.
  rows.sort((a, b) => a.id - b.id);
  return rows.map((row) => {
    const part = foundPart(row, names);
    names.set(row.id, part.id);
    return part;
  });
}

function rowsBelow(
  connection: Connection,
  sql: string,
  value: string | Uint8Array,
): Omit<PartRow, 'hash'>[] {
  try {
    return connection.all<Omit<PartRow, 'hash'>>(sql, value);
  } catch (error) {
    throw isMalformed(error) ? corrupt('of a document') : error;
  }
}

/** The part that a row says, if it is what its name vouches for. */
export function toPart(row: PartRow, names: ReadonlyMap<number, PartId>): Part {
  const part = foundPart(row, names);
  const name = bytesToHash<PartId>(row.hash);
  if (part.id !== name) throw corrupt(name);
  return part;
}

function foundPart(row: Omit<PartRow, 'hash'>, names: ReadonlyMap<number, PartId>): Part {
  const children = childrenOf(row).map((child) => {
    const name = names.get(child);
    if (name !== undefined) return name;
    throw new SavepointError('part-missing', `part ${child} of a document is not in the store`);
  });
  const kind = PART_KINDS[row.kind] as PartKind | undefined;
  const isBytes = row.data instanceof Uint8Array;
  const isData = isBytes || typeof row.data === 'string';
  if (kind === undefined || !isData || (kind === 'bytes') !== isBytes)
    throw corrupt(String(row.id));
  return partOf(kind, children, row.data);
}

const NONE: readonly number[] = [];

function childrenOf({ children }: Pick<PartRow, 'children'>): readonly number[] {
  if (children === null) return NONE;
  const numbers = parsed(children);
  if (!Array.isArray(numbers)) throw corrupt('of a document');
  return numbers;
}

/** Undefined where the text is not JSON. SQLite is more tolerant than this. */
function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}

export function corrupt(id: string): SavepointError {
  return new SavepointError('part-corrupt', `part ${id} is not what was stored`, {
    hint: 'savepoint fsck says what is damaged',
  });
}
