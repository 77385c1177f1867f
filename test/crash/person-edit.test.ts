import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allProblems, inParallel, numberFrom, spread, titled } from './campaign.ts';
import { checkBlobs, checkDatabase } from './scenario/check-store.ts';
import { crashedPlace } from './scenario/crashed.ts';
import { EDITS, type PersonalEdit, theirs, withoutPaths } from './scenario/person.ts';
import { copyPlace, makeScratch, openPlace, type Place, withFolder } from './scenario/place.ts';
import {
  makeRewindScenario,
  type RewindScenario,
  rewindSteps,
} from './scenario/rewind-scenario.ts';
import { differences, removeTree, type Tree, treeOf } from './scenario/tree.ts';
import { type FileCall, isOnProject } from './strace/file-calls.ts';
import { killPoints, titleOf } from './strace/kill.ts';
import { describeWithStrace } from './strace/needs-strace.ts';

// At how many moments of a rewind it is killed; and of fourteen edits, how many are tried at each.
const CRASHES = numberFrom('SAVEPOINT_EDIT_CRASHES', 20);
const EDITS_EACH = numberFrom('SAVEPOINT_EDITS', 3);

describeWithStrace('an edit by the person between the crash and the next start', () => {
  let scratch: string;
  let scenario: RewindScenario;

  beforeAll(async () => {
    scratch = makeScratch();
    scenario = await makeRewindScenario(scratch);
  });

  afterAll(() => removeTree(scratch));

  test('stays theirs, and everything else is wholly old or wholly new', {
    timeout: 3_600_000,
  }, async () => {
    const points = await killPoints(scratch, scenario.template, rewindSteps(scenario));
    const moments = spread(points.filter(isOnProject), CRASHES);
    const runs = await inParallel(moments, crashAndEdit);
    expect(allProblems(runs.flat())).toEqual([]);
  });

  /** One crash, and several persons who each find it. */
  function crashAndEdit(point: FileCall, turn: number): Promise<{ problems: string[] }[]> {
    return withFolder(scratch, async (folder) => {
      const crashed = await crashedPlace(scratch, scenario, point, join(folder, 'crashed'));
      const edits = Array.from({ length: Math.min(EDITS_EACH, EDITS.length) }, (_, count) => {
        return EDITS[(turn * EDITS_EACH + count) % EDITS.length] as PersonalEdit;
      });
      return inParallel(edits, (edit) =>
        withFolder(folder, (copy) =>
          titled(`${titleOf(point)}, ${edit.title}`, () => recover(copyPlace(crashed, copy), edit)),
        ),
      );
    });
  }

  async function recover(place: Place, edit: PersonalEdit): Promise<{ problems: string[] }> {
    const paths = edit.make(place.project);
    const before = theirs(place, paths);
    const savepoint = await openPlace(place);
    try {
      const done = (await savepoint.operations()).length > 0;
      const problems = compare('recovered', place, paths, done ? scenario.after : scenario.before);
      if (done) await savepoint.undo();
      problems.push(...compare('undone', place, paths, scenario.before));
      const after = theirs(place, paths);
      if (after !== before) problems.push(`theirs was ${before} and is ${after}`);
      problems.push(...(await checkBlobs(savepoint)), ...checkDatabase(place));
      return { problems };
    } finally {
      await savepoint.close();
    }
  }
});

function compare(when: string, place: Place, paths: readonly string[], expected: Tree): string[] {
  const found = withoutPaths(treeOf(place.project), paths);
  const wanted = withoutPaths(expected, paths);
  return differences(found, wanted).map(
    (other) => `${when}: ${other} is ${found[other] ?? 'absent'}, not ${wanted[other] ?? 'absent'}`,
  );
}
