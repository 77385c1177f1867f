import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allProblems, inParallel, numberFrom, randomFrom, spread } from './campaign.ts';
import { type ChildReport, type Step, wasAcknowledged } from './child/steps.ts';
import { type Look, lookAfterCuts, type Result } from './disk/look-after-cuts.ts';
import { type CaptureScenario, makeCaptureScenario } from './scenario/capture-scenario.ts';
import { checkCaptures } from './scenario/check-captures.ts';
import { checkRewind, depthAt } from './scenario/check-rewind.ts';
import { crashedPlace, momentsOf } from './scenario/crashed.ts';
import { copyPlace, makeScratch, type Place, withFolder } from './scenario/place.ts';
import {
  makeRewindScenario,
  RECOVERY_STEPS,
  type RewindScenario,
  rewindSteps,
} from './scenario/rewind-scenario.ts';
import { copyTree, removeTree } from './scenario/tree.ts';
import { type FileCall, isOnProject } from './strace/file-calls.ts';
import { killPoints, titleOf } from './strace/kill.ts';
import { describeWithStrace } from './strace/needs-strace.ts';
import { record } from './strace/recording.ts';

const RANDOM_CUTS = numberFrom('SAVEPOINT_CRASH_RUNS', 30);
const KILLS_BEFORE = numberFrom('SAVEPOINT_KILLS_BEFORE_CUTS', 5);
const SEED = numberFrom('SAVEPOINT_CRASH_SEED', 20_260_101);

describeWithStrace('a power cut', () => {
  let scratch: string;
  let rewind: RewindScenario;
  let capture: CaptureScenario;

  beforeAll(async () => {
    scratch = makeScratch();
    rewind = await makeRewindScenario(scratch);
    capture = makeCaptureScenario(scratch);
  });

  afterAll(() => removeTree(scratch));

  test('loses no capture that was acknowledged', { timeout: 3_600_000 }, async () => {
    const results = await cutAnywhere(capture.template, capture.steps, lookAtCaptures);
    expect(allProblems(results)).toEqual([]);
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set([0, 1, 2, 3]));
  });

  test('loses no capture that was acknowledged after another process was killed', {
    timeout: 3_600_000,
  }, async () => {
    const points = await killPoints(scratch, capture.template, capture.steps);
    // Up to the tool's first write: past it the second process would find other files.
    const early = points.slice(0, points.findIndex(isOnProject));
    const { template, steps } = capture;
    const results = await inParallel(spread(early, KILLS_BEFORE), (point) =>
      cutAfterKill(template, { point, steps }, steps, lookAtCaptures),
    );
    expect(allProblems(results.flat())).toEqual([]);
  });

  test('tears no file in a rewind, and loses no rewind that was acknowledged', {
    timeout: 3_600_000,
  }, async () => {
    const results = await cutAnywhere(rewind.template, wholeRewind(rewind), lookAtRewind);
    expect(allProblems(results)).toEqual([]);
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set([true, false]));
  });

  test('tears no file in a recovery', { timeout: 3_600_000 }, async () => {
    const points = await killPoints(scratch, rewind.template, rewindSteps(rewind));
    for (const { point } of momentsOf(points)) {
      const results = await withFolder(scratch, async (folder) => {
        const crashed = await crashedPlace(scratch, rewind, point, folder);
        return cutAnywhere(crashed, RECOVERY_STEPS, lookAtRewind, 'at random');
      });
      expect(allProblems(results)).toEqual([]);
    }
  });

  test('tears no file that a killed process had written and not synced', {
    timeout: 3_600_000,
  }, async () => {
    const steps = wholeRewind(rewind);
    const points = await killPoints(scratch, rewind.template, steps);
    // All new files wait, the last of them still without its mode; then the recovery gives them names.
    const point = points.findLast(({ name, file }) => name === 'fchmod' && file?.endsWith('.new'));
    if (point === undefined) throw new Error('no file was staged');
    const kill = { point, steps };
    const results = await cutAfterKill(rewind.template, kill, RECOVERY_STEPS, lookAtRewind);
    expect(allProblems(results)).toEqual([]);
    expect(results.at(-1)?.outcome).toBe(true);
  });

  async function lookAtCaptures(place: Place, reports: readonly ChildReport[]): Promise<Result> {
    const { found, problems } = await checkCaptures(place, capture, reports);
    return { outcome: found, problems };
  }

  async function lookAtRewind(
    place: Place,
    reports: readonly ChildReport[],
    turn: number,
  ): Promise<Result> {
    const acknowledged = wasAcknowledged(reports, 'rewind');
    const { done, problems } = await checkRewind(place, rewind, acknowledged, depthAt(turn));
    return { outcome: done, problems };
  }

  /** Records one run, and looks at every disk that a power cut could make of it. */
  function cutAnywhere(
    template: Place,
    steps: readonly Step[],
    look: Look,
    where: 'at syncs' | 'at random' = 'at syncs',
  ): Promise<Result[]> {
    return onCopy(template, async (place, before) => {
      const { calls } = await record(scratch, place, steps);
      const options = {
        calls,
        before,
        recordedAt: place.folder,
        random: randomFrom(SEED),
        atSyncs: where === 'at syncs',
        randomCuts: where === 'at syncs' ? RANDOM_CUTS : RANDOM_CUTS / 2,
      };
      return lookAfterCuts(scratch, options, look);
    });
  }

  /** What the dead process had not synced, the next one finds, and must not take for certain. */
  function cutAfterKill(
    template: Place,
    { point, steps }: { point: FileCall; steps: readonly Step[] },
    next: readonly Step[],
    look: Look,
  ): Promise<Result[]> {
    return onCopy(template, async (place, before) => {
      const first = await record(scratch, place, steps, point);
      const second = await record(scratch, place, next);
      const options = {
        calls: second.calls,
        earlier: first.calls,
        before,
        recordedAt: place.folder,
        random: randomFrom(SEED),
        atSyncs: false,
        randomCuts: 0,
      };
      const results = await lookAfterCuts(scratch, options, look);
      return results.map(({ outcome, problems }) => ({
        outcome,
        problems: problems.map((problem) => `killed at ${titleOf(point)}, then ${problem}`),
      }));
    });
  }

  /** Runs `work` on a copy, with another that stays as it is. */
  function onCopy<T>(
    template: Place,
    work: (place: Place, before: string) => Promise<T>,
  ): Promise<T> {
    return withFolder(scratch, (folder) => {
      const place = copyPlace(template, join(folder, 'place'));
      const before = join(folder, 'before');
      copyTree(place.folder, before);
      return work(place, before);
    });
  }
});

/** With the opening under the tracer as well: a replay has to know every descriptor. */
function wholeRewind(scenario: RewindScenario): readonly Step[] {
  const work = rewindSteps(scenario).filter((step) => step.do !== 'ready');
  return [{ do: 'ready' }, ...work];
}
