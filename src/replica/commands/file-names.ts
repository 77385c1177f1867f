import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';

const OFFERED = 100;

/** What a path that somebody began to type could become; folders end in a slash. */
export function fileNames(folder: string, begun: string): string[] {
  const [, shown = '', start = ''] = /^(.*\/)?([^/]*)$/s.exec(begun) ?? [];
  try {
    const entries = readdirSync(resolve(folder, shown), { withFileTypes: true });
    return entries
      .filter(({ name }) => name.startsWith(start) && (start !== '' || !name.startsWith('.')))
      .map((entry) => `${shown}${entry.name}${entry.isDirectory() ? '/' : ''}`)
      .sort()
      .slice(0, OFFERED);
  } catch {
    // No such folder, or none that may be read: nothing to offer.
    return [];
  }
}
