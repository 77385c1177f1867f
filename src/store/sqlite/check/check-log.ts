import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { problem, type StoreProblem } from './problem.ts';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
// The lowest bit tells in which order the bytes of words are summed up.
const MAGIC = 0x377f0682;

/**
 * SQLite takes the first broken frame of its log for the log's end, without a word: whatever was committed
 * behind it is lost. Called before SQLite is, which would begin the log anew.
 */
export function checkLog(database: string): StoreProblem[] {
  const file = `${database}-wal`;
  // Before the log: who writes at this moment has written more by then, and not less.
  const shared = contentOf(`${database}-shm`);
  const bytes = contentOf(file);
  if (bytes.length === 0) return [];
  const broken = (message: string): StoreProblem[] => [
    problem('log', message, { file: basename(file) }),
  ];
  const log = Log.read(bytes);
  if (log === null) return broken('the log of the database cannot be read; what was in it is lost');
  if (log.goesOn) return broken('the log of the database is broken; its last commits are lost');
  const known = framesKnown(shared, bytes);
  if (known > log.frames) {
    return broken('the log of the database is shorter than it was; its last commits are lost');
  }
  const torn = 'the log of the database ends in a commit that was never finished';
  return log.isTorn ? [problem('leftover', torn, { file: basename(file) })] : [];
}

class Log {
  /** Whole frames from the beginning. */
  frames = 0;
  /** Whether a commit that belongs to them follows a broken one. */
  goesOn = false;
  /** Whether it ends in a broken one, as somebody leaves it whose machine stopped while it was written. */
  isTorn = false;

  /** Null where not even the header is right. */
  static read(bytes: Buffer): Log | null {
    if (bytes.length < HEADER_BYTES || (bytes.readUInt32BE(0) & ~1) >>> 0 !== MAGIC) return null;
    const isBigEndian = (bytes.readUInt32BE(0) & 1) === 1;
    const pageBytes = bytes.readUInt32BE(8);
    let sum = checksum([0, 0], bytes.subarray(0, 24), isBigEndian);
    if (!isSum(sum, bytes, 24) || pageBytes < 512 || pageBytes > 65_536) return null;
    const log = new Log();
    const salt = bytes.subarray(16, 24);
    const frameBytes = FRAME_HEADER_BYTES + pageBytes;
    for (let at = HEADER_BYTES; at + FRAME_HEADER_BYTES <= bytes.length; at += frameBytes) {
      const belongs = bytes.subarray(at + 8, at + 16).equals(salt);
      const frame = bytes.subarray(at, at + frameBytes);
      sum = checksum(sum, frame.subarray(0, 8), isBigEndian);
      sum = checksum(sum, frame.subarray(FRAME_HEADER_BYTES), isBigEndian);
      const isWhole = frame.length === frameBytes && belongs && isSum(sum, frame, 16);
      if (!isWhole) return ended(log, bytes, at, frameBytes);
      log.frames += 1;
    }
    return log;
  }
}

/**
 * A frame of an earlier round, which was written over up to here, ends the log rightly. So do frames of a
 * transaction that was taken back after some had been written: there is no commit among them.
 */
function ended(log: Log, bytes: Buffer, from: number, frameBytes: number): Log {
  const salt = bytes.subarray(16, 24);
  const belongs = (at: number): boolean => bytes.subarray(at + 8, at + 16).equals(salt);
  for (let at = from + frameBytes; at + frameBytes <= bytes.length; at += frameBytes) {
    if (belongs(at) && isCommit(bytes, at)) log.goesOn = true;
  }
  log.isTorn = !log.goesOn && belongs(from) && isCommit(bytes, from);
  return log;
}

/** The last frame of a commit says how many pages the database has with it. */
function isCommit(bytes: Buffer, at: number): boolean {
  return bytes.readUInt32BE(at + 4) !== 0;
}

/** How many frames the processes that shared the log knew of; 0 where they did not leave word. */
function framesKnown(shared: Buffer, log: Buffer): number {
  if (shared.length < 48 || !shared.subarray(32, 40).equals(log.subarray(16, 24))) return 0;
  return shared.readUInt32LE(16);
}

function contentOf(file: string): Buffer {
  return existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
}

type Sum = readonly [number, number];

function checksum([first, second]: Sum, bytes: Buffer, isBigEndian: boolean): Sum {
  let [a, b] = [first, second];
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    a = (a + word(bytes, at, isBigEndian) + b) >>> 0;
    b = (b + word(bytes, at + 4, isBigEndian) + a) >>> 0;
  }
  return [a, b];
}

function word(bytes: Buffer, at: number, isBigEndian: boolean): number {
  return isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
}

function isSum([a, b]: Sum, bytes: Buffer, at: number): boolean {
  return bytes.readUInt32BE(at) === a && bytes.readUInt32BE(at + 4) === b;
}
