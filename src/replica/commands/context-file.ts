import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { readFile } from '../../fs/read-file.ts';
import { sizeText } from '../../terminal/phrases.ts';
import { CommandRefused } from './refusals.ts';

export const LARGEST_CONTEXT: number = 256 * 1024;

/**
 * The text of a file that somebody wants the agent to know. A path that is not absolute means a file of the
 * project, also where links lead: a project must not be able to hand over what lies outside of it.
 */
export async function readContextFile(project: string, name: string): Promise<string> {
  const read = readFile(await located(project, name), { maxBytes: LARGEST_CONTEXT });
  if (read.bytes !== null) return textOf(read.bytes);
  if (read.why === 'too-large') {
    const most = sizeText(LARGEST_CONTEXT);
    throw new CommandRefused(`The file is larger than ${most}, which is the most.`);
  }
  if (read.cause !== undefined) throw unreadable(read.cause);
  throw new CommandRefused('That is not a regular file.');
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

function unreadable(error: unknown): CommandRefused {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
  return new CommandRefused(
    isMissing ? 'There is no such file.' : `The file cannot be read (${code}).`,
  );
}

function textOf(bytes: Buffer): string {
  try {
    if (!bytes.includes(0)) return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // As with a zero byte: it is no text.
  }
  throw new CommandRefused('That is no text (UTF-8) but binary contents.');
}
