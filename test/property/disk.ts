import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { pathToBytes } from '../../src/index.ts';
import { bytesToPath } from '../../src/model/path.ts';
import { contentOf, type FileEntry, isFile, type Place } from './model/entry.ts';

/** The real project folder: written to as agents and people do, and read back to compare. */
export class Disk {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  put(path: string, place: Place): void {
    if (isFile(place)) this.#putFile(path, place);
    else this.#replace(path, place);
  }

  move(from: string, to: string): void {
    renameSync(this.#at(from), this.#at(to));
  }

  /** Every entry with all that can be told from outside, in the words of the model. */
  read(folder = ''): Map<string, string> {
    const found = new Map<string, string>();
    for (const name of readdirSync(this.#at(folder), { encoding: 'buffer' })) {
      const path = folder === '' ? bytesToPath(name) : `${folder}/${bytesToPath(name)}`;
      const stats = lstatSync(this.#at(path));
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isSymbolicLink()) found.set(path, `link to ${readlinkSync(this.#at(path))}`);
      else if (stats.isFile()) found.set(path, `file ${mode} ${this.content(path)}`);
      else {
        found.set(path, `folder ${mode}`);
        for (const [below, text] of this.read(path)) found.set(below, text);
      }
    }
    return found;
  }

  /** The bytes of a file, one character for each. */
  content(path: string): string {
    return readFileSync(this.#at(path), 'latin1');
  }

  /** A path as tools name it: relative or absolute; bytes where it is not text. */
  named(path: string, absolute: boolean): string | Uint8Array {
    if (!path.isWellFormed()) return absolute ? this.#at(path) : pathToBytes(path);
    return absolute ? `${this.root}/${path}` : path;
  }

  /** In place, as most programs write; a file that is not writable is replaced. */
  #putFile(path: string, file: FileEntry): void {
    const stats = lstatSync(this.#at(path), { throwIfNoEntry: false });
    if (!stats?.isFile() || (stats.mode & 0o200) === 0) this.#replace(path, null);
    writeFileSync(this.#at(path), contentOf(file), 'latin1');
    chmodSync(this.#at(path), file.mode);
  }

  #replace(path: string, place: Place): void {
    const at = this.#at(path);
    const stats = lstatSync(at, { throwIfNoEntry: false });
    const keeps = stats?.isDirectory() && place?.kind === 'folder';
    if (stats !== undefined && !keeps) (stats.isDirectory() ? rmdirSync : unlinkSync)(at);
    if (place?.kind === 'link') symlinkSync(place.target, at);
    if (place?.kind !== 'folder') return;
    if (!keeps) mkdirSync(at);
    chmodSync(at, place.mode);
  }

  #at(path: string): Buffer {
    return Buffer.concat([Buffer.from(`${this.root}/`), pathToBytes(path)]);
  }
}
