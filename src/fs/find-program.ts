import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { realPathOrNull } from './entries.ts';

/** A program, and the PATH with which it is to run. */
export interface FoundProgram {
  /** Without links, so that nobody can make it another program by changing one. */
  readonly file: string;
  readonly path: string;
}

/**
 * The first program of this name that PATH finds outside of a folder; null where there is none. Whoever writes
 * to a project must not decide which program we run, wherever PATH points and wherever its links lead.
 */
export function findProgram(
  name: string,
  path: string | undefined,
  outsideOf: string,
): FoundProgram | null {
  const isOutside = (place: string): boolean => !`${place}/`.startsWith(`${outsideOf}/`);
  const folders = (path ?? '').split(':').filter((folder) => {
    const real = isAbsolute(folder) ? realPathOrNull(folder) : null;
    return real !== null && isOutside(real);
  });
  for (const folder of folders) {
    const file = realPathOrNull(join(folder, name));
    if (file !== null && isOutside(file) && isProgram(file))
      return { file, path: folders.join(':') };
  }
  return null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
