import { lstatSync } from 'node:fs';
import { pathToBytes, type TrackedPath } from '../../model/path.ts';
import type { EntryStat } from './entry-stat.ts';
import type { ScanIndex } from './scan-index.ts';

/** Tells whether a path was written to since an index was made, by its stat alone. */
export type Moved = (path: TrackedPath) => boolean;

/** Also for paths that the new index leaves out because a rule hides them now. */
export function movedSince(root: string, previous: ScanIndex, index: ScanIndex): Moved {
  return (path) => {
    const was = previous.find(path);
    if (was === -1) return true;
    const now = index.find(path);
    const stat = now === -1 ? lookAt(root, path) : index.stat(now);
    return stat === null || differs(previous.stat(was), stat);
  };
}

type Compared = Pick<EntryStat, 'ino' | 'size' | 'mtimeNs' | 'ctimeNs'>;

function differs(a: Compared, b: Compared): boolean {
  return a.ino !== b.ino || a.size !== b.size || a.mtimeNs !== b.mtimeNs || a.ctimeNs !== b.ctimeNs;
}

function lookAt(root: string, path: TrackedPath): Compared | null {
  const at = Buffer.from(pathToBytes(`${root}/${path}`));
  const stats = lstatSync(at, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return null;
  const { ino, size, mtimeNs, ctimeNs } = stats;
  return { ino: BigInt.asUintN(64, ino), size: Number(size), mtimeNs, ctimeNs };
}
