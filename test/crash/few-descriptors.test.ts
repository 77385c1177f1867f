import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALL_RUNS, allProblems, inParallel, titled } from './campaign.ts';
import { type ChildOutcome, runChild } from './child/run-child.ts';
import type { Step } from './child/steps.ts';
import { type CaptureScenario, makeCaptureScenario } from './scenario/capture-scenario.ts';
import { checkCaptures } from './scenario/check-captures.ts';
import { checkFaultyRewind } from './scenario/check-faulty-rewind.ts';
import { copyPlace, makeScratch, type Place, withFolder } from './scenario/place.ts';
import { makeRewindScenario, type RewindScenario } from './scenario/rewind-scenario.ts';
import { removeTree } from './scenario/tree.ts';

// Enough for node itself; the child then takes all but a few of what is left.
const LIMIT = 96;
const FREE = ALL_RUNS ? Array.from({ length: 12 }, (_, free) => free) : [0, 3, 6, 11];

describe('a process that is out of file descriptors', () => {
  let scratch: string;
  let rewind: RewindScenario;
  let capture: CaptureScenario;

  beforeAll(async () => {
    scratch = makeScratch();
    rewind = await makeRewindScenario(scratch);
    capture = makeCaptureScenario(scratch);
  });

  afterAll(() => removeTree(scratch));

  test('says what became of its rewind', { timeout: 600_000 }, async () => {
    const verdicts = await inParallel(FREE, (free) =>
      withFolder(scratch, (folder) =>
        titled(`${free} free`, async () => {
          const place = copyPlace(rewind.template, folder);
          const steps = starve(free, { do: 'rewind', to: rewind.target });
          return checkFaultyRewind(place, rewind, await runStarved(place, steps));
        }),
      ),
    );
    expect(allProblems(verdicts)).toEqual([]);
    const said = verdicts.map((verdict) => ('said' in verdict ? verdict.said : ''));
    expect(said.at(0)).not.toBe('success');
    expect(said.at(-1)).toBe('success');
  });

  test('loses no capture that was acknowledged', { timeout: 600_000 }, async () => {
    const verdicts = await inParallel(FREE, (free) =>
      withFolder(scratch, (folder) =>
        titled(`${free} free`, async () => {
          const place = copyPlace(capture.template, folder);
          const [, ...work] = capture.steps;
          const steps: Step[] = [{ do: 'ready' }, { do: 'exhaust-descriptors', free }, ...work];
          const { reports } = await runStarved(place, steps);
          return checkCaptures(place, capture, reports);
        }),
      ),
    );
    expect(allProblems(verdicts)).toEqual([]);
    const found = new Set(verdicts.map((verdict) => ('found' in verdict ? verdict.found : -1)));
    expect(found).toContain(0);
    expect(found).toContain(3);
  });

  function runStarved({ project, home }: Place, steps: readonly Step[]): Promise<ChildOutcome> {
    return runChild({ order: { project, home, steps }, scratch, descriptors: LIMIT });
  }
});

function starve(free: number, step: Step): Step[] {
  return [
    { do: 'open' },
    { do: 'ready' },
    { do: 'exhaust-descriptors', free },
    step,
    { do: 'close' },
  ];
}
