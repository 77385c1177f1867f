import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { BaseStorage, SaveOptions } from '../../../src/execution/index.ts';
import { SavepointError } from '../../../src/model/errors.ts';

/** What one would write first: no lock, and files that are written where they are. For the control. */
export class NaiveStorage implements BaseStorage {
  readonly #place: string;

  constructor(place: string) {
    this.#place = place;
  }

  async save(
    category: string,
    key: string,
    data: unknown,
    options: SaveOptions = {},
  ): Promise<string> {
    mkdirSync(join(this.#place, category), { recursive: true });
    const path = this.#path(category, key);
    if (options.onlyNew && existsSync(path)) throw new SavepointError('document-exists', key);
    const text = JSON.stringify(data);
    const file = openSync(path, 'w');
    for (let at = 0; at < text.length; at += 1_000) writeSync(file, text.slice(at, at + 1_000));
    closeSync(file);
    return path;
  }

  async load(category: string, key: string): Promise<unknown> {
    const path = this.#path(category, key);
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
  }

  async delete(category: string, key: string): Promise<boolean> {
    rmSync(this.#path(category, key));
    return true;
  }

  async list(category: string): Promise<string[]> {
    const folder = join(this.#place, category);
    if (!existsSync(folder)) return [];
    return readdirSync(folder).map((name) => name.slice(0, -'.json'.length));
  }

  #path(category: string, key: string): string {
    return join(this.#place, category, `${key}.json`);
  }
}
