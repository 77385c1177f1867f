import { SavepointError } from '../../model/errors.ts';
import type { BlobId, PartId } from '../../model/ids.ts';
import type { TrackedPath } from '../../model/path.ts';
import type { State } from '../../model/state.ts';
import { hashToBytes } from '../state-columns.ts';
import type { Connection } from './connection.ts';
import { PartNumbers } from './parts.ts';
import { newSealSql } from './seals.ts';

const FIND_BLOB = 'SELECT id FROM blobs WHERE hash = ?';

const INSERT_MISSING_BLOB = `
  INSERT INTO blobs (hash, size, stored, encoding, pending, base, depth, data, seal)
  VALUES (?1, ?2, 0, 'missing', 0, NULL, 0, NULL, ${newSealSql('blobs')}) RETURNING id`;

// A foreign key refuses it.
const NOBODY = -1;

/** The numbers by which the rows of one transaction name blobs, paths, sessions, executions and parts. */
export class Numbers {
  readonly connection: Connection;
  readonly #blobs = new Map<BlobId, number>();
  readonly #paths = new Map<TrackedPath, number>();
  readonly #sessions = new Map<string, number>();
  readonly #executions = new Map<string, number>();
  #parts: PartNumbers | null = null;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** For a blob that this transaction has just put. */
  knowBlob(id: BlobId, number: number): void {
    this.#blobs.set(id, number);
  }

  /** For a path whose head this transaction has just put. */
  knowPath(path: TrackedPath, number: number): void {
    this.#paths.set(path, number);
  }

  /** A blob that has no row gets one, and reading it then says that it is missing. */
  blob(state: State): number | null {
    if (state.kind !== 'captured' || state.blob === null) return null;
    const known = this.#blobs.get(state.blob);
    if (known !== undefined) return known;
    const hash = hashToBytes(state.blob);
    const row =
      this.connection.get<{ id: number }>(FIND_BLOB, hash) ??
      (this.connection.get<{ id: number }>(INSERT_MISSING_BLOB, hash, state.size) as {
        id: number;
      });
    this.#blobs.set(state.blob, row.id);
    return row.id;
  }

  path(path: TrackedPath): number {
    return this.#paths.get(path) ?? NOBODY;
  }

  session(id: string): number {
    const known = this.#sessions.get(id) ?? sessionNumber(this.connection, id);
    if (known === null) return NOBODY;
    this.#sessions.set(id, known);
    return known;
  }

  execution(id: string): number {
    const known = this.#executions.get(id);
    if (known !== undefined) return known;
    const row = this.connection.get<{ num: number }>('SELECT num FROM executions WHERE id = ?', id);
    if (row === undefined) {
      throw new SavepointError('argument-invalid', `there is no execution ${id}`);
    }
    this.#executions.set(id, row.num);
    return row.num;
  }

  /** Throws `part-missing`. */
  part(id: PartId): number {
    return this.parts.of(id);
  }

  get parts(): PartNumbers {
    this.#parts ??= new PartNumbers(this.connection);
    return this.#parts;
  }

  /** The transaction has happened: the numbers of parts are remembered for the next one. */
  keep(): void {
    this.#parts?.keep();
  }
}

export function sessionNumber(connection: Connection, id: string): number | null {
  const sql = 'SELECT num FROM sessions WHERE id = ?';
  return connection.get<{ num: number }>(sql, id)?.num ?? null;
}
