import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Scratch } from '../scratch.ts';
import { mixedText } from '../source-text.ts';

const FILES_PER_FOLDER = 10;
const FOLDERS_PER_FOLDER = 50;
const KIB = 1024;
// One file in so many is larger than most.
const LARGE_EVERY = 50;

/** Files in folders in folders, committed and packed, as a repository that somebody works in. */
export function plantTree(scratch: Scratch, project: string, files: number): void {
  for (let index = 0; index < files; index += 1) {
    const path = join(project, fileName(index));
    if (index % FILES_PER_FOLDER === 0) mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, mixedText(fileSize(index), index + 1));
  }
  // Every file counts as big, and goes into a pack at once: loose objects would take minutes.
  const quick = ['-c', 'core.bigFileThreshold=1', '-c', 'core.compression=1'];
  scratch.git(project, ...quick, 'add', '--all');
  scratch.git(project, 'commit', '--quiet', '--message', 'plant');
  scratch.git(project, 'repack', '-a', '-d', '--quiet', '--window=0');
}

export function fileName(index: number): string {
  const inner = Math.floor(index / FILES_PER_FOLDER);
  const outer = Math.floor(inner / FOLDERS_PER_FOLDER);
  return `area-${outer}/part-${inner}/file-${index}.ts`;
}

/** 0.5 to 16 KiB, now and then up to 40. */
export function fileSize(index: number): number {
  const scattered = Math.imul(index + 1, 2654435761) >>> 8;
  return index % LARGE_EVERY === LARGE_EVERY - 1
    ? 16 * KIB + (scattered % (24 * KIB))
    : 0.5 * KIB + (scattered % (15.5 * KIB));
}

/** Names of files between 4 and 40 KiB, a fifth of them large ones, spread over the tree. */
export function middlingFiles(files: number, count: number): string[] {
  const large: number[] = [];
  const others: number[] = [];
  for (let nth = 0; nth < files; nth += 1) {
    // A prime, so that every file is met once and neighbours are not.
    const index = (nth * 7919) % files;
    const size = fileSize(index);
    if (size >= 16 * KIB) large.push(index);
    else if (size >= 4 * KIB) others.push(index);
  }
  const wanted = Math.floor(count / 5);
  return [...large.slice(0, wanted), ...others.slice(0, count - wanted)].map(fileName);
}
