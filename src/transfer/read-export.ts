import type { BlobId } from '../model/ids.ts';
import { blobOf } from '../store/blob.ts';
import type { Blob } from '../store/store.ts';
import { checkHistory } from './check-history.ts';
import { FRAME } from './format.ts';
import { type Frame, readFrames } from './frame-reader.ts';
import type { History } from './history.ts';
import { parse, type Row, readRow } from './read-rows.ts';
import { invalid, tooLarge } from './refusals.ts';
import type { TransferCounts, TransferLimits } from './requests.ts';
import { integer, matching, objectOf } from './strict.ts';

export interface ReadExport {
  readonly history: History;
  readonly counts: TransferCounts;
}

/**
 * Reads an export as something that an enemy wrote. Gives the blobs one by one, under the hash that they
 * really have, and at last the history, in which every row, reference and chain was checked. Nothing is
 * to be used before that: what comes last may show that what came first is worth nothing.
 */
export async function* readExport(
  source: AsyncIterable<Uint8Array>,
  limits: TransferLimits,
): AsyncGenerator<Blob, ReadExport> {
  const reading = new Reading(limits);
  for await (const frame of readFrames(source, limits)) {
    const blob = reading.take(frame);
    if (blob !== null) yield blob;
  }
  return reading.finish();
}

/** No file system takes a longer target. */
const MAX_TARGET_BYTES = 4095;

class Reading {
  readonly #limits: TransferLimits;
  readonly #sizes = new Map<BlobId, number>();
  readonly #targets = new Set<BlobId>();
  readonly #history = emptyHistory();
  #rows = 0;
  #blobBytes = 0;
  #counts: TransferCounts | null = null;

  constructor(limits: TransferLimits) {
    this.#limits = limits;
  }

  take({ type, content, before }: Frame): Blob | null {
    if (type === FRAME.blob) return this.#takeBlob(content);
    if (type === FRAME.rows) this.#takeRows(content);
    else this.#takeEnd(content, before);
    return null;
  }

  finish(): ReadExport {
    const history = this.#history;
    checkHistory(history, { sizes: this.#sizes, targets: this.#targets });
    if (this.#counts === null) throw invalid('it has no end');
    const { blobs, blobBytes, ...rows } = this.#counts;
    const fits =
      blobs === this.#sizes.size &&
      blobBytes === this.#blobBytes &&
      Object.entries(rows).every(([key, count]) => history[key as keyof History].length === count);
    if (!fits) throw invalid('it does not hold as much as it says');
    return { history, counts: this.#counts };
  }

  #takeBlob(content: Buffer): Blob {
    if (this.#rows > 0) throw invalid('content follows rows');
    const blob = blobOf(content);
    if (this.#sizes.has(blob.id)) throw invalid('it holds the same content twice');
    this.#sizes.set(blob.id, content.length);
    this.#blobBytes += content.length;
    const { maxBlobs, maxTotalBytes } = this.#limits;
    if (this.#sizes.size > maxBlobs) throw tooLarge(`more than ${maxBlobs} files`);
    if (this.#blobBytes > maxTotalBytes) throw tooLarge(`more than ${maxTotalBytes} bytes`);
    if (isTarget(content)) this.#targets.add(blob.id);
    return blob;
  }

  #takeRows(content: Buffer): void {
    const { maxRows } = this.#limits;
    for (const line of textOf(content).split('\n')) {
      this.#rows += 1;
      if (this.#rows > maxRows) throw tooLarge(`more than ${maxRows} rows`);
      this.#add(readRow(`row ${this.#rows}`, line));
    }
  }

  #takeEnd(content: Buffer, before: string): void {
    const { sha256, ...counts } = END('the end', parse('the end', textOf(content)));
    if (sha256 !== before) throw invalid('its checksum does not fit');
    this.#counts = counts;
  }

  #add(row: Row): void {
    if (row.kind === 'session') this.#history.sessions.push(row.value);
    else if (row.kind === 'checkpoint') this.#history.checkpoints.push(row.value);
    else if (row.kind === 'change') this.#history.changes.push(row.value);
    else if (row.kind === 'operation') this.#history.operations.push(row.value);
    else this.#history.cancellations.push(row.value);
  }
}

type Growing<T> = { [Key in keyof T]: T[Key] extends readonly (infer Row)[] ? Row[] : never };

function emptyHistory(): Growing<History> {
  return { sessions: [], checkpoints: [], changes: [], operations: [], cancellations: [] };
}

const count = integer(0, Number.MAX_SAFE_INTEGER);
const END = objectOf<TransferCounts & { readonly sha256: string }>({
  sessions: count,
  checkpoints: count,
  changes: count,
  operations: count,
  cancellations: count,
  blobs: count,
  blobBytes: count,
  sha256: matching(/^[0-9a-f]{64}$/, 'SHA-256'),
});

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(content: Buffer): string {
  try {
    return decoder.decode(content);
  } catch (error) {
    throw invalid('a row is not UTF-8', { cause: error });
  }
}

function isTarget(content: Buffer): boolean {
  return content.length > 0 && content.length <= MAX_TARGET_BYTES && !content.includes(0);
}
