import { realpathSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { readFile } from '../fs/read-file.ts';

/** What the agent is told of a project, in a file of the project's own. */
export const INSTRUCTIONS_FILE = 'CLAUDE.md';
export const LARGEST_INSTRUCTIONS: number = 256 * 1024;

/**
 * The project's CLAUDE.md, for the agent; null where there is none that could be one. The SDK would read it
 * together with the project's settings, which name programs to run; so it is read here, alone.
 */
export function readInstructions(project: string): string | null {
  try {
    const file = realpathSync(join(project, INSTRUCTIONS_FILE));
    // A project must not be able to hand over what lies outside of it.
    const way = relative(realpathSync(project), file);
    if (way === '..' || way.startsWith('../') || isAbsolute(way)) return null;
    const { bytes } = readFile(file, { maxBytes: LARGEST_INSTRUCTIONS });
    if (bytes === null || bytes.includes(0)) return null;
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
    return text === '' ? null : text;
  } catch {
    // It is not there, or cannot be read: the agent does without, and /show-context says why.
    return null;
  }
}
