import { readdirSync } from 'node:fs';

/** Nothing where the folder was never made, or somebody removed it: it comes back with its next file. */
export function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
