import { bytesToPath, type TrackedPath } from '../../model/path.ts';

/** One path among many in one buffer: a hundred thousand objects would cost more than the work. */
export interface PathBytes {
  bytes: Uint8Array;
  start: number;
  end: number;
}

/** Negative, 0 or positive, by the bytes: the order of git's index and of its trees. */
export function comparePaths(a: PathBytes, b: PathBytes): number {
  const shared = Math.min(a.end - a.start, b.end - b.start);
  for (let i = 0; i < shared; i += 1) {
    const difference = (a.bytes[a.start + i] as number) - (b.bytes[b.start + i] as number);
    if (difference !== 0) return difference;
  }
  return a.end - a.start - (b.end - b.start);
}

export function startsWith(path: PathBytes, prefix: Uint8Array): boolean {
  if (path.end - path.start < prefix.length) return false;
  for (let i = 0; i < prefix.length; i += 1) {
    if (path.bytes[path.start + i] !== prefix[i]) return false;
  }
  return true;
}

export function endsWith(path: PathBytes, ending: Uint8Array): boolean {
  const { bytes, start, end } = path;
  if (end - start < ending.length) return false;
  return startsWith({ bytes, start: end - ending.length, end }, ending);
}

/** The text of a path; most are ASCII, for which the strict decoder is too slow. */
export function textOf(bytes: Buffer, start: number, end: number): TrackedPath {
  for (let at = start; at < end; at += 1) {
    if ((bytes[at] as number) > 0x7f) return bytesToPath(bytes.subarray(start, end)) as TrackedPath;
  }
  return bytes.toString('latin1', start, end) as TrackedPath;
}
