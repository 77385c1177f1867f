import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CheckpointMetadata } from './checkpoint-metadata.ts';
import { formatMetadata, type MetadataRead, parseMetadata } from './metadata-shape.ts';

const LARGEST_BYTES = 16 * 1024 * 1024;
const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** Where a session keeps what it knows of its checkpoints. */
export function checkpointsFolder(sessionDir: string): string {
  return join(sessionDir, 'checkpoints');
}

export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // What the file mode mask or an older program left open is closed.
  await chmod(folder, 0o700);
}

/** Null where there is no file. What cannot be read at all counts as damaged. */
export async function readMetadata(file: string): Promise<MetadataRead | null> {
  try {
    return parseMetadata(await readSmallFile(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    return { checkpoints: [], isWhole: false };
  }
}

/** Gives a damaged file another name, and never one that something else has. Returns that name. */
export async function setAside(file: string, now: Date): Promise<string> {
  const time = now.toISOString().replaceAll(/[:.]/g, '-');
  for (let attempt = 0; ; attempt += 1) {
    const aside = `${file}.damaged-${time}${attempt === 0 ? '' : `-${attempt}`}`;
    if (await isFree(aside)) {
      await rename(file, aside);
      return aside;
    }
  }
}

/** All of it or nothing: whoever reads meanwhile, or after a power cut, never sees half of it. */
export async function writeMetadata(
  file: string,
  checkpoints: readonly CheckpointMetadata[],
): Promise<void> {
  const waiting = `${file}.${randomBytes(4).toString('hex')}.part`;
  try {
    await writeSynced(waiting, formatMetadata(checkpoints));
    await rename(waiting, file);
  } catch (error) {
    await rm(waiting, { force: true });
    throw error;
  }
  await syncFolder(dirname(file));
}

async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A pipe in its place must not keep us waiting, and a huge file not fill the memory. */
async function readSmallFile(path: string): Promise<string> {
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > LARGEST_BYTES) throw new Error('it is no metadata file');
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

async function isFree(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
}
