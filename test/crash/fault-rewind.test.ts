import { afterAll, beforeAll, expect, test } from 'vitest';
import { allProblems, inParallel, numberFrom, spread, titled } from './campaign.ts';
import type { Step } from './child/steps.ts';
import { checkFaultyRewind, type FaultVerdict } from './scenario/check-faulty-rewind.ts';
import { depthAt } from './scenario/check-rewind.ts';
import { copyPlace, makeScratch, withFolder } from './scenario/place.ts';
import {
  makeRewindScenario,
  type RewindScenario,
  rewindSteps,
} from './scenario/rewind-scenario.ts';
import { removeTree } from './scenario/tree.ts';
import { failAt, lastingFaults, onceAt, type Sabotage } from './strace/fault.ts';
import { type FaultPoint, faultPoints } from './strace/fault-points.ts';
import { type FileCall, isOnProject } from './strace/file-calls.ts';
import { describeWithStrace } from './strace/needs-strace.ts';
import { record } from './strace/recording.ts';

const LASTING = numberFrom('SAVEPOINT_LASTING_FAULTS', 30);

describeWithStrace('a rewind on a failing disk', () => {
  let scratch: string;
  let scenario: RewindScenario;
  let steps: readonly Step[];
  let calls: readonly FileCall[];

  beforeAll(async () => {
    scratch = makeScratch();
    scenario = await makeRewindScenario(scratch);
    steps = rewindSteps(scenario);
    ({ calls } = await withFolder(scratch, (folder) =>
      record(scratch, copyPlace(scenario.template, folder), steps),
    ));
  });

  afterAll(() => removeTree(scratch));

  test('reports what happened, whichever call fails', { timeout: 3_600_000 }, async () => {
    const points = faultPoints(calls);
    expect(points.some(({ call }) => call.thread === 'pool')).toBe(true);
    const runs = await inParallel(points.map(onceAt), failAndCheck);
    expect(allProblems(runs)).toEqual([]);
    // One failing call in the project leaves enough to take everything back with. A look that fails as
    // only a write or an opening can fail is taken for a disk that stays so, and left to the next start.
    const stuck = points.filter((point, index) => {
      const isOurs = isOnProject(point.call) && isLifelike(point);
      return isOurs && runs[index]?.said === 'restore-unfinished';
    });
    expect(stuck.map((point) => onceAt(point).title)).toEqual([]);
  });

  test('reports what happened when the disk stays full, read-only or broken', {
    timeout: 3_600_000,
  }, async () => {
    const runs = await inParallel(spread(lastingFaults(calls), LASTING), failAndCheck);
    expect(allProblems(runs)).toEqual([]);
    expect(runs.map(({ said }) => said)).toContain('restore-unfinished');
  });

  function failAndCheck(
    sabotage: Sabotage,
    turn: number,
  ): Promise<Partial<FaultVerdict> & { problems: string[] }> {
    return withFolder(scratch, (folder) =>
      titled(sabotage.title, async () => {
        const place = copyPlace(scenario.template, folder);
        const outcome = await failAt(scratch, place, steps, sabotage);
        return checkFaultyRewind(place, scenario, outcome, depthAt(turn));
      }),
    );
  }
});

function isLifelike({ call, code }: FaultPoint): boolean {
  return call.name !== 'pread64' || code === 'EIO' || code === 'EACCES';
}
