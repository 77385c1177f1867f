import { afterAll, beforeAll, expect, test } from 'vitest';
import { allProblems, inParallel, numberFrom, spread, titled } from './campaign.ts';
import type { ChildOutcome } from './child/run-child.ts';
import { type CaptureScenario, makeCaptureScenario } from './scenario/capture-scenario.ts';
import { checkCaptures } from './scenario/check-captures.ts';
import { checkTree } from './scenario/check-rewind.ts';
import { copyPlace, makeScratch, withFolder } from './scenario/place.ts';
import { removeTree, treeOf } from './scenario/tree.ts';
import { failAt, lastingFaults, onceAt, type Sabotage } from './strace/fault.ts';
import { type FaultPoint, faultPoints } from './strace/fault-points.ts';
import { type FileCall, isOnProject } from './strace/file-calls.ts';
import { describeWithStrace } from './strace/needs-strace.ts';
import { record } from './strace/recording.ts';
import { WRITING_CALLS } from './strace/strace.ts';

const LASTING = numberFrom('SAVEPOINT_LASTING_FAULTS', 20);

describeWithStrace('a capture on a failing disk', () => {
  let scratch: string;
  let scenario: CaptureScenario;
  let calls: FileCall[];

  beforeAll(async () => {
    scratch = makeScratch();
    scenario = makeCaptureScenario(scratch);
    const recording = await withFolder(scratch, (folder) =>
      record(scratch, copyPlace(scenario.template, folder), scenario.steps),
    );
    // The tool's own writes are not ours to answer for.
    calls = recording.calls.filter((call) => !isByTool(call));
  });

  afterAll(() => removeTree(scratch));

  test('fails with a word or is on record, whichever call fails', {
    timeout: 3_600_000,
  }, async () => {
    const faults = faultPoints(calls, isLifelike).map(onceAt);
    expect(allProblems(await inParallel(faults, failAndCheck))).toEqual([]);
  });

  test('fails with a word or is on record when the disk stays full, read-only or broken', {
    timeout: 3_600_000,
  }, async () => {
    const faults = spread(lastingFaults(calls), LASTING);
    expect(allProblems(await inParallel(faults, failAndCheck))).toEqual([]);
  });

  function failAndCheck(sabotage: Sabotage): Promise<{ problems: string[] }> {
    return withFolder(scratch, (folder) =>
      titled(sabotage.title, async () => {
        const place = copyPlace(scenario.template, folder);
        const outcome = await failAt(scratch, place, scenario.steps, sabotage);
        const before = treeOf(place.project);
        const { problems } = await checkCaptures(place, scenario, outcome.reports, 'some');
        problems.push(...checkTree('after the next start', place, before));
        return { problems: [...problems, ...wordsOf(outcome)] };
      }),
    );
  }
});

/** What may not be looked at now may not be looked at a moment later either: these are looked at twice. */
function isLifelike({ call, code }: FaultPoint): boolean {
  return !(
    code === 'EACCES' && ['project', 'project/link', 'project/new'].includes(call.file ?? '')
  );
}

/** A process says what failed, in words of ours, and lives on. */
function wordsOf({ reports, ended, complaints }: ChildOutcome): string[] {
  const untyped = reports.flatMap((line) =>
    line.say === 'failed' && line.step !== 'tool' && !line.error.typed ? [line] : [],
  );
  return [
    ...untyped.map(({ step, error }) => `untyped error in ${step}: ${error.code} ${error.message}`),
    ...(ended ? [] : [`the process broke off: ${complaints}`]),
  ];
}

function isByTool(call: FileCall): boolean {
  const flags = call.args.join();
  const writes = WRITING_CALLS.includes(call.name) && !/O_RDONLY|O_PATH/.test(flags);
  return isOnProject(call) && writes;
}
