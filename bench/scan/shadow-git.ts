import type { Scratch } from '../scratch.ts';

export interface ShadowCheckpoint {
  /** Milliseconds of both commands together. */
  readonly elapsed: number;
  readonly tree: string;
}

/** A repository of its own beside the worktree, as agents keep one to go back. */
export class ShadowGit {
  readonly folder: string;
  readonly #scratch: Scratch;
  readonly #where: readonly string[];
  readonly #worktree: string;

  constructor(scratch: Scratch, name: string, worktree: string) {
    this.#scratch = scratch;
    this.#worktree = worktree;
    this.folder = scratch.make(name);
    this.#where = [`--git-dir=${this.folder}`, `--work-tree=${worktree}`];
    this.run('init', '--quiet');
    this.run('config', 'index.version', '4');
    this.run('config', 'gc.auto', '0');
  }

  async checkpoint(): Promise<ShadowCheckpoint> {
    const add = await this.#spawn('add', '-A');
    const write = await this.#spawn('write-tree');
    return { elapsed: add.elapsed + write.elapsed, tree: write.output.trim() };
  }

  /** The milliseconds of commands that are run one after the other. */
  async time(commands: readonly (readonly string[])[]): Promise<number> {
    let elapsed = 0;
    for (const command of commands) elapsed += (await this.#spawn(...command)).elapsed;
    return elapsed;
  }

  /** What nobody times. */
  run(...args: string[]): string {
    return this.#scratch.git(this.#worktree, ...this.#where, ...args);
  }

  filesOf(tree: string): string[] {
    return this.run('ls-tree', '-r', '--name-only', tree).split('\n');
  }

  changedBetween(before: string, after: string): string[] {
    return this.run('diff-tree', '-r', '--name-only', before, after).split('\n');
  }

  #spawn(...args: readonly string[]) {
    return this.#scratch.spawn('git', this.#worktree, [...this.#where, ...args]);
  }
}
