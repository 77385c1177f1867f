import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { mount, unmount } from '../../setup/mounts.ts';

const SIZE = '6m';

/** A real file system of a few megabytes that a test can fill. */
export class SmallDisk {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    mount('tmpfs', `size=${SIZE}`, folder);
  }

  /** Leaves only so many bytes free. */
  fill(free: number): void {
    const ballast = openSync(this.#ballast, 'w');
    try {
      const block = Buffer.alloc(4096);
      for (;;) writeSync(ballast, block);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(ballast);
    }
    this.#shrinkBallast(free);
  }

  /** Gives the space back. */
  clear(): void {
    rmSync(this.#ballast, { force: true });
  }

  unmount(): void {
    unmount(this.folder);
  }

  get #ballast(): string {
    return join(this.folder, 'ballast');
  }

  #shrinkBallast(bytes: number): void {
    if (bytes > 0) spawnSync('truncate', ['-s', `-${bytes}`, this.#ballast]);
  }
}
