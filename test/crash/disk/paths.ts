import type { Entry, File, Folder } from './disk.ts';

/** A name in a folder, and what has it now. */
export interface Found {
  readonly folder: Folder;
  readonly name: string;
  readonly entry: Entry | null;
}

const MAX_LINKS = 8;

/** Finds entries of the simulated disk by what a process calls them: paths and descriptors. */
export class Paths {
  readonly #root: Folder;
  readonly #folder: string;
  readonly #descriptors = new Map<number, Entry>();

  /** `folder` is where the disk's root was when the calls were recorded. */
  constructor(root: Folder, folder: string) {
    this.#root = root;
    this.#folder = folder;
  }

  opened(descriptor: number, entry: Entry): void {
    this.#descriptors.set(descriptor, entry);
  }

  close(descriptor: number): void {
    this.#descriptors.delete(descriptor);
  }

  /** Null when the descriptor is of something that is not on this disk. */
  entryOf(descriptor: number): Entry | null {
    return this.#descriptors.get(descriptor) ?? null;
  }

  fileOf(descriptor: number): File | null {
    const entry = this.entryOf(descriptor);
    return entry?.kind === 'file' ? entry : null;
  }

  /** Null when the path is not on this disk. `entry` is null when nothing has that name. */
  resolve(path: string, follow: boolean): Found | null {
    const through = /^\/proc\/self\/fd\/(\d+)(?:\/(.*))?$/s.exec(path);
    if (through === null) {
      const here = path === this.#folder || path.startsWith(`${this.#folder}/`);
      return here ? this.#walk(this.#root, path.slice(this.#folder.length), follow) : null;
    }
    const start = this.entryOf(Number(through[1]));
    if (start === null) return null;
    if (through[2] === undefined) return { folder: this.#root, name: '', entry: start };
    if (start.kind !== 'folder') throw new Error(`${path} leads through what is no folder`);
    return this.#walk(start, through[2], follow);
  }

  #walk(start: Folder, path: string, follow: boolean, links = 0): Found {
    const names = path.split('/').filter((name) => name !== '' && name !== '.');
    const last = names.pop();
    if (last === undefined) return { folder: start, name: '.', entry: start };
    let folder = start;
    for (const name of names) {
      const next = folder.entries.get(name);
      if (next?.kind !== 'folder') throw new Error(`the recorded path ${path} leads nowhere`);
      folder = next;
    }
    const entry = folder.entries.get(last) ?? null;
    if (!follow || entry?.kind !== 'link') return { folder, name: last, entry };
    if (links > MAX_LINKS || entry.target.startsWith('/')) {
      throw new Error(`the link at ${path} is not one that the replay follows`);
    }
    return this.#walk(folder, entry.target, follow, links + 1);
  }
}
