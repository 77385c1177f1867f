import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { Damaged, MAX_OBJECT_BYTES, requireSize } from './damaged.ts';
import { mostDeflated } from './inflate.ts';
import { readWhole } from './open-file.ts';

const HEADER = /^blob (0|[1-9][0-9]{0,9})$/;
const MAX_HEADER_BYTES = 32;

/** The blob in a loose object's file; null when there is no such file. */
export function readLoose(folder: string, hex: string): Uint8Array | null {
  const deflated = readIfThere(join(folder, hex.slice(0, 2), hex.slice(2)));
  if (deflated === null) return null;
  const maxOutputLength = MAX_OBJECT_BYTES + MAX_HEADER_BYTES;
  return contentOf(inflateSync(deflated, { maxOutputLength }));
}

function readIfThere(file: string): Buffer | null {
  try {
    return readWhole(file, mostDeflated(MAX_OBJECT_BYTES));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function contentOf(object: Buffer): Uint8Array {
  const end = object.subarray(0, MAX_HEADER_BYTES).indexOf(0);
  const size = HEADER.exec(object.toString('latin1', 0, Math.max(end, 0)))?.[1];
  if (size === undefined) throw new Damaged('an object that is no blob');
  const content = object.subarray(end + 1);
  if (content.length !== requireSize(Number(size))) {
    throw new Damaged('an object of another size than it says');
  }
  return content;
}
