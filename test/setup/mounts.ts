import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// File systems of a test's own. They need root and Linux: `mountProblem` says why a test cannot have them.

/** Why no file system can be mounted here, or null. */
export function mountProblem(): string | null {
  if (process.platform !== 'linux') return 'file systems are mounted on Linux only';
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-mount-'));
  try {
    const problem = run('mount', ['-t', 'tmpfs', 'tmpfs', folder]);
    if (problem === null) unmount(folder);
    return problem;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Why there can be no overlay here, or null. */
export function overlayProblem(): string | null {
  const problem = mountProblem();
  if (problem !== null) return problem;
  const base = mkdtempSync(join(tmpdir(), 'savepoint-overlay-'));
  try {
    const overlay = new Overlay(base);
    overlay.mount();
    overlay.unmount();
    return null;
  } catch (error) {
    return (error as Error).message;
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

export function mount(type: string, options: string, folder: string): void {
  must(run('mount', ['-t', type, '-o', options, type, folder]));
}

/** A file that was just closed may keep the file system busy for a moment. */
export function unmount(folder: string): void {
  for (let tries = 1; ; tries += 1) {
    const problem = run('umount', [folder]);
    if (problem === null) return;
    if (tries === 50) throw new Error(problem);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
}

/** Makes a folder a mount of its own, on which nobody can write until it is unmounted. */
export function mountReadOnly(folder: string): void {
  must(run('mount', ['--bind', folder, folder]));
  must(run('mount', ['-o', 'remount,ro,bind', folder]));
}

/** The layers of an overlay in `base`: what is in `lower` is seen in `merged`, and changes go to `upper`. */
export class Overlay {
  readonly lower: string;
  readonly merged: string;
  readonly #options: string;

  constructor(base: string) {
    const [lower, upper, work, merged] = ['lower', 'upper', 'work', 'merged'].map((name) => {
      const folder = join(base, name);
      mkdirSync(folder);
      return folder;
    }) as [string, string, string, string];
    this.lower = lower;
    this.merged = merged;
    this.#options = `lowerdir=${lower},upperdir=${upper},workdir=${work}`;
  }

  mount(): void {
    mount('overlay', this.#options, this.merged);
  }

  unmount(): void {
    unmount(this.merged);
  }
}

function must(problem: string | null): void {
  if (problem !== null) throw new Error(problem);
}

function run(command: string, words: readonly string[]): string | null {
  const { error, status, stderr } = spawnSync(command, words, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  if (error !== undefined) return `${command} is not there: ${error.message}`;
  return status === 0 ? null : `${command} is refused: ${stderr.trim()}`;
}
