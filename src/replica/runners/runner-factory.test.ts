import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunnerBed } from '../../../test/replica/runner-bed.ts';
import { InteractiveRunner } from './interactive-runner.ts';

let bed: RunnerBed;
beforeEach(() => {
  bed = new RunnerBed();
});
afterEach(() => bed.remove());

describe('Scenario: RunnerFactory makes the interactive runner', () => {
  it('GIVEN a checkpointManager, WHEN createInteractiveRunner() is called, THEN the runner has it', async () => {
    const runner = await bed.runner({ prompts: ['add tests'] });
    expect(runner).toBeInstanceOf(InteractiveRunner);
    await runner.handleRewind(bed.session);
    expect(bed.ui.menus[0]?.map(({ description }) => description)).toEqual(['add tests']);
  });

  it('GIVEN null in its place, THEN the runner has none', async () => {
    const runner = await bed.runner({ prompts: null });
    await runner.handleRewind(bed.session);
    expect(bed.ui.warnings).toEqual(['Checkpoint feature not enabled']);
  });
});
