import { join } from 'node:path';
import { makeScratchFolder, removeTree } from '../../fs/entries.ts';
import { makePrivateFolder, writeNewFile } from '../../fs/write-file.ts';

/**
 * A file that leads a browser to an address with a one-time token. The browser is started with the file's name: the
 * arguments of a process can be read by every user of a machine, and this file (0600, in a folder of 0700) by its
 * owner alone.
 */
export class RedirectFile {
  readonly #folder: string;

  constructor(home: string) {
    makePrivateFolder(home);
    this.#folder = makeScratchFolder(home, 'web-');
  }

  /** Writes it anew, and gives its name. */
  write(url: string): string {
    const file = join(this.#folder, 'open-savepoint.html');
    removeTree(file);
    writeNewFile(file, Buffer.from(pageTo(url)), 0o600);
    return file;
  }

  remove(): void {
    removeTree(this.#folder);
  }
}

/** `url` is of our own making and has no sign that means something in HTML. */
function pageTo(url: string): string {
  return [
    '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">',
    `<meta http-equiv="refresh" content="0;url=${url}">`,
    `<title>Savepoint</title><a href="${url}">Open Savepoint</a>`,
  ].join('\n');
}
