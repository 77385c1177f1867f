import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mountProblem } from '../setup/mounts.ts';
import { allProblems, titled } from './campaign.ts';
import { type ChildOutcome, runChild } from './child/run-child.ts';
import type { Step } from './child/steps.ts';
import { type CaptureScenario, makeCaptureScenario } from './scenario/capture-scenario.ts';
import { checkCaptures } from './scenario/check-captures.ts';
import { checkFaultyRewind, type FaultVerdict } from './scenario/check-faulty-rewind.ts';
import { checkRewind, type RewindVerdict } from './scenario/check-rewind.ts';
import { momentsOf } from './scenario/crashed.ts';
import { makeScratch, openPlace, type Place, settleStore, withFolder } from './scenario/place.ts';
import {
  makeRewindScenario,
  type RewindScenario,
  rewindSteps,
} from './scenario/rewind-scenario.ts';
import { SmallDisk } from './scenario/small-disk.ts';
import { copyTree, removeTree } from './scenario/tree.ts';
import type { FileCall } from './strace/file-calls.ts';
import { killAt, killPoints } from './strace/kill.ts';
import { skipVisibly } from './strace/needs-strace.ts';
import { straceProblem } from './strace/strace.ts';

const KIB = 1024;
// From nothing at all to more than enough for the files, with the steps close where it matters.
const FREE_KIB = [0, 4, 8, 16, 32, 64, 128, 256, 320, 512, 1024, 3072];

const TITLE = 'a disk that is really full';
const problem = mountProblem() ?? straceProblem();
if (problem === null) describe(TITLE, onFullDisk);
else skipVisibly(TITLE, problem, onFullDisk);

function onFullDisk(): void {
  let scratch: string;
  let disk: SmallDisk;
  let rewind: RewindScenario;
  let capture: CaptureScenario;

  beforeAll(async () => {
    scratch = makeScratch();
    rewind = await makeRewindScenario(scratch);
    capture = makeCaptureScenario(scratch);
    disk = new SmallDisk(join(scratch, 'small'));
  });

  afterAll(() => {
    disk.unmount();
    removeTree(scratch);
  });

  test.each(['project', 'home'] as const)(
    'loses nothing of a rewind when it holds the %s',
    {
      timeout: 600_000,
    },
    async (small) => {
      const verdicts = [];
      for (const free of FREE_KIB) {
        verdicts.push(await titled(`${free} KiB free`, () => rewindOn(small, free * KIB)));
      }
      expect(allProblems(verdicts)).toEqual([]);
      // There was too little at one end of the scale, and enough at the other.
      const said = verdicts.map((verdict) => ('said' in verdict ? verdict.said : ''));
      expect(said.at(0)).not.toBe('success');
      expect(said.at(-1)).toBe('success');
    },
  );

  test('loses no capture that was acknowledged when it holds the store', {
    timeout: 600_000,
  }, async () => {
    const verdicts = [];
    for (const free of FREE_KIB) {
      verdicts.push(await titled(`${free} KiB free`, () => captureOn(free * KIB)));
    }
    expect(allProblems(verdicts)).toEqual([]);
    expect(verdicts.map((verdict) => ('found' in verdict ? verdict.found : -1))).toContain(3);
  });

  test('leaves a killed rewind whole when there is no room to finish it', {
    timeout: 600_000,
  }, async () => {
    const points = await killPoints(scratch, rewind.template, rewindSteps(rewind));
    const verdicts = [];
    for (const { title, point } of momentsOf(points)) {
      verdicts.push(await titled(title, () => killedOn(point)));
    }
    expect(allProblems(verdicts)).toEqual([]);
    // Early kills are taken back; past the swap there is nothing left to write.
    const done = verdicts.map((verdict) => 'done' in verdict && verdict.done);
    expect(done.at(0)).toBe(false);
    expect(done.at(-1)).toBe(true);
  });

  /** Killed with room enough; then the disk fills up, and only then somebody comes back. */
  function killedOn(point: FileCall): Promise<RewindVerdict> {
    return onSmallDisk(rewind.template, 'project', async (place) => {
      await killAt(scratch, place, rewindSteps(rewind), point);
      disk.fill(0);
      await (await openPlace(place)).close();
      disk.clear();
      return checkRewind(place, rewind, false);
    });
  }

  function rewindOn(small: 'project' | 'home', free: number): Promise<FaultVerdict> {
    return onSmallDisk(rewind.template, small, async (place) => {
      disk.fill(free);
      const outcome = await runOn(place, rewindSteps(rewind));
      await openWhileFull(place);
      disk.clear();
      return checkFaultyRewind(place, rewind, outcome);
    });
  }

  function captureOn(free: number): Promise<{ problems: string[]; found: number }> {
    return onSmallDisk(capture.template, 'home', async (place) => {
      disk.fill(free);
      const { reports } = await runOn(place, capture.steps);
      disk.clear();
      return checkCaptures(place, capture, reports);
    });
  }

  function runOn({ project, home }: Place, steps: readonly Step[]): Promise<ChildOutcome> {
    return runChild({ order: { project, home, steps }, scratch });
  }

  /** One of the two folders lies on the small disk, the other does not. */
  function onSmallDisk<T>(
    template: Place,
    small: 'project' | 'home',
    work: (place: Place) => Promise<T>,
  ): Promise<T> {
    return withFolder(scratch, (roomy) =>
      withFolder(disk.folder, async (tight) => {
        const place = {
          folder: roomy,
          project: join(small === 'project' ? tight : roomy, 'project'),
          home: join(small === 'home' ? tight : roomy, 'home'),
        };
        copyTree(template.project, place.project);
        mkdirSync(place.home);
        if (template === rewind.template) copyTree(template.home, place.home);
        settleStore(place);
        try {
          return await work(place);
        } finally {
          disk.clear();
        }
      }),
    );
  }
}

/** A start on a full disk may fail, in words of ours, but must not make anything worse. */
async function openWhileFull(place: Place): Promise<void> {
  try {
    await (await openPlace(place)).close();
  } catch (error) {
    expect((error as Error).name).toBe('SavepointError');
  }
}
