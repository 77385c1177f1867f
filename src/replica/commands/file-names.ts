import { resolve } from 'node:path';
import { entriesIn } from '../../fs/tree.ts';

const OFFERED = 100;

/** What a path that somebody began to type could become; folders end in a slash. */
export function fileNames(folder: string, begun: string): string[] {
  const [, shown = '', start = ''] = /^(.*\/)?([^/]*)$/s.exec(begun) ?? [];
  try {
    const entries = entriesIn(resolve(folder, shown));
    return entries
      .filter(({ name }) => name.startsWith(start) && (start !== '' || !name.startsWith('.')))
      .map(({ name, isDirectory }) => `${shown}${name}${isDirectory ? '/' : ''}`)
      .sort()
      .slice(0, OFFERED);
  } catch {
    // No such folder, or none that may be read: nothing to offer.
    return [];
  }
}
