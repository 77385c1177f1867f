import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { continuations } from './sqlite-pages.ts';
import { contentOf, magicsIn } from './zstd-frames.ts';

/** Where a text was found, and in what. */
export type Finding = `${string}: ${'raw' | 'frame' | 'delta' | 'deflated'}`;

/**
 * Looks for texts in every file of a store, whatever the store itself says is there: as they are, in each
 * zstd frame that begins anywhere in any file, also with each of `dictionaries` behind it, and in
 * everything that can be inflated. A dictionary that holds a text would give it to any frame, so those do
 * not count.
 */
export function search(
  directory: string,
  texts: readonly string[],
  dictionaries: readonly Uint8Array[],
): Map<string, Set<Finding>> {
  const clean = dictionaries.filter(
    (one) => !texts.some((text) => Buffer.from(one).includes(text)),
  );
  const found = new Map(texts.map((text) => [text, new Set<Finding>()]));
  const note = (bytes: Buffer | null, finding: Finding): void => {
    for (const text of texts) if (bytes?.includes(text)) found.get(text)?.add(finding);
  };
  for (const [name, bytes] of filesOf(directory)) {
    note(bytes, `${name}: raw`);
    for (const stream of streamsOf(name, bytes)) {
      const plain = contentOf(stream);
      note(plain, `${name}: frame`);
      // What leans on nothing says the same with anything behind it.
      if (plain !== null) continue;
      for (const dictionary of clean) note(contentOf(stream, dictionary), `${name}: delta`);
    }
    for (const inflated of inflations(bytes)) note(inflated, `${name}: deflated`);
  }
  return found;
}

/** The folder of the only store in a home. */
export function storeFolder(home: string): string {
  const [key] = readdirSync(join(home, 'projects'));
  return join(home, 'projects', key ?? '');
}

function filesOf(directory: string): [string, Buffer][] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();
  return names
    .filter((name) => statSync(join(directory, name)).isFile())
    .map((name) => [name, readFileSync(join(directory, name))]);
}

/** What lies behind each place at which a frame may begin. */
function streamsOf(name: string, bytes: Buffer): Buffer[] {
  const isPaged = name.startsWith('store.db');
  return magicsIn(bytes).flatMap((at) => [
    bytes.subarray(at),
    ...(isPaged ? continuations(bytes, at) : []),
  ]);
}

const MAX_INFLATED = 4_000_000;

function inflations(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = bytes.indexOf(0x78); at !== -1; at = bytes.indexOf(0x78, at + 1)) {
    // A header of zlib's is a multiple of 31.
    if (at + 2 > bytes.length || bytes.readUInt16BE(at) % 31 !== 0) continue;
    try {
      found.push(inflateSync(bytes.subarray(at), { maxOutputLength: MAX_INFLATED }));
    } catch {
      // None, or one that is broken.
    }
  }
  return found;
}
