import { extname, join } from 'node:path';
import { exists } from '../../fs/entries.ts';
import { readFile } from '../../fs/read-file.ts';
import { entriesIn } from '../../fs/tree.ts';
import { SavepointError } from '../../index.ts';

interface PageFile {
  readonly bytes: Buffer;
  readonly type: string;
  readonly isPage: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

/** The files of the built page. Only names that were there at the start are ever looked for: an address is no path. */
export class PageFiles {
  readonly #files: ReadonlyMap<string, string>;

  constructor(folder: string) {
    const names = exists(folder) ? namesBelow(folder) : [];
    if (!names.includes('index.html')) {
      throw new SavepointError('file-missing', 'the page is not built', {
        path: folder,
        hint: 'in a checkout, run: npm run build',
      });
    }
    this.#files = new Map(
      names
        .filter((name) => Object.hasOwn(TYPES, extname(name)))
        .map((name) => [name === 'index.html' ? '/' : `/${name}`, join(folder, name)]),
    );
  }

  /** Null where the page has no such file. */
  find(path: string): PageFile | null {
    const file = this.#files.get(path);
    if (file === undefined) return null;
    const { bytes } = readFile(file, { followLink: true });
    if (bytes === null) return null;
    return { bytes, type: TYPES[extname(file)] ?? '', isPage: path === '/' };
  }
}

function namesBelow(folder: string, at = ''): string[] {
  return entriesIn(join(folder, at)).flatMap(({ name, isDirectory }) =>
    isDirectory ? namesBelow(folder, `${at}${name}/`) : [`${at}${name}`],
  );
}
