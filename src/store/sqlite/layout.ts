import {
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makePrivateFolder, writeFile } from '../../fs/write-file.ts';
import type { BlobId } from '../../model/ids.ts';
import type { Blob, PackReceipt } from '../store.ts';
import type { Arrivals } from './arrivals.ts';
import type { Connection } from './connection.ts';
import type { GitObjects } from './git-objects.ts';

/** Where the parts of one store lie. */
export interface Layout {
  readonly directory: string;
  readonly database: string;
  readonly lock: string;
  readonly blobs: string;
  /** Made with the first large blob. */
  readonly arrivals: string;
  /** Made with the first pack. */
  readonly packs: string;
  /** Objects of git. Capture writes them. */
  readonly git: string;
  /** A repair moves damaged files here. */
  readonly damaged: string;
  /** A lock that writers of documents share, and that a repair takes alone. */
  readonly writers: string;
}

export function layoutOf(directory: string): Layout {
  const root = resolve(directory);
  return {
    directory: root,
    database: join(root, 'store.db'),
    lock: join(root, 'lock.db'),
    blobs: join(root, 'blobs'),
    arrivals: join(root, 'arrivals'),
    packs: join(root, 'packs'),
    git: join(root, 'git'),
    damaged: join(root, 'damaged'),
    writers: join(root, 'writers.db'),
  };
}

/** The names in a folder; none where the folder is not there. It is made with its first file. */
export function filesIn(
  folder: string,
  { recursive = false }: { readonly recursive?: boolean } = {},
): string[] {
  try {
    return readdirSync(folder, { recursive, encoding: 'utf8' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Bytes of all files below a folder that `counts` wants, however deep; 0 where the folder is not there. */
export function sizeBelow(folder: string, counts: (stats: Stats) => boolean = () => true): number {
  return filesIn(folder, { recursive: true })
    .map((name) => lstatSync(join(folder, name), { throwIfNoEntry: false }))
    .reduce((sum, stats) => sum + (stats?.isFile() && counts(stats) ? stats.size : 0), 0);
}

/** The bytes of a file from `start` on: `length` of them, or as many as are there. */
export function readAt(descriptor: number, start: number, length: number): Buffer {
  // Damaged numbers lead to no bytes, and never ask for any amount of memory.
  const there = start < 0 ? 0 : Math.min(length, fstatSync(descriptor).size - start);
  const bytes = Buffer.allocUnsafeSlow(Math.max(0, there));
  let done = 0;
  for (let read = -1; done < there && read !== 0; done += read) {
    read = readSync(descriptor, bytes, done, there - done, start + done);
  }
  return bytes.subarray(0, done);
}

/** The same of a file by its name. */
export function readPart(file: string, start: number, length: number): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    return readAt(descriptor, start, length);
  } finally {
    closeSync(descriptor);
  }
}

// The store is private to the user: it holds copies of the user's files.
const PRIVATE_FILE = 0o600;

/** Writes a file so that after a power cut it is there whole, or as it was before. */
export function writeDurably(target: string, bytes: Uint8Array): void {
  try {
    writeFile(target, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    // Somebody removed the folder since the store was made.
    makePrivateFolder(dirname(target));
    writeFile(target, bytes);
  }
}

/**
 * Makes an empty private file unless the name is taken. SQLite would make it readable for others. Returns
 * whether it did.
 */
export function makeEmptyFile(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', PRIVATE_FILE));
    return true;
  } catch (error) {
    // An existing one is not even opened: closing any descriptor of a file drops the process's locks.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

/** Keeps the packs of a store: `Packs` in a folder, `MemoryPacks` without one. */
export interface PackPlace {
  /** See the port. */
  put(groups: AsyncIterable<readonly Blob[]>): Promise<PackReceipt>;
  /** Verified. Null when no pack has the blob, or none of these. Throws `blob-corrupt`. */
  read(id: BlobId, among?: readonly string[]): Uint8Array | null;
  /** Of all packs, also of those that cannot be read. */
  names(): string[];
  /** Null when the pack is missing or damaged. */
  index(name: string): { has(id: BlobId): boolean } | null;
  remove(names: readonly string[]): void;
  /** To be called when somebody else removed packs. */
  forget(): void;
  /** How much space all packs take. */
  bytes(): number;
}

/** What the parts of an open store work with. */
export interface Opened {
  readonly connection: Connection;
  /** Of a store in memory, a folder that is not there. */
  readonly layout: Layout;
  readonly arrivals: Arrivals;
  readonly packs: PackPlace;
  readonly gitObjects: GitObjects;
  /** Blobs with more bytes than this do not lie in the database. */
  readonly largeBlobBytes: number;
  readonly now: () => number;
  /** Its connection is shared with other stores, and nothing of it lies in a folder. */
  readonly inMemory?: true;
}

/** Runs work on an open store: closed stores refuse, and every failure comes out as an error of ours. */
export type Run = <Result>(work: (opened: Opened) => Result | Promise<Result>) => Promise<Result>;
