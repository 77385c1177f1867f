import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type Moment, momentOf } from './file-stat.ts';
import { type IndexEntries, parseIndex } from './parse-index.ts';
import { Refusal } from './refusal.ts';
import { indexOf, type Repository } from './repository.ts';

export interface IndexFile {
  readonly entries: IndexEntries;
  /** When git last wrote the index: a file that is not older may have changed behind its back. */
  readonly writtenAt: Moment;
}

// Offsets into it are kept as 32 bits, and one of a million files has a tenth of this.
const MAX_SIZE = 1024 * 1024 * 1024;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Reads the index through one descriptor: git replaces the file, it does not write into it. */
export async function readIndex(repository: Repository): Promise<IndexFile> {
  const file = await openIndex(indexOf(repository));
  try {
    const before = await file.stat({ bigint: true });
    if (!before.isFile() || before.size > MAX_SIZE) throw new Refusal('index-damaged');
    const bytes = await file.readFile();
    const after = await file.stat({ bigint: true });
    const still = before.mtimeNs === after.mtimeNs && after.size === BigInt(bytes.length);
    if (!still) throw new Refusal('index-locked');
    return { entries: parseIndex(bytes), writtenAt: momentOf(after.mtimeNs) };
  } finally {
    await file.close();
  }
}

async function openIndex(path: string): Promise<FileHandle> {
  try {
    return await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ELOOP') throw new Refusal('no-index');
    throw error;
  }
}
