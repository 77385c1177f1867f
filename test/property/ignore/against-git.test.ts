import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { propertyRuns } from '../runs.ts';
import { GitBed } from './git-bed.ts';
import { type SampleTree, sampleTrees } from './sample-tree.ts';

let bed: GitBed;
beforeAll(() => {
  bed = new GitBed();
});
afterAll(() => bed.remove());

describe('random trees with random rules', () => {
  it('have the same files in scope for us as for git', () => {
    fc.assert(fc.property(sampleTrees, agreesWithGit), propertyRuns(0.5));
  });
});

function agreesWithGit(tree: SampleTree): void {
  bed.lay(tree);
  const from = bed.hasFolder(tree.from) ? tree.from : '';
  expect(bed.inScopeForUs(from)).toEqual(bed.inScopeForGit(from));
}
