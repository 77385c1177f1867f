import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { sizeText } from '../../terminal/phrases.ts';
import { CommandRefused } from './refusals.ts';

export const LARGEST_CONTEXT: number = 256 * 1024;
const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/**
 * The text of a file that somebody wants the agent to know. A path that is not absolute means a file of the
 * project, also where links lead: a project must not be able to hand over what lies outside of it.
 */
export async function readContextFile(project: string, name: string): Promise<string> {
  const file = await located(project, name);
  const handle = await openOrRefuse(file);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new CommandRefused('That is not a regular file.');
    return textOf(await readAtMost(handle, LARGEST_CONTEXT));
  } finally {
    await handle.close();
  }
}

async function located(project: string, name: string): Promise<string> {
  const [root, file] = await Promise.all([realpath(project), real(resolve(project, name))]);
  const way = relative(root, file);
  const isInside = way !== '..' && !way.startsWith('../') && !isAbsolute(way);
  if (isInside || isAbsolute(name)) return file;
  throw new CommandRefused('That leads out of the project; name such a file by its absolute path.');
}

async function real(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    throw unreadable(error);
  }
}

async function openOrRefuse(file: string): Promise<FileHandle> {
  try {
    // A pipe would keep us waiting for a writer.
    return await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    throw unreadable(error);
  }
}

function unreadable(error: unknown): CommandRefused {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
  return new CommandRefused(
    isMissing ? 'There is no such file.' : `The file cannot be read (${code}).`,
  );
}

/** One byte more than is allowed is enough to know; a size can be a lie (/proc). */
async function readAtMost(handle: FileHandle, limit: number): Promise<Buffer> {
  const buffer = Buffer.alloc(limit + 1);
  let length = 0;
  while (length <= limit) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
  }
  throw new CommandRefused(`The file is larger than ${sizeText(limit)}, which is the most.`);
}

function textOf(bytes: Buffer): string {
  try {
    if (!bytes.includes(0)) return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // As with a zero byte: it is no text.
  }
  throw new CommandRefused('That is no text (UTF-8) but binary contents.');
}
