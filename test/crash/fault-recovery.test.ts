import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allProblems, inParallel, numberFrom, spread, titled } from './campaign.ts';
import { checkRewind } from './scenario/check-rewind.ts';
import { crashedPlace, type Moment, momentsOf } from './scenario/crashed.ts';
import { copyPlace, makeScratch, type Place, withFolder } from './scenario/place.ts';
import {
  makeRewindScenario,
  RECOVERY_STEPS,
  type RewindScenario,
  rewindSteps,
} from './scenario/rewind-scenario.ts';
import { removeTree } from './scenario/tree.ts';
import { failAt, onceAt, type Sabotage } from './strace/fault.ts';
import { type FaultPoint, faultPoints } from './strace/fault-points.ts';
import { isOnProject } from './strace/file-calls.ts';
import { killPoints } from './strace/kill.ts';
import { describeWithStrace } from './strace/needs-strace.ts';
import { record } from './strace/recording.ts';

// For each phase of the rewind; there are some hundred call sites in a recovery.
const FAULTS = numberFrom('SAVEPOINT_RECOVERY_FAULTS', 4);

describeWithStrace('a recovery on a failing disk', () => {
  let scratch: string;
  let scenario: RewindScenario;

  beforeAll(async () => {
    scratch = makeScratch();
    scenario = await makeRewindScenario(scratch);
  });

  afterAll(() => removeTree(scratch));

  test('fails with a word, and the next start finishes it', { timeout: 3_600_000 }, async () => {
    const points = await killPoints(scratch, scenario.template, rewindSteps(scenario));
    for (const moment of momentsOf(points)) {
      expect(allProblems(await failRecovery(moment))).toEqual([]);
    }
  });

  function failRecovery({ title, point }: Moment): Promise<{ problems: string[] }[]> {
    return withFolder(scratch, async (folder) => {
      const crashed = await crashedPlace(scratch, scenario, point, join(folder, 'crashed'));
      const { calls } = await withFolder(folder, (copy) =>
        record(scratch, copyPlace(crashed, copy), RECOVERY_STEPS),
      );
      const faults = spread(faultPoints(calls, spoilsRecovery), FAULTS).map(onceAt);
      return inParallel(faults, (fault) =>
        withFolder(folder, (copy) =>
          titled(`killed ${title}, then ${fault.title}`, () =>
            failAndCheck(copyPlace(crashed, copy), fault),
          ),
        ),
      );
    });
  }

  async function failAndCheck(place: Place, fault: Sabotage): Promise<{ problems: string[] }> {
    const { reports } = await failAt(scratch, place, RECOVERY_STEPS, fault);
    const { problems } = await checkRewind(place, scenario, false);
    const failure = reports.find((line) => line.say === 'failed');
    if (failure?.say === 'failed' && !failure.error.typed) {
      problems.push(`untyped error: ${failure.error.code} ${failure.error.message}`);
    }
    return { problems };
  }
});

/** A file that may not be looked at is left alone like one that somebody has edited: no fault. */
function spoilsRecovery({ call, code }: FaultPoint): boolean {
  return !(code === 'EACCES' && isOnProject(call));
}
