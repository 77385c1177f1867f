import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSavepoint } from '../../../src/index.ts';
import type { Step } from '../child/steps.ts';
import { killAt, killPoints } from '../strace/kill.ts';
import { momentsOf } from './crashed.ts';
import { copyPlace, openPlace, type Place } from './place.ts';
import { makeRewindScenario } from './rewind-scenario.ts';
import { type Tree, treeOf } from './tree.ts';

/** A restore that waits to be carried out, in a project with an edit that nobody has recorded. */
export interface RestoreAct {
  readonly title: string;
  readonly template: Place;
  readonly steps: readonly Step[];
  readonly before: Tree;
  readonly after: Tree;
  /** How many operations are on record before it. */
  readonly operations: number;
}

/** The file with the person's unrecorded edit, which the restore replaces. */
export const EDITED = 'src/app.ts';

/** A rewind, an undo, a redo, and the recovery of a rewind that was killed in each of its phases. */
export async function makeRestoreActs(scratch: string): Promise<RestoreAct[]> {
  const scenario = await makeRewindScenario(join(scratch, 'scenario'));
  const step: Step = { do: 'rewind', to: scenario.target, onConflict: 'restore' };
  const rewind = actIn('rewind', copyPlace(scenario.template, join(scratch, 'rewind')), step, {
    after: scenario.after,
    operations: 0,
    edit: 'export const answer = "by the person";\n',
  });
  const undo = await actAfter(rewind, 'undo', scratch);
  const redo = await actAfter(undo, 'redo', scratch);
  return [rewind, undo, redo, ...(await recoveriesOf(rewind, scratch))];
}

/** The act that takes another one back: that one is carried out first, and a person edits a file. */
async function actAfter(
  act: RestoreAct,
  title: 'undo' | 'redo',
  scratch: string,
): Promise<RestoreAct> {
  const place = copyPlace(act.template, join(scratch, title));
  const savepoint = await openPlace(place);
  const request = { onConflict: 'restore' } as const;
  const [step] = act.steps.slice(-2);
  if (step?.do === 'rewind') await savepoint.rewind({ to: step.to, ...request });
  else await savepoint.undo(request);
  await savepoint.close();
  return actIn(
    title,
    place,
    { do: title, ...request },
    {
      after: act.before,
      operations: act.operations + 1,
      edit: `export const answer = "before the ${title}";\n`,
    },
  );
}

function actIn(
  title: string,
  template: Place,
  step: Step,
  { after, edit, operations }: Pick<RestoreAct, 'after' | 'operations'> & { edit: string },
): RestoreAct {
  writeFileSync(join(template.project, EDITED), edit);
  appendFileSync(join(template.project, 'untouched.txt'), `edited before the ${title}\n`);
  const before = treeOf(template.project);
  const steps: Step[] = [{ do: 'open' }, { do: 'ready' }, step, { do: 'close' }];
  // No restore concerns this file.
  const untouched = before['untouched.txt'] ?? '';
  const expected = { ...after, 'untouched.txt': untouched };
  return { title, template, steps, before, after: expected, operations };
}

/** The next command opens the project again and repeats the rewind. */
async function recoveriesOf(rewind: RestoreAct, scratch: string): Promise<RestoreAct[]> {
  const steps = [1, 0, 2, 3].map((at) => rewind.steps[at]).filter((step) => step !== undefined);
  const points = await killPoints(scratch, rewind.template, rewind.steps);
  const acts: RestoreAct[] = [];
  for (const { title, point } of momentsOf(points)) {
    const template = copyPlace(rewind.template, join(scratch, `recovery-${acts.length}`));
    await killAt(scratch, template, rewind.steps, point);
    acts.push({ ...rewind, title: `recovery of a rewind killed ${title}`, template, steps });
  }
  return acts;
}

/** The tree of a checkpoint, to be written into a folder beside the project; `after` is that folder. */
export async function treeToWrite(rewind: RestoreAct, scratch: string): Promise<RestoreAct> {
  const template = copyPlace(rewind.template, join(scratch, 'materialize'));
  const { project, home } = template;
  const savepoint = await openSavepoint({ project, home, adopt: true, scan: true });
  await savepoint.checkpoint();
  const out = join(scratch, 'materialized');
  await savepoint.materialize('latest', out);
  await savepoint.close();
  // A folder that was there before is not removed, whatever fails.
  mkdirSync(join(template.folder, 'out'));
  const step: Step = { do: 'materialize', ref: 'latest', directory: 'out' };
  const steps: Step[] = [{ do: 'open' }, { do: 'ready' }, step, { do: 'close' }];
  return { ...rewind, title: 'materialize', template, steps, after: treeOf(out) };
}
