import { join } from 'node:path';
import { OID_SIZE } from './index-layout.ts';
import { hasName, PackIndex } from './pack-index.ts';
import { packNames } from './repository.ts';

/** Which packs hold objects. Objects are spoken of by their positions in the list that was asked about. */
export interface ObjectPlaces {
  /** The packs that hold any of them, without extension. */
  readonly packs: readonly string[];
  /** In no pack. Loose objects are not looked for: to copy the file itself takes less time than that. */
  readonly missing: readonly number[];
}

/** Looks for objects (ids of 20 bytes, one after the other) in a folder of objects. */
export function placesOf(objects: string, oids: Buffer): ObjectPlaces {
  const wanted = groupByFirstByte(oids);
  const packs = packsIn(objects).filter((name) => {
    const pack = PackIndex.open(join(objects, 'pack', name));
    return pack !== null && strikeOut(wanted, oids, pack);
  });
  return { packs, missing: wanted.flat() };
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
