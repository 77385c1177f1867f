import {
  closeSync,
  existsSync,
  fdatasyncSync,
  openSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { syncPath } from '../../fs/write-file.ts';
import type { Blob } from '../store.ts';
import type { Connection } from './connection.ts';
import { makeEmptyFile, readPart } from './layout.ts';
import { writeMeta } from './meta.ts';

const READ_END = "SELECT value FROM meta WHERE key = 'arrivals'";
// Only blobs that compaction has not looked at are there, so the index of pending blobs finds them.
const LAST = `
  SELECT max(data + size) AS past FROM blobs WHERE pending = 1 AND encoding = 'arrived'`;

/**
 * Large blobs wait here for compaction, one behind the other in one file. So an edit waits until its bytes are
 * durable, and not until a new file and its name are too. Bytes past the end that the database knows belong to
 * nobody. All methods that write are called in a transaction, so there is one writer at a time.
 */
export class Arrivals {
  readonly #file: string;
  #isNamed = false;

  constructor(file: string) {
    this.#file = file;
  }

  /** Where the next bytes go. */
  end(connection: Connection): number {
    return connection.get<{ value: number }>(READ_END)?.value ?? 0;
  }

  /** Makes the bytes of blobs durable, from `begin` on. On failure nothing is left of them. */
  append(connection: Connection, begin: number, blobs: Iterable<Blob>): void {
    let end = begin;
    const descriptor = this.#open();
    try {
      for (const { bytes } of blobs) {
        writeAll(descriptor, bytes, end);
        end += bytes.length;
      }
      fdatasyncSync(descriptor);
    } catch (error) {
      this.giveBack(begin);
      throw error;
    } finally {
      closeSync(descriptor);
    }
    writeMeta(connection, 'arrivals', end);
  }

  /** For a transaction that fails: what it appended from `begin` on goes. On a full disk the room counts. */
  giveBack(begin: number): void {
    try {
      truncateSync(this.#file, begin);
    } catch {
      // The failure that brought us here is the one to report; the next writer writes over it.
    }
  }

  /** Others, or fewer, than were put when compaction has moved them since the row was read. */
  read(start: number, size: number): Uint8Array {
    return readPart(this.#file, start, size);
  }

  /** Gives back what no row names, as far as it lies at the end: moved blobs, and what a crash left. */
  shrink(connection: Connection): void {
    const past = connection.get<{ past: number | null }>(LAST)?.past ?? 0;
    if (past < this.end(connection)) writeMeta(connection, 'arrivals', past);
    const size = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > past) truncateSync(this.#file, past);
  }

  /** Opened anew each time: somebody may have removed it. */
  #open(): number {
    if (!this.#isNamed || !existsSync(this.#file)) {
      // Also where it is there already: whoever made it may have died before its name was safe.
      makeEmptyFile(this.#file);
      syncPath(dirname(this.#file));
      this.#isNamed = true;
    }
    return openSync(this.#file, 'r+');
  }
}

function writeAll(descriptor: number, bytes: Uint8Array, start: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(descriptor, bytes, done, bytes.length - done, start + done);
  }
}
