import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SmallSpawner } from './small-spawner.ts';
import type { SpawnReport } from './small-spawner-child.ts';

const MAX_OUTPUT_BYTES = 1024 ** 3;
const IDENTITY = { name: 'bench', email: 'bench@example.invalid' };

/** A folder for one course of benchmarks, on the disk that temporary files go to. */
export class Scratch {
  readonly folder: string;
  #spawner: SmallSpawner | null = null;

  constructor() {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'savepoint-bench-')));
  }

  /** A folder below, made. */
  make(...names: string[]): string {
    const path = join(this.folder, ...names);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /** Runs git without anybody's settings. Returns what it printed. */
  git(folder: string, ...args: string[]): string {
    const { status, error, stdout, stderr } = spawnSync('git', args, {
      cwd: folder,
      env: this.environment(),
      encoding: 'utf8',
      // A list of 100,000 names is long.
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    if (error !== undefined) throw error;
    if (status !== 0) throw new Error(`git ${args[0]} ended with ${status}: ${stderr}`);
    return stdout.trim();
  }

  /** The milliseconds from the spawning of git to its end. */
  async timeGit(folder: string, ...args: string[]): Promise<number> {
    return (await this.spawn('git', folder, args)).elapsed;
  }

  /** Runs a program from a small process, in the environment that git has as well. */
  spawn(
    program: string,
    folder: string,
    args: readonly string[],
    input?: string,
  ): Promise<SpawnReport> {
    this.#spawner ??= new SmallSpawner(this.environment());
    return this.#spawner.run({ program, args, folder, input });
  }

  /**
   * Has all written out: whoever is timed next would wait for what the one before left in memory. From
   * the small process, since a spawn would leave ours slower for a while.
   */
  async settle(): Promise<void> {
    await this.spawn('sync', this.folder, []);
  }

  /** What `spawn` started programs from: the larger, the slower. 0 when it did not. */
  get spawnerBytes(): number {
    return this.#spawner?.residentBytes ?? 0;
  }

  /** A new repository that does not tidy up behind our back. */
  repository(name: string): string {
    const folder = this.make(name);
    this.git(folder, 'init', '--quiet', '--initial-branch=main');
    this.git(folder, 'config', 'gc.auto', '0');
    return folder;
  }

  async remove(): Promise<void> {
    this.removeFolder();
    await this.#spawner?.stop();
  }

  removeFolder(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Nobody's settings, and a home of its own. */
  environment(): NodeJS.ProcessEnv {
    return {
      PATH: process.env.PATH,
      HOME: this.folder,
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: IDENTITY.name,
      GIT_AUTHOR_EMAIL: IDENTITY.email,
      GIT_COMMITTER_NAME: IDENTITY.name,
      GIT_COMMITTER_EMAIL: IDENTITY.email,
    };
  }
}
