import type { BlobId } from '../model/ids.ts';

/** How many bytes are kept in memory so that they need not be read again. */
export const MOST_KEPT: number = 16 * 1024 * 1024;

/** Contents that were read and will be wanted again, as many as fit. */
export class KeptContents {
  readonly #contents = new Map<BlobId, Uint8Array>();
  #bytes = 0;

  get(id: BlobId): Uint8Array | undefined {
    return this.#contents.get(id);
  }

  keep(id: BlobId, bytes: Uint8Array): void {
    if (this.#bytes + bytes.length > MOST_KEPT || this.#contents.has(id)) return;
    this.#contents.set(id, bytes);
    this.#bytes += bytes.length;
  }
}
