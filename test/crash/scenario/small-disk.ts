import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SIZE = '6m';

/** A real file system of a few megabytes that a test can fill. */
export class SmallDisk {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    const problem = mount(folder);
    if (problem !== null) throw new Error(problem);
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
    run('umount', [this.folder]);
  }

  get #ballast(): string {
    return join(this.folder, 'ballast');
  }

  #shrinkBallast(bytes: number): void {
    if (bytes > 0) run('truncate', ['-s', `-${bytes}`, this.#ballast]);
  }
}

/** Why no file system can be mounted here, or null. */
export function mountProblem(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-mount-'));
  try {
    const problem = mount(folder);
    if (problem === null) run('umount', [folder]);
    return problem;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function mount(folder: string): string | null {
  if (process.platform !== 'linux') return 'a tmpfs can be mounted on Linux only';
  return run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder]);
}

function run(command: string, words: readonly string[]): string | null {
  const { error, status, stderr } = spawnSync(command, words, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  if (error !== undefined) return `${command} is not there: ${error.message}`;
  return status === 0 ? null : `${command} is refused: ${stderr.trim()}`;
}
