import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GitBed } from './git-bed.ts';
import { type SampleTree, sampleTrees } from './sample-tree.ts';

const DEFAULT_RUNS = 300;
/** The same trees for everybody who runs the tests; campaigns choose other seeds. */
const DEFAULT_SEED = 20_261_115;

let bed: GitBed;
beforeAll(() => {
  bed = new GitBed();
});
afterAll(() => bed.remove());

describe('random trees with random rules', () => {
  it('have the same files in scope for us as for git', () => {
    const { SAVEPOINT_PROPERTY_RUNS: runs, SAVEPOINT_PROPERTY_SEED: seed } = process.env;
    fc.assert(fc.property(sampleTrees, agreesWithGit), {
      numRuns: Number(runs ?? DEFAULT_RUNS),
      ...(seed === 'random' ? {} : { seed: Number(seed ?? DEFAULT_SEED) }),
    });
  });
});

function agreesWithGit(tree: SampleTree): void {
  bed.lay(tree);
  const from = bed.hasFolder(tree.from) ? tree.from : '';
  expect(bed.inScopeForUs(from)).toEqual(bed.inScopeForGit(from));
}
