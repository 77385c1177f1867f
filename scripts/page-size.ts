import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** What the script of the first view may come to, compressed: 200 KB. */
export const FIRST_VIEW_BYTES = 200_000;

const FIRST_VIEW = 'timeline-view-';

/** The scripts that the browser loads before the timeline is shown: the entry, that view, and what they import. */
export function firstViewScripts(folder: string): readonly string[] {
  const assets = join(folder, 'assets');
  const view = readdirSync(assets).find(
    (name) => name.startsWith(FIRST_VIEW) && name.endsWith('.js'),
  );
  const entry = /src="\/assets\/([^"]+\.js)"/.exec(
    readFileSync(join(folder, 'index.html'), 'utf8'),
  );
  if (view === undefined || entry?.[1] === undefined) throw new Error('the page is not built');
  const found = new Set([entry[1], view]);
  for (const name of found) {
    const source = readFileSync(join(assets, name), 'utf8');
    for (const [, imported = ''] of source.matchAll(STATIC_IMPORT)) found.add(imported);
  }
  return [...found];
}

// What is imported later has brackets before the name.
const STATIC_IMPORT = /(?:from|import)\s*["']\.\/([^"']+\.js)["']/g;

export function firstViewBytes(folder: string): number {
  const sizes = firstViewScripts(folder).map(
    (name) => gzipSync(readFileSync(join(folder, 'assets', name))).length,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
