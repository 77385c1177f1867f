import type { EntryStat } from '../../src/capture/scan/entry-stat.ts';
import { diskFileSystem, type ScanFileSystem } from '../../src/capture/scan/file-system.ts';
import type { Entry } from '../../src/fs/tree.ts';

/** The disk, with a count of the calls and a say in their results. Paths are relative to `root`. */
export class WatchedFileSystem implements ScanFileSystem {
  readonly listed: string[] = [];
  readonly counted: string[] = [];
  readonly #root: string;
  readonly #stats = new Map<string, Partial<EntryStat>>();
  readonly #refusals = new Map<string, string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Makes `lstat` give these values for a path, whatever the disk says. */
  pretend(path: string, stat: Partial<EntryStat>): void {
    this.#stats.set(path, stat);
  }

  /** Makes reading a folder, or looking at an entry, fail; null lets it succeed again. */
  refuse(call: 'list' | 'lstat', path: string, code: string | null): void {
    if (code === null) this.#refusals.delete(`${call} ${path}`);
    else this.#refusals.set(`${call} ${path}`, code);
  }

  lstat(path: string): EntryStat | null {
    const name = this.#relative(path);
    this.#mayFail(`lstat ${name}`);
    const stat = diskFileSystem.lstat(path);
    return stat === null ? null : this.#pretended(name, stat);
  }

  list(path: string): Entry[] {
    const name = this.#relative(path);
    this.listed.push(name);
    this.#mayFail(`list ${name}`);
    return diskFileSystem.list(path);
  }

  hasAtMost(path: string, count: number): boolean {
    this.counted.push(this.#relative(path));
    return diskFileSystem.hasAtMost(path, count);
  }

  read(path: string, limit: number): Uint8Array | null {
    return diskFileSystem.read(path, limit);
  }

  #pretended(name: string, { mode, ino, size, mtimeMs, ctimeMs }: EntryStat): EntryStat {
    return { mode, ino, size, mtimeMs, ctimeMs, ...this.#stats.get(name) };
  }

  #relative(path: string): string {
    return path.slice(this.#root.length + 1);
  }

  #mayFail(call: string): void {
    const code = this.#refusals.get(call);
    if (code !== undefined) throw Object.assign(new Error(`${code}: ${call}`), { code });
  }
}
