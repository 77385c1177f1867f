import type { IndexColumns } from './columns.ts';
import { bareStat, MODE_MASK, RACY, type RawStat, WIDE_NAME } from './entry-stat.ts';

/** What an index says of one entry: its stat, and its mode again among the bits of the scan. */
export interface Stamp {
  readonly stat: RawStat;
  readonly bits: number;
}

/** Entries that have another stamp than their columns say. */
export type Restamped = ReadonlyMap<number, Stamp>;

export const NOT_RESTAMPED: Restamped = new Map();

/** Past this, columns are made anew: each restamped entry is looked at twice by every scan. */
export const MAX_RESTAMPED = 1_000;

/** Of what was known about an entry, only what its name is like outlives a new look. */
export function newStamp(before: number, stat: RawStat, flags: number): Stamp {
  const bits = (Number(stat.mode) & MODE_MASK) | flags | (before & WIDE_NAME);
  return { stat: bareStat(stat), bits };
}

export function stampAt(columns: IndexColumns, entry: number): Stamp {
  const { mtimeNs, ctimeNs, ino, size } = columns;
  const bits = columns.bits[entry] as number;
  const stat: RawStat = {
    mode: BigInt(bits & MODE_MASK),
    mtimeNs: mtimeNs[entry] as bigint,
    ctimeNs: ctimeNs[entry] as bigint,
    ino: ino[entry] as bigint,
    size: size[entry] as bigint,
  };
  return { stat, bits };
}

/** For columns that nobody has seen yet. */
export function setStamp(
  { mtimeNs, ctimeNs, ino, size, bits }: IndexColumns,
  entry: number,
  stamp: Stamp,
): void {
  mtimeNs[entry] = stamp.stat.mtimeNs;
  ctimeNs[entry] = stamp.stat.ctimeNs;
  ino[entry] = stamp.stat.ino;
  size[entry] = stamp.stat.size;
  bits[entry] = stamp.bits;
}

/** Whether an entry is as it was, and its stat can be trusted to say so. */
export function isSettled({ stat: was, bits }: Stamp, now: RawStat): boolean {
  return (
    (bits & RACY) === 0 &&
    was.mtimeNs === now.mtimeNs &&
    was.ctimeNs === now.ctimeNs &&
    was.size === now.size &&
    was.ino === now.ino &&
    was.mode === now.mode
  );
}
