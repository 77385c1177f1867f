import { join } from 'node:path';
import { setPermissions } from '../../fs/pinned-folder.ts';
import { readFile } from '../../fs/read-file.ts';
import { makePrivateFolder, moveIntoPlace, writeFile } from '../../fs/write-file.ts';
import type { CheckpointMetadata } from './checkpoint-metadata.ts';
import { formatMetadata, type MetadataRead, parseMetadata } from './metadata-shape.ts';

const LARGEST_BYTES = 16 * 1024 * 1024;

/** Where a session keeps what it knows of its checkpoints. */
export function checkpointsFolder(sessionDir: string): string {
  return join(sessionDir, 'checkpoints');
}

export function makeFolder(folder: string): void {
  makePrivateFolder(folder);
  // The file mode mask, or an older program, may have left it open.
  setPermissions(folder, 0o700);
}

/** Null where there is no file. What cannot be read at all counts as damaged. */
export function readMetadata(file: string): MetadataRead | null {
  const read = readFile(file, { maxBytes: LARGEST_BYTES });
  if (read.bytes !== null) return parseMetadata(read.bytes.toString());
  return read.why === 'missing' ? null : { checkpoints: [], isWhole: false };
}

/** Gives a damaged file another name, and never one that something else has. Returns that name. */
export function setAside(file: string, now: Date): string {
  const time = now.toISOString().replaceAll(/[:.]/g, '-');
  for (let attempt = 0; ; attempt += 1) {
    const aside = `${file}.damaged-${time}${attempt === 0 ? '' : `-${attempt}`}`;
    try {
      moveIntoPlace(file, aside);
      return aside;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

export function writeMetadata(file: string, checkpoints: readonly CheckpointMetadata[]): void {
  writeFile(file, Buffer.from(formatMetadata(checkpoints)));
}
