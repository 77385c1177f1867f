import { readFileOrNull } from '../../fs/read-file.ts';

// Nothing that git keeps as one text comes near it; a repository may be hostile.
const MAX_BYTES = 64 * 1024 * 1024;

/** The text of one of git's own files without its last line ends; null where there is none to read. */
export function readOwnText(path: string): string | null {
  const bytes = readFileOrNull(path, { followLink: true, maxBytes: MAX_BYTES });
  return bytes === null
    ? null
    : Buffer.from(bytes)
        .toString()
        .replace(/[\r\n]+$/, '');
}
