import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allProblems, inParallel, numberFrom, spread, titled } from './campaign.ts';
import { checkRewind } from './scenario/check-rewind.ts';
import { crashedPlace, type Moment, momentsOf } from './scenario/crashed.ts';
import { copyPlace, makeScratch, withFolder } from './scenario/place.ts';
import {
  makeRewindScenario,
  RECOVERY_STEPS,
  type RewindScenario,
  rewindSteps,
} from './scenario/rewind-scenario.ts';
import { removeTree } from './scenario/tree.ts';
import { killAt, killPoints, titleOf } from './strace/kill.ts';
import { describeWithStrace } from './strace/needs-strace.ts';

// For each phase of the rewind; a recovery has up to 150 calls.
const KILLS = numberFrom('SAVEPOINT_RECOVERY_KILLS', 12);

describeWithStrace('a recovery that is killed itself', () => {
  let scratch: string;
  let scenario: RewindScenario;

  beforeAll(async () => {
    scratch = makeScratch();
    scenario = await makeRewindScenario(scratch);
  });

  afterAll(() => removeTree(scratch));

  test('is finished by the next start', { timeout: 3_600_000 }, async () => {
    const points = await killPoints(scratch, scenario.template, rewindSteps(scenario));
    for (const moment of momentsOf(points)) {
      expect(allProblems(await killRecovery(moment))).toEqual([]);
    }
  });

  /** Lets one process die in the rewind and many others in the recovery from that. */
  function killRecovery({ title, point }: Moment): Promise<{ problems: string[] }[]> {
    return withFolder(scratch, async (folder) => {
      const crashed = await crashedPlace(scratch, scenario, point, join(folder, 'crashed'));
      const points = spread(await killPoints(scratch, crashed, RECOVERY_STEPS), KILLS);
      return inParallel(points, (second) =>
        withFolder(folder, (copy) =>
          titled(`killed ${title}, then at ${titleOf(second)}`, async () => {
            const place = copyPlace(crashed, copy);
            await killAt(scratch, place, RECOVERY_STEPS, second);
            return checkRewind(place, scenario, false);
          }),
        ),
      );
    });
  }
});
