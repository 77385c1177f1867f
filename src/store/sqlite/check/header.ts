import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { APPLICATION_ID } from '../schema.ts';
import { problem, type StoreProblem } from './problem.ts';

const HEADER_BYTES = 100;
// As `NEW_DATABASE` makes them.
const PAGE_BYTES = 4096;

/** Fields that are the same in every store; numbers have the most significant byte first. */
const CONSTANTS: readonly (readonly [at: number, bytes: readonly number[]])[] = [
  [0, [...Buffer.from('SQLite format 3\0', 'latin1')]],
  [16, [PAGE_BYTES >> 8, PAGE_BYTES & 0xff]],
  // Written and read with a write-ahead log; nothing reserved in a page; the fractions of payload.
  [18, [2, 2, 0, 64, 32, 32]],
  // The format of the schema, and UTF-8.
  [44, [0, 0, 0, 4]],
  [56, [0, 0, 0, 1]],
  [72, Array.from({ length: 20 }, () => 0)],
];

/** SQLite overlooks some of these; with others it can only read, or misreads what is there. */
export function checkHeader(database: string): StoreProblem[] {
  const { header } = readHeader(database);
  const isRight = header.length < HEADER_BYTES || withConstants(header).equals(header);
  const message = 'the header of the database is not what it is in every store';
  return isRight ? [] : [problem('database', message, { file: 'store.db' })];
}

/**
 * The header of a database as it has to be: what is the same in every store, and how many pages there are.
 * Null where nothing has to be put right, or where there is no header.
 */
export function healedHeader(database: string): Buffer | null {
  const { header, fileBytes } = readHeader(database);
  if (header.length < HEADER_BYTES) return null;
  const healed = withConstants(header);
  // SQLite reads nothing at all of a file that is shorter than it says; the second number vouches for it.
  healed.writeUInt32BE(Math.ceil(fileBytes / PAGE_BYTES), 28);
  healed.copy(healed, 92, 24, 28);
  return healed.equals(header) ? null : healed;
}

function withConstants(header: Buffer): Buffer {
  const healed = Buffer.from(header);
  for (const [at, bytes] of CONSTANTS) healed.set(bytes, at);
  healed.writeUInt32BE(APPLICATION_ID, 68);
  return healed;
}

function readHeader(database: string): { header: Buffer; fileBytes: number } {
  const file = openSync(database, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    const length = readSync(file, header, 0, HEADER_BYTES, 0);
    return { header: header.subarray(0, length), fileBytes: fstatSync(file).size };
  } finally {
    closeSync(file);
  }
}
