import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSavepoint, type Savepoint } from 'savepoint';
import type { Scratch } from '../scratch.ts';
import { edited } from './edit.ts';
import { ShadowGit } from './shadow-git.ts';
import { fileName, plantTree } from './tree.ts';

/**
 * A tree of source files in a clean repository, planted once for all that is measured in it. What one
 * benchmark changes stays changed for the next.
 */
export class Ground {
  readonly scratch: Scratch;
  readonly project: string;
  readonly files: number;
  #shadow: ShadowGit | null = null;
  #homes = 0;

  constructor(scratch: Scratch, files: number) {
    this.scratch = scratch;
    this.files = files;
    this.project = scratch.repository('project');
    plantTree(scratch, this.project, files);
  }

  /** A shadow repository that has seen the tree; the first look is too slow to have one for each. */
  async shadow(): Promise<ShadowGit> {
    if (this.#shadow === null) {
      this.#shadow = new ShadowGit(this.scratch, 'shadow', this.project);
      await this.#shadow.checkpoint();
    }
    return this.#shadow;
  }

  /** A folder for stores, with nothing in it. */
  newHome(): string {
    this.#homes += 1;
    return this.scratch.make(`home-${this.#homes}`);
  }

  open(home: string): Promise<Savepoint> {
    const environment = this.scratch.environment();
    return openSavepoint({ project: this.project, home, scan: true, environment });
  }

  /** Edits files that are spread over the tree, other ones for another seed. Returns their paths. */
  async edit(count: number, seed: number): Promise<string[]> {
    const paths = this.pick(count, seed);
    for (const path of paths) editFile(join(this.project, path), seed);
    await this.scratch.settle();
    return paths;
  }

  pick(count: number, seed: number): string[] {
    const apart = Math.floor(this.files / count);
    const nth = (index: number) => (seed * 37 + index * apart) % this.files;
    return Array.from({ length: count }, (_, index) => fileName(nth(index)));
  }

  read(paths: readonly string[]): Buffer[] {
    return paths.map((path) => readFileSync(join(this.project, path)));
  }
}

export function editFile(path: string, seed: number): void {
  writeFileSync(path, edited(readFileSync(path, 'latin1'), seed), 'latin1');
}

export function requireSame(
  what: string,
  found: readonly string[],
  expected: readonly string[],
): void {
  if (found.toSorted().join('\n') === expected.toSorted().join('\n')) return;
  throw new Error(`${what}: ${found.length} were found, not the ${expected.length} expected ones`);
}
