import { afterAll, beforeAll, expect, test } from 'vitest';
import { allProblems, inParallel, numberFrom, spread, titled } from './campaign.ts';
import type { Step } from './child/steps.ts';
import { checkRewind, depthAt, type RewindVerdict } from './scenario/check-rewind.ts';
import { copyPlace, makeScratch, withFolder } from './scenario/place.ts';
import {
  failingRewindSteps,
  makeRewindScenario,
  type RewindScenario,
} from './scenario/rewind-scenario.ts';
import { removeTree } from './scenario/tree.ts';
import type { FileCall } from './strace/file-calls.ts';
import { killAt, killPoints, titleOf } from './strace/kill.ts';
import { describeWithStrace } from './strace/needs-strace.ts';

const KILLS = numberFrom('SAVEPOINT_TAKE_BACK_KILLS', 60);

describeWithStrace('a rewind that is killed while it is taken back', () => {
  let scratch: string;
  let scenario: RewindScenario;
  let steps: readonly Step[];

  beforeAll(async () => {
    scratch = makeScratch();
    scenario = await makeRewindScenario(scratch);
    steps = failingRewindSteps(scenario);
  });

  afterAll(() => removeTree(scratch));

  test('is wholly done or wholly not, whichever call it was killed at', {
    timeout: 600_000,
  }, async () => {
    const points = await killPoints(scratch, scenario.template, steps);
    // What comes before is the same as in a rewind that goes well.
    const begin = points.findIndex(({ file }) => file?.endsWith('.back'));
    expect(begin).toBeGreaterThan(20);
    const runs = await inParallel(spread(points.slice(begin), KILLS), killAndCheck);
    expect(allProblems(runs)).toEqual([]);
    expect(runs.filter(({ done }) => done === true).length).toBeGreaterThan(20);
    expect(runs.filter(({ done }) => done === false).length).toBeGreaterThan(5);
  });

  function killAndCheck(
    point: FileCall,
    turn: number,
  ): Promise<Partial<RewindVerdict> & { problems: string[] }> {
    return withFolder(scratch, (folder) =>
      titled(titleOf(point), async () => {
        const place = copyPlace(scenario.template, folder);
        await killAt(scratch, place, steps, point);
        return checkRewind(place, scenario, false, depthAt(turn));
      }),
    );
  }
});
