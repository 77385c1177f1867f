import { afterAll, beforeAll, expect, test } from 'vitest';
import { allProblems, inParallel, numberFrom, spread, titled } from './campaign.ts';
import { type CaptureScenario, makeCaptureScenario } from './scenario/capture-scenario.ts';
import { type CaptureVerdict, checkCaptures } from './scenario/check-captures.ts';
import { checkTree } from './scenario/check-rewind.ts';
import { copyPlace, makeScratch, withFolder } from './scenario/place.ts';
import { removeTree, treeOf } from './scenario/tree.ts';
import { callSite, type FileCall, isOnProject } from './strace/file-calls.ts';
import { killAt, killPoints, titleOf } from './strace/kill.ts';
import { describeWithStrace } from './strace/needs-strace.ts';

// Of some 200 calls; `npm run test:campaigns` kills at each.
const KILLS = numberFrom('SAVEPOINT_KILLS', 60);

describeWithStrace('a capture that is killed', () => {
  let scratch: string;
  let scenario: CaptureScenario;
  let points: FileCall[];

  beforeAll(async () => {
    scratch = makeScratch();
    scenario = makeCaptureScenario(scratch);
    points = await killPoints(scratch, scenario.template, scenario.steps);
  });

  afterAll(() => removeTree(scratch));

  test('is wholly on record or not at all, from the making of the store on', {
    timeout: 600_000,
  }, async () => {
    // The tool's own writes are between the captures; what it leaves when killed is not ours.
    const ours = points.filter((point) => !isOnProject(point));
    const runs = await inParallel(spread(ours, KILLS), killAndCheck);
    expect(allProblems(runs)).toEqual([]);
    expect(new Set(runs.map(({ found }) => found))).toEqual(new Set([0, 1, 2, 3]));
  });

  test('has written nothing to the project', () => {
    const written = new Set(points.filter(isOnProject).map(callSite));
    const byTool = ['small.txt', 'large.bin'].flatMap((file) => [
      `openat project/${file}`,
      `write project/${file}`,
    ]);
    // A write through a link is one to what the link leads to.
    expect(written).toEqual(
      new Set([...byTool, 'openat project/link', 'write project/target.txt']),
    );
  });

  function killAndCheck(
    point: FileCall,
  ): Promise<Partial<CaptureVerdict> & { problems: string[] }> {
    return withFolder(scratch, (folder) =>
      titled(titleOf(point), async () => {
        const place = copyPlace(scenario.template, folder);
        const { reports } = await killAt(scratch, place, scenario.steps, point);
        const before = treeOf(place.project);
        const { found, problems } = await checkCaptures(place, scenario, reports);
        return { found, problems: [...problems, ...checkTree('after recovery', place, before)] };
      }),
    );
  }
});
