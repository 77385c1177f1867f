import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allProblems, inParallel, titled } from './campaign.ts';
import { crashedPlace, type Moment, momentsOf } from './scenario/crashed.ts';
import { makeScratch, openPlace, type Place, storeOf, withFolder } from './scenario/place.ts';
import {
  makeRewindScenario,
  type RewindScenario,
  rewindSteps,
} from './scenario/rewind-scenario.ts';
import { spoil, storedBlobs } from './scenario/stored-blobs.ts';
import { removeTree, treeOf } from './scenario/tree.ts';
import { killPoints } from './strace/kill.ts';
import { describeWithStrace } from './strace/needs-strace.ts';

describeWithStrace('a recovery that finds the store damaged', () => {
  let scratch: string;
  let scenario: RewindScenario;
  let moments: Moment[];

  beforeAll(async () => {
    scratch = makeScratch();
    scenario = await makeRewindScenario(scratch);
    const points = await killPoints(scratch, scenario.template, rewindSteps(scenario));
    moments = momentsOf(points);
  });

  afterAll(() => removeTree(scratch));

  test('goes on with the files that were staged', async () => {
    expect(
      allProblems(await inParallel(moments, (moment) => recover(moment, () => undefined))),
    ).toEqual([]);
  });

  test('leaves a file as it was when nothing is left to replace it by', async () => {
    const runs = await inParallel(moments, (moment) => recover(moment, loseStagedFiles));
    expect(allProblems(runs)).toEqual([]);
  });

  /** No blob can be read any more, and every path is still as it was or as it should be. */
  function recover(
    { title, point }: Moment,
    meanwhile: (place: Place) => void,
  ): Promise<{ problems: string[] }> {
    return withFolder(scratch, (folder) =>
      titled(`killed ${title}`, async () => {
        const place = await crashedPlace(scratch, scenario, point, folder);
        for (const blob of storedBlobs(storeOf(place))) spoil(storeOf(place), blob, 'flipped');
        meanwhile(place);
        await (await openPlace(place)).close();
        const found = treeOf(place.project);
        const paths = new Set([...Object.keys(found), ...Object.keys(scenario.before)]);
        const problems = [...paths]
          .filter((path) => ![scenario.before[path], scenario.after[path]].includes(found[path]))
          .map((path) => `${path} is ${found[path] ?? 'absent'}, neither old nor new`);
        return { problems };
      }),
    );
  }
});

/** As a power cut may do, since their names are not synced before they are needed. */
function loseStagedFiles({ project }: Place): void {
  const names = readdirSync(project, { recursive: true, encoding: 'utf8' });
  for (const name of names) if (/\.savepoint-.*\.new$/.test(name)) rmSync(join(project, name));
}
