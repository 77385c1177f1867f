import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allProblems, inParallel, numberFrom, randomFrom, titled } from './campaign.ts';
import { type ChildOutcome, runChild } from './child/run-child.ts';
import { type Step, wasAcknowledged } from './child/steps.ts';
import { type CaptureScenario, makeCaptureScenario } from './scenario/capture-scenario.ts';
import { checkCaptures } from './scenario/check-captures.ts';
import { checkRewind, depthAt } from './scenario/check-rewind.ts';
import { copyPlace, makeScratch, type Place, withFolder } from './scenario/place.ts';
import {
  makeRewindScenario,
  type RewindScenario,
  rewindSteps,
} from './scenario/rewind-scenario.ts';
import { removeTree } from './scenario/tree.ts';

const KILLS = numberFrom('SAVEPOINT_RANDOM_KILLS', 60);
const NEVER_US = 50_000_000;
const SEED = numberFrom('SAVEPOINT_CRASH_SEED', 20_260_101);

interface Result {
  readonly killed?: boolean;
  readonly outcome?: unknown;
  readonly problems: string[];
}

type Check = (place: Place, child: ChildOutcome, turn: number) => Promise<Result>;

// Between any two instructions, not only between system calls: SQLite shares memory among processes.
describe('a process that is killed at a random moment', () => {
  let scratch: string;
  let rewind: RewindScenario;
  let capture: CaptureScenario;

  beforeAll(async () => {
    scratch = makeScratch();
    rewind = await makeRewindScenario(scratch);
    capture = makeCaptureScenario(scratch);
  });

  afterAll(() => removeTree(scratch));

  test('leaves a rewind wholly done or wholly not', { timeout: 3_600_000 }, async () => {
    const check: Check = async (place, { reports }, turn) => {
      const acknowledged = wasAcknowledged(reports, 'rewind');
      const { done, problems } = await checkRewind(place, rewind, acknowledged, depthAt(turn));
      return { outcome: done, problems };
    };
    judge(await campaign(rewind.template, rewindSteps(rewind), KILLS * 0.6, check));
  });

  test('leaves captures wholly on record or not at all', { timeout: 3_600_000 }, async () => {
    const check: Check = async (place, { reports }) => {
      const { found, problems } = await checkCaptures(place, capture, reports);
      return { outcome: found, problems };
    };
    judge(await campaign(capture.template, capture.steps, KILLS * 0.4, check));
  });

  async function campaign(
    template: Place,
    steps: readonly Step[],
    count: number,
    check: Check,
  ): Promise<Result[]> {
    const random = randomFrom(SEED);
    const usual = await duration(template, steps);
    const moments = Array.from({ length: Math.round(count) }, () => Math.ceil(random() * usual));
    return inParallel(moments, (killAfterUs, turn) =>
      withFolder(scratch, (folder) =>
        titled(`killed after ${killAfterUs} µs`, async () => {
          const place = copyPlace(template, folder);
          const order = { project: place.project, home: place.home, steps, killAfterUs };
          const child = await runChild({ order, scratch });
          return { ...(await check(place, child, turn)), killed: !child.ended };
        }),
      ),
    );
  }

  /** How long the steps take under the same conditions, but for the kill. */
  async function duration(template: Place, steps: readonly Step[]): Promise<number> {
    const times = await inParallel([1, 2, 3, 4, 5, 6], () =>
      withFolder(scratch, async (folder) => {
        const { project, home } = copyPlace(template, folder);
        const order = { project, home, steps, killAfterUs: NEVER_US };
        const last = (await runChild({ order, scratch })).reports.at(-1);
        if (last?.say !== 'end') throw new Error('a run that nobody killed broke off');
        return last.tookUs;
      }),
    );
    return times.sort((a, b) => a - b)[3] as number;
  }
});

/** Different ends must have been seen, and enough processes have died, or nothing was shown. */
function judge(runs: readonly Result[]): void {
  expect(allProblems(runs)).toEqual([]);
  expect(runs.filter(({ killed }) => killed).length).toBeGreaterThan(runs.length / 2);
  expect(new Set(runs.map(({ outcome }) => outcome)).size).toBeGreaterThan(1);
}
