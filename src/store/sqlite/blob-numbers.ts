import type { BlobId } from '../../model/ids.ts';
import type { State } from '../../model/state.ts';
import type { Connection } from './connection.ts';
import { newSealSql } from './seals.ts';
import { hashToBytes } from './state-columns.ts';

const FIND = 'SELECT id FROM blobs WHERE hash = ?';

const INSERT_MISSING = `
  INSERT INTO blobs (hash, size, stored, encoding, pending, base, depth, data, seal)
  VALUES (?1, ?2, 0, 'missing', 0, NULL, 0, NULL, ${newSealSql('blobs')}) RETURNING id`;

/** The numbers by which the rows of one transaction name blobs. */
export class BlobNumbers {
  readonly #connection: Connection;
  readonly #known = new Map<BlobId, number>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** For a blob that this transaction has just put. */
  know(id: BlobId, number: number): void {
    this.#known.set(id, number);
  }

  /** Of the state's blob, which gets a row where it has none: that it is missing shows when it is read. */
  of(state: State): number | null {
    if (state.kind !== 'captured' || state.blob === null) return null;
    const known = this.#known.get(state.blob);
    if (known !== undefined) return known;
    const hash = hashToBytes(state.blob);
    const row =
      this.#connection.get<{ id: number }>(FIND, hash) ??
      (this.#connection.get<{ id: number }>(INSERT_MISSING, hash, state.size) as { id: number });
    this.#known.set(state.blob, row.id);
    return row.id;
  }
}
