import { COUNT, exact, type Kind, matching } from '../model/check.ts';
import { type BlobId, HASH } from '../model/ids.ts';
import { blobOf } from '../store/blob.ts';
import type { Blob } from '../store/store.ts';
import { checkHistory } from './check-history.ts';
import { FRAME, readFrames } from './frames.ts';
import { countRows, type History, LISTS } from './history.ts';
import { invalid, type TransferCounts, type TransferLimits, tooLarge } from './requests.ts';
import { parseJson, readRow, refuseOther } from './rows.ts';

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
  let read: ReadExport | null = null;
  for await (const { type, content, before } of readFrames(source, limits)) {
    if (type === FRAME.blob) yield reading.takeBlob(content);
    else if (type === FRAME.rows) reading.takeRows(content);
    else read = reading.finish(content, before);
  }
  if (read === null) throw invalid('it has no end');
  return read;
}

/** No file system takes a longer target. */
const MAX_TARGET_BYTES = 4095;

class Reading {
  readonly #limits: TransferLimits;
  readonly #sizes = new Map<BlobId, number>();
  readonly #targets = new Set<BlobId>();
  readonly #history: History = {
    sessions: [],
    checkpoints: [],
    changes: [],
    operations: [],
    cancellations: [],
  };
  #rows = 0;
  #blobBytes = 0;

  constructor(limits: TransferLimits) {
    this.#limits = limits;
  }

  takeBlob(content: Buffer): Blob {
    if (this.#rows > 0) throw invalid('content follows rows');
    const blob = blobOf(content);
    if (this.#sizes.has(blob.id)) throw invalid('it holds the same content twice');
    this.#sizes.set(blob.id, content.length);
    this.#blobBytes += content.length;
    const { maxBlobs, maxTotalBytes } = this.#limits;
    if (this.#sizes.size > maxBlobs) throw tooLarge(`more than ${maxBlobs} files`);
    if (this.#blobBytes > maxTotalBytes) throw tooLarge(`more than ${maxTotalBytes} bytes`);
    const isTarget = content.length > 0 && content.length <= MAX_TARGET_BYTES;
    if (isTarget && !content.includes(0)) this.#targets.add(blob.id);
    return blob;
  }

  takeRows(content: Buffer): void {
    const { maxRows } = this.#limits;
    for (const line of textOf(content).split('\n')) {
      this.#rows += 1;
      if (this.#rows > maxRows) throw tooLarge(`more than ${maxRows} rows`);
      const { list, row } = readRow(`row ${this.#rows}`, line);
      (this.#history[list] as object[]).push(row);
    }
  }

  /** `before` is the SHA-256 of everything before the end. */
  finish(content: Buffer, before: string): ReadExport {
    const end: unknown = parseJson('the end', textOf(content));
    refuseOther(END, 'the end', end);
    const { sha256, ...counts } = end;
    if (sha256 !== before) throw invalid('its checksum does not fit');
    checkHistory(this.#history, { sizes: this.#sizes, targets: this.#targets });
    const found: TransferCounts = {
      ...countRows(this.#history),
      blobs: this.#sizes.size,
      blobBytes: this.#blobBytes,
    };
    if (COUNTED.some((name) => found[name] !== counts[name])) {
      throw invalid('it does not hold as much as it says');
    }
    return { history: this.#history, counts };
  }
}

interface End extends TransferCounts {
  readonly sha256: string;
}

const COUNTED = [...LISTS, 'blobs', 'blobBytes'] as const;

const END = exact({
  ...Object.fromEntries(COUNTED.map((name) => [name, COUNT])),
  sha256: matching(HASH, 'a SHA-256'),
}) as Kind<unknown> as Kind<End>;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(content: Buffer): string {
  try {
    return decoder.decode(content);
  } catch (error) {
    throw invalid('a row is not UTF-8', { cause: error });
  }
}
