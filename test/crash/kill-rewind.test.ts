import { afterAll, beforeAll, expect, test } from 'vitest';
import { allProblems, inParallel, numberFrom, spread, titled } from './campaign.ts';
import { type Step, wasAcknowledged } from './child/steps.ts';
import { checkRewind, type RewindVerdict } from './scenario/check-rewind.ts';
import { copyPlace, makeScratch, withFolder } from './scenario/place.ts';
import {
  makeRewindScenario,
  type RewindScenario,
  rewindSteps,
} from './scenario/rewind-scenario.ts';
import { removeTree } from './scenario/tree.ts';
import type { FileCall } from './strace/file-calls.ts';
import { killAt, killPoints, titleOf } from './strace/kill.ts';
import { describeWithStrace } from './strace/needs-strace.ts';

// A rewind has some 200 calls; `npm run test:campaigns` kills at each.
const KILLS = numberFrom('SAVEPOINT_KILLS', 10);

describeWithStrace('a rewind that is killed', () => {
  let scratch: string;
  let scenario: RewindScenario;
  let steps: readonly Step[];

  beforeAll(async () => {
    scratch = makeScratch();
    scenario = await makeRewindScenario(scratch);
    steps = rewindSteps(scenario);
  });

  afterAll(() => removeTree(scratch));

  test('is wholly done or wholly not, whichever call it was killed at', {
    timeout: 600_000,
  }, async () => {
    const points = await killPoints(scratch, scenario.template, steps);
    const runs = await inParallel(spread(points, KILLS), killAndCheck);
    expect(allProblems(runs)).toEqual([]);
    // Otherwise the kills came too early or too late to show anything.
    const enough = runs.length / 10;
    expect(runs.filter(({ done }) => done === true).length).toBeGreaterThan(enough);
    expect(runs.filter(({ done }) => done === false).length).toBeGreaterThan(enough);
    expect(points.filter(({ thread }) => thread === 'pool').length).toBeGreaterThan(12);
  });

  function killAndCheck(point: FileCall): Promise<Partial<RewindVerdict> & { problems: string[] }> {
    return withFolder(scratch, (folder) =>
      titled(titleOf(point), async () => {
        const place = copyPlace(scenario.template, folder);
        const { reports } = await killAt(scratch, place, steps, point);
        return checkRewind(place, scenario, wasAcknowledged(reports, 'rewind'));
      }),
    );
  }
});
