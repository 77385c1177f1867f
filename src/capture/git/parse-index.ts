import { createHash } from 'node:crypto';
import { ENTRY, FLAG, HARMLESS_EXTENSIONS, HEADER_SIZE, MODE, OID_SIZE } from './index-layout.ts';
import { PathReader } from './index-paths.ts';
import { comparePaths } from './path-bytes.ts';
import { Refusal } from './refusal.ts';

/** The entries of an index, as places in its bytes: no object for each of them. */
export interface IndexEntries {
  readonly count: number;
  readonly bytes: Buffer;
  /** Where each entry begins in `bytes`. */
  readonly at: Uint32Array;
  /** Where each entry's path lies in `paths`. In ascending order of bytes, none of them twice. */
  readonly paths: Buffer;
  readonly pathStart: Uint32Array;
  readonly pathEnd: Uint32Array;
}

/**
 * Reads an index of version 2, 3 or 4. Everything in it is taken for hostile: it is refused, by name,
 * wherever it is not exactly what git writes.
 */
export function parseIndex(bytes: Buffer): IndexEntries {
  if (bytes.length < HEADER_SIZE + OID_SIZE) throw damaged();
  if (bytes.toString('latin1', 0, 4) !== 'DIRC') throw damaged();
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) throw new Refusal('index-version');
  checkHash(bytes);
  const end = bytes.length - OID_SIZE;
  const count = bytes.readUInt32BE(8);
  // Before anything is allocated for what the header claims.
  if (count > (end - HEADER_SIZE) / ENTRY.end) throw damaged();
  return parseEntries(bytes, version, count, end);
}

function parseEntries(bytes: Buffer, version: number, count: number, end: number): IndexEntries {
  const at = new Uint32Array(count);
  const reader = new PathReader(bytes, version, count, end);
  let position = HEADER_SIZE;
  for (let i = 0; i < count; i += 1) {
    if (position + ENTRY.end > end) throw damaged();
    at[i] = position;
    position = reader.read(i, position, pathOffset(bytes, position, version));
    if (i > 0 && comparePaths(reader.path(i - 1), reader.path(i)) >= 0) throw damaged();
  }
  checkExtensions(bytes, position, end);
  return { count, bytes, at, ...reader.result() };
}

/** Checks what concerns the whole index in one entry, and tells where its path begins. */
function pathOffset(bytes: Buffer, position: number, version: number): number {
  const flags = bytes.readUInt16BE(position + ENTRY.flags);
  if ((flags & FLAG.stage) !== 0) throw new Refusal('unmerged');
  if (bytes.readUInt32BE(position + ENTRY.mode) === MODE.tree) throw new Refusal('sparse-index');
  if ((flags & FLAG.extended) === 0) return ENTRY.end;
  if (version === 2) throw damaged();
  return ENTRY.end + 2;
}

/** A checksum of zeros means that git was told to write none (index.skipHash): nothing to compare. */
function checkHash(bytes: Buffer): void {
  const end = bytes.length - OID_SIZE;
  const written = bytes.subarray(end);
  if (written.every((byte) => byte === 0)) return;
  const found = createHash('sha1').update(bytes.subarray(0, end)).digest();
  if (!found.equals(written)) throw damaged();
}

function checkExtensions(bytes: Buffer, from: number, end: number): void {
  let position = from;
  while (position < end) {
    if (position + 8 > end) throw damaged();
    const name = bytes.toString('latin1', position, position + 4);
    if (name === 'link') throw new Refusal('split-index');
    if (name === 'sdir') throw new Refusal('sparse-index');
    // Git would pass over unknown ones in capitals. We do not know what they say about the entries.
    if (!HARMLESS_EXTENSIONS.includes(name)) throw new Refusal('index-extension');
    position += 8 + bytes.readUInt32BE(position + 4);
  }
  if (position !== end) throw damaged();
}

function damaged(): Refusal {
  return new Refusal('index-damaged');
}
