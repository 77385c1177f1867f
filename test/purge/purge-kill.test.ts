import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Savepoint } from '../../src/index.ts';
import { numberFrom, randomFrom } from '../crash/campaign.ts';
import { builtProgram } from '../setup/built.ts';
import { ChildScript } from '../setup/child-script.ts';
import { MARKERS, PlantedProject, unreadable } from './planted-project.ts';
import { search, storeFolder } from './store-search.ts';

const KILLS = numberFrom('SAVEPOINT_PURGE_KILLS', 5);
const SEED = numberFrom('SAVEPOINT_CRASH_SEED', 20_260_101);
const ENGINE = builtProgram('src/index.ts');
const SCRIPT = `
  import { openSavepoint } from '${ENGINE}';
  const [, project, home] = process.argv;
  const savepoint = await openSavepoint({ project, home });
  process.stdout.write('ready');
  await savepoint.purge({ patterns: ['keys/'] });
  process.stdout.write('purged');
  await savepoint.close();
`;

let template: PlantedProject;
beforeAll(async () => {
  template = await PlantedProject.plant();
});
afterAll(() => template.remove());

it('is finished by the next start, or has not happened, when a process is killed', async () => {
  const usual = await duration();
  const random = randomFrom(SEED);
  const outcomes: boolean[] = [];
  for (let turn = 0; turn < KILLS; turn += 1) outcomes.push(await killAndLook(random() * usual));
  expect(outcomes).toHaveLength(KILLS);
});

/** Whether the purge had come so far that it was finished. */
async function killAndLook(afterMs: number): Promise<boolean> {
  const project = await template.copy();
  try {
    const child = new ChildScript(SCRIPT, project.root, project.home);
    await child.says('ready');
    await sleep(afterMs);
    await child.kill();
    const savepoint = await project.open();
    try {
      return await look(project, savepoint, afterMs);
    } finally {
      await savepoint.close();
    }
  } finally {
    project.remove();
  }
}

async function look(
  project: PlantedProject,
  savepoint: Savepoint,
  afterMs: number,
): Promise<boolean> {
  const title = `killed after ${afterMs} ms`;
  const changes = await savepoint.changes({});
  const purged = changes.filter(({ path }) => path.startsWith('keys/'));
  const gone = purged.filter(
    ({ before }) => before.kind === 'unknown' && before.reason === 'purged',
  );
  expect([0, purged.length], title).toContain(gone.length);
  const isDone = gone.length > 0;
  if (isDone) expect(secretsIn(project), title).toEqual([]);
  expect(await unreadable(savepoint), title).toEqual([]);
  await savepoint.purge({ patterns: ['keys/'] });
  expect(secretsIn(project), title).toEqual([]);
  return isDone;
}

function secretsIn(project: PlantedProject): string[] {
  const found = search(storeFolder(project.home), Object.values(MARKERS), project.contents);
  return [...found].filter(([, places]) => places.size > 0).map(([text]) => text);
}

async function duration(): Promise<number> {
  const project = await template.copy();
  const child = new ChildScript(SCRIPT, project.root, project.home);
  await child.says('ready');
  const begin = performance.now();
  await child.says('purged');
  const took = performance.now() - begin;
  await child.ends();
  project.remove();
  return took;
}
