import { isAbsolute, join, relative, resolve } from 'node:path';
import { isThere, realPath } from '../fs/entries.ts';
import { readFile } from '../fs/read-file.ts';
import { rewriteFile } from '../fs/rewrite-file.ts';
import { sizeText } from '../terminal/phrases.ts';
import { CommandRefused } from './commands/command.ts';

/** What the agent is told of a project, in a file of the project's own. */
export const INSTRUCTIONS_FILE = 'CLAUDE.md';
export const LARGEST_CONTEXT: number = 256 * 1024;

/**
 * The project's CLAUDE.md, for the agent; null where there is none that could be one. The SDK would read it
 * together with the project's settings, which name programs to run; so it is read here, alone.
 */
export function readInstructions(project: string): string | null {
  try {
    return readContextFile(project, INSTRUCTIONS_FILE).trim() || null;
  } catch {
    // It is not there, or cannot be read: the agent does without, and /show-context says why.
    return null;
  }
}

/**
 * The text of a file that somebody wants the agent to know. A path that is not absolute means a file of the
 * project, also where links lead: a project must not be able to hand over what lies outside of it.
 * Throws `CommandRefused`.
 */
export function readContextFile(project: string, name: string): string {
  const file = real(resolve(project, name));
  if (isOutside(realPath(project), file) && !isAbsolute(name)) {
    throw new CommandRefused(
      'That leads out of the project; name such a file by its absolute path.',
    );
  }
  const read = readFile(file, { maxBytes: LARGEST_CONTEXT });
  if (read.bytes !== null) return textOf(read.bytes);
  if (read.why === 'too-large') {
    const most = sizeText(LARGEST_CONTEXT);
    throw new CommandRefused(`The file is larger than ${most}, which is the most.`);
  }
  if (read.cause !== undefined) throw unreadable(read.cause);
  throw new CommandRefused('That is not a regular file.');
}

/** Whether a file lies outside of a folder, both by their real paths. */
export function isOutside(root: string, file: string): boolean {
  const way = relative(root, file);
  return way === '..' || way.startsWith('../') || isAbsolute(way);
}

function real(path: string): string {
  try {
    return realPath(path);
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

/**
 * Adds a line to the project's CLAUDE.md, which is made where there is none. A link is followed within the project
 * only. Throws `CommandRefused`.
 */
export function addInstruction(project: string, text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  if (line === '') throw new CommandRefused('There is nothing to add.');
  const name = join(project, INSTRUCTIONS_FILE);
  const before = isThere(name) ? readContextFile(project, INSTRUCTIONS_FILE) : null;
  const gap = before === null || before === '' || before.endsWith('\n') ? '' : '\n';
  const bytes = Buffer.from(`${before ?? ''}${gap}- ${line}\n`);
  if (bytes.length > LARGEST_CONTEXT) {
    throw new CommandRefused(
      `${INSTRUCTIONS_FILE} would be larger than ${sizeText(LARGEST_CONTEXT)}.`,
    );
  }
  const file = before === null ? name : realPath(name);
  rewriteFile(file, bytes, before === null ? null : Buffer.from(before), 0o644);
  return line;
}
