import { afterAll, beforeAll, expect, test } from 'vitest';
import { allProblems, inParallel, numberFrom, spread, titled } from './campaign.ts';
import { checkRestore, checkWrittenTree } from './scenario/check-restore.ts';
import { copyPlace, makeScratch, withFolder } from './scenario/place.ts';
import { makeRestoreActs, type RestoreAct, treeToWrite } from './scenario/restore-acts.ts';
import { removeTree } from './scenario/tree.ts';
import { failAt, lastingErrors, type Sabotage } from './strace/fault.ts';
import { describeWithStrace } from './strace/needs-strace.ts';
import { record } from './strace/recording.ts';

// How many of the runs below are made; there are some 1,300.
const RUNS = numberFrom('SAVEPOINT_LASTING_ERRORS', 18);

interface Run {
  readonly act: RestoreAct;
  readonly sabotage: Sabotage;
}

describeWithStrace('a restore on a disk that goes on refusing one kind of call', () => {
  let scratch: string;
  let acts: readonly RestoreAct[];

  beforeAll(async () => {
    scratch = makeScratch();
    acts = await makeRestoreActs(scratch);
  }, 300_000);

  afterAll(() => removeTree(scratch));

  test('loses no byte, and the next command on a healthy disk mends every file', {
    timeout: 3_600_000,
  }, async () => {
    const runs: Run[] = [];
    for (const act of acts) runs.push(...(await runsOf(act)));
    const outcomes = await inParallel(spread(runs, RUNS), (run) => failAndCheck(run, checkRestore));
    expect(allProblems(outcomes)).toEqual([]);
  });

  test('leaves no half of a tree that was to be written elsewhere', {
    timeout: 3_600_000,
  }, async () => {
    const [rewind] = acts;
    if (rewind === undefined) throw new Error('there is no act');
    const act = await treeToWrite(rewind, scratch);
    const runs = spread(await runsOf(act), Math.ceil(RUNS / acts.length));
    const outcomes = await inParallel(runs, (run) => failAndCheck(run, checkWrittenTree));
    expect(allProblems(outcomes)).toEqual([]);
  });

  function runsOf(act: RestoreAct): Promise<Run[]> {
    return withFolder(scratch, async (folder) => {
      const { calls } = await record(scratch, copyPlace(act.template, folder), act.steps);
      return lastingErrors(calls).map((sabotage) => ({ act, sabotage }));
    });
  }

  function failAndCheck(
    { act, sabotage }: Run,
    check: typeof checkRestore,
  ): Promise<{ problems: string[] }> {
    return withFolder(scratch, (folder) =>
      titled(`${act.title}: ${sabotage.title}`, async () => {
        const place = copyPlace(act.template, folder);
        const outcome = await failAt(scratch, place, act.steps, sabotage);
        return check(place, act, outcome);
      }),
    );
  }
});
