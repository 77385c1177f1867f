import { statSync } from 'node:fs';
import { join } from 'node:path';
import { OID_SIZE } from './index-layout.ts';
import { hasName, PackIndex } from './pack-index.ts';
import { packNames } from './repository.ts';

/** Where objects lie. They are spoken of by their positions in the list that was asked about. */
export interface ObjectPlaces {
  /** The packs that hold any of them, without extension. */
  readonly packs: readonly string[];
  readonly loose: readonly number[];
  /** Not there, or in no place where we would look. */
  readonly missing: readonly number[];
}

// Each is a file of its own to link and to sync. After a clone or a gc there are few.
const MAX_LOOSE = 2_000;

/** Looks for objects (ids of 20 bytes, one after the other) in a folder of packs and loose files. */
export function placesOf(objects: string, oids: Buffer): ObjectPlaces {
  const wanted = groupByFirstByte(oids);
  const packs = packsIn(objects).filter((name) => {
    const pack = PackIndex.open(join(objects, 'pack', name));
    return pack !== null && strikeOut(wanted, oids, pack);
  });
  const rest = wanted.flat().sort((a, b) => a - b);
  // More than that and they are not looked for: their files are copied like any others.
  if (rest.length > MAX_LOOSE) return { packs, loose: [], missing: rest };
  const loose = rest.filter((i) => isFile(join(objects, looseName(oids, i))));
  const missing = rest.filter((i) => !loose.includes(i));
  return { packs, loose, missing };
}

/** Where a loose object lies below the folder of objects. */
export function looseName(oids: Buffer, i: number): string {
  const hex = oids.toString('hex', i * OID_SIZE, (i + 1) * OID_SIZE);
  return join(hex.slice(0, 2), hex.slice(2));
}

function packsIn(objects: string): string[] {
  return packNames(objects)
    .filter((name) => /^pack-[0-9a-f]+\.idx$/.test(name))
    .map((name) => name.slice(0, -'.idx'.length));
}

function groupByFirstByte(oids: Buffer): number[][] {
  const groups: number[][] = Array.from({ length: 256 }, () => []);
  for (let i = 0; i * OID_SIZE < oids.length; i += 1) groups[oids[i * OID_SIZE] ?? 0]?.push(i);
  return groups;
}

/** Takes what a pack holds off the list; says whether that was anything. Closes the pack. */
function strikeOut(wanted: number[][], oids: Buffer, pack: PackIndex): boolean {
  let any = false;
  try {
    wanted.forEach((group, first) => {
      if (group.length === 0) return;
      const names = pack.names(first);
      const left = group.filter((i) => !hasName(names, oids, i * OID_SIZE));
      any ||= left.length < group.length;
      wanted[first] = left;
    });
  } finally {
    pack.close();
  }
  return any;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
