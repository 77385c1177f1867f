import { readFileSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { constants, type ZstdOptions, zstdCompress, zstdDecompressSync } from 'node:zlib';
import { makePrivateFolder } from '../../../fs/write-file.ts';
import { SavepointError } from '../../../model/errors.ts';
import { type BlobId, isBlobId } from '../../../model/ids.ts';
import { hashBytes, isPackName, newPackName, requireHash } from '../../blob.ts';
import type { Blob, PackReceipt } from '../../store.ts';
import {
  filesIn,
  type Layout,
  type PackPlace,
  readPart,
  sizeBelow,
  writeDurably,
} from '../layout.ts';
import { Damaged, PackFolder } from './pack-folder.ts';
import {
  encodeIndex,
  type Frame,
  indexFile,
  PackIndex,
  type Place,
  packFile,
  packOf,
} from './pack-index.ts';

// A frame larger than this holds a single blob, so nobody asks for its neighbours.
const MAX_CACHED_BYTES = 1024 * 1024;
const MAX_CHUNK_BYTES = 1024 * 1024;

/** The packs of a store. */
export class Packs implements PackPlace {
  readonly #layout: Layout;
  readonly #folder: PackFolder<PackIndex>;
  /** The last frame: whoever reads a tree asks for neighbours. */
  #recent: { readonly key: string; readonly bytes: Uint8Array } | null = null;

  constructor(layout: Layout) {
    this.#layout = layout;
    const load = (file: string): PackIndex => new PackIndex(readFileSync(file));
    this.#folder = new PackFolder(layout.packs, load, isPackName);
  }

  read(id: BlobId, among?: readonly string[]): Uint8Array | null {
    if (!isBlobId(id)) return null;
    const found = this.#folder.read((name, index) =>
      among?.includes(name) === false ? null : this.#readFrom(name, index, id),
    );
    if (found === 'missing') return null;
    if (found !== 'damaged') return found;
    throw new SavepointError('blob-corrupt', `blob ${id} is damaged in its pack`);
  }

  index(name: string): PackIndex | null {
    return this.#folder.index(name);
  }

  put(groups: AsyncIterable<readonly Blob[]>): Promise<PackReceipt> {
    return putBlobs(this.#layout, groups);
  }

  names(): string[] {
    const names = filesIn(this.#layout.packs).map(packOf);
    return [...new Set(names.filter((name) => name !== null))];
  }

  remove(names: readonly string[]): void {
    for (const name of names) {
      // The index first: nobody reads a pack without one.
      rmSync(indexFile(this.#layout, name), { force: true });
      rmSync(packFile(this.#layout, name), { force: true });
    }
    this.forget();
  }

  bytes(): number {
    return sizeBelow(this.#layout.packs);
  }

  forget(): void {
    this.#folder.forget();
    this.#recent = null;
  }

  /** A copy of the blob's bytes, compared with its hash. */
  #readFrom(name: string, index: PackIndex, id: BlobId): Uint8Array | null {
    const place = index.find(id);
    if (place === null) return null;
    const frame = this.#frame(name, index, place.frame);
    const bytes = Uint8Array.from(frame.subarray(place.offset, place.offset + place.length));
    if (hashBytes(bytes) !== id) throw new Damaged('a blob that does not match its hash');
    return bytes;
  }

  #frame(name: string, index: PackIndex, number: number): Uint8Array {
    const key = `${name}/${number}`;
    if (this.#recent?.key === key) return this.#recent.bytes;
    const { offset, stored, raw } = index.frame(number);
    const bytes = readPart(packFile(this.#layout, name), offset, stored);
    if (bytes.length < stored) throw new Damaged('a pack that is cut short');
    const frame = stored === raw ? bytes : decompress(bytes, raw);
    if (frame.length <= MAX_CACHED_BYTES) this.#recent = { key, bytes: frame };
    return frame;
  }
}

function decompress(bytes: Uint8Array, length: number): Uint8Array {
  const chunkSize = Math.min(Math.max(length, 64), MAX_CHUNK_BYTES);
  return zstdDecompressSync(bytes, { maxOutputLength: length, chunkSize });
}

/** "SVPK" and the number of the format, little-endian. Frames follow one another. */
const HEADER: Uint8Array = Uint8Array.of(0x53, 0x56, 0x50, 0x4b, 1, 0, 0, 0);
// Large enough that similar blobs compress well together, small enough to be read for a single blob.
const FRAME_BYTES = 256 * 1024;
// Four keep the cores busy; more would only wait in memory.
const MAX_IN_FLIGHT = 4;

// Measured on source files: level 3 takes a fifth longer for 7 % less, -3 an eighth less for 25 % more.
const LEVEL = 1;
// Most compressed frames fit into this, so one call in a thread is enough.
const CHUNK_BYTES = 96 * 1024;

/**
 * Writes a pack and its index; see the port. The index is written when the pack is durable, so a pack
 * without one is what a crash left.
 */
async function putBlobs(
  layout: Layout,
  groups: AsyncIterable<readonly Blob[]>,
): Promise<PackReceipt> {
  const name = newPackName();
  makePrivateFolder(layout.packs);
  const writer = await PackWriter.create(packFile(layout, name));
  try {
    await writeGroups(writer, groups);
    const blobs = writer.places.size;
    if (blobs > 0) {
      writeDurably(indexFile(layout, name), encodeIndex(writer.frames, writer.places));
      return { packs: [name], blobs, bytes: writer.bytes };
    }
  } catch (error) {
    rmSync(indexFile(layout, name), { force: true });
    rmSync(packFile(layout, name), { force: true });
    throw error;
  }
  rmSync(packFile(layout, name), { force: true });
  return { packs: [], blobs: 0, bytes: 0 };
}

async function writeGroups(
  writer: PackWriter,
  groups: AsyncIterable<readonly Blob[]>,
): Promise<void> {
  try {
    for await (const group of groups) for (const blob of group) await writer.add(blob);
    await writer.finish();
  } finally {
    await writer.close();
  }
}

/** Writes one pack. Frames are compressed in the threads of libuv, a few at a time. */
class PackWriter {
  readonly #file: FileHandle;
  #end: number = HEADER.length;
  #frame: Buffer = Buffer.allocUnsafe(FRAME_BYTES);
  /** Buffers of written frames, to be used again. */
  readonly #free: Buffer[] = [];
  #filled = 0;
  /** The number of blobs in the frame: it may hold empty ones only, and then has no bytes. */
  #held = 0;
  /** Bytes of all blobs. */
  bytes = 0;
  readonly frames: Frame[] = [];
  readonly places = new Map<BlobId, Place>();
  readonly #inFlight = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | null = null;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(path: string): Promise<PackWriter> {
    const file = await open(path, 'wx', 0o600);
    return new PackWriter(file);
  }

  /** Takes a copy. Resolves when there is room for the next blob. */
  async add(blob: Blob): Promise<void> {
    requireHash(blob);
    const { id, bytes } = blob;
    if (this.places.has(id)) return;
    if (this.#filled + bytes.length > FRAME_BYTES) await this.#sendFilled();
    const frame = this.frames.length;
    this.places.set(id, { frame, offset: this.#filled, length: bytes.length });
    this.bytes += bytes.length;
    if (bytes.length > FRAME_BYTES) {
      await this.#send(Buffer.from(bytes));
      return;
    }
    this.#frame.set(bytes, this.#filled);
    this.#filled += bytes.length;
    this.#held += 1;
  }

  /** Resolves when all of it is durable. */
  async finish(): Promise<void> {
    await this.#sendFilled();
    await Promise.all(this.#inFlight);
    this.#requireNoFailure();
    await writeAll(this.#file, HEADER, 0);
    await this.#file.sync();
  }

  async close(): Promise<void> {
    await Promise.all(this.#inFlight);
    await this.#file.close();
  }

  async #sendFilled(): Promise<void> {
    if (this.#held === 0) return;
    const full = this.#frame;
    const raw = full.subarray(0, this.#filled);
    this.#frame = this.#free.pop() ?? Buffer.allocUnsafe(FRAME_BYTES);
    this.#filled = 0;
    this.#held = 0;
    await this.#send(raw, () => this.#free.push(full));
  }

  async #send(raw: Buffer, whenWritten: () => void = () => {}): Promise<void> {
    const number = this.frames.push({ offset: 0, stored: 0, raw: raw.length }) - 1;
    const work = this.#writeFrame(number, raw)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#inFlight.delete(work);
        whenWritten();
      });
    this.#inFlight.add(work);
    while (this.#inFlight.size >= MAX_IN_FLIGHT) await Promise.race(this.#inFlight);
    this.#requireNoFailure();
  }

  async #writeFrame(number: number, raw: Buffer): Promise<void> {
    const packed = raw.length === 0 ? raw : await compress(raw);
    const stored = packed.length < raw.length ? packed : raw;
    const offset = this.#end;
    this.#end += stored.length;
    this.frames[number] = { offset, stored: stored.length, raw: raw.length };
    await writeAll(this.#file, stored, offset);
  }

  #requireNoFailure(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }
}

function compress(raw: Uint8Array): Promise<Uint8Array> {
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL };
  const options: ZstdOptions = { params, chunkSize: CHUNK_BYTES };
  return promisify<Uint8Array, ZstdOptions, Buffer>(zstdCompress)(raw, options);
}

async function writeAll(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}
