import { unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Savepoint } from '../../../src/index.ts';
import { checkBlobs, checkDatabase, checkLeftovers, type Problems } from './check-store.ts';
import { openPlace, type Place } from './place.ts';
import type { RewindScenario } from './rewind-scenario.ts';
import { differences, type Tree, treeOf } from './tree.ts';

/** How the rewind came out, and all that is wrong with it. */
export interface RewindVerdict {
  readonly done: boolean;
  readonly problems: Problems;
}

/** Going on with rewinds and captures costs four times as much as looking at what is there. */
export type Depth = 'thorough' | 'brief';

/** For campaigns: every fourth look is a thorough one. */
export function depthAt(turn: number): Depth {
  return turn % 4 === 0 ? 'thorough' : 'brief';
}

/**
 * Opens the savepoint in this process, which never saw the rewind and recovers what the other one
 * left, and looks at everything that a crash could have spoilt.
 */
export async function checkRewind(
  place: Place,
  scenario: RewindScenario,
  acknowledged: boolean,
  depth: Depth = 'thorough',
): Promise<RewindVerdict> {
  const savepoint = await openPlace(place);
  try {
    const done = (await savepoint.operations()).length > 0;
    const problems = [
      ...(acknowledged && !done ? ['the rewind was acknowledged and is lost'] : []),
      ...checkTree('after recovery', place, done ? scenario.after : scenario.before),
      ...checkDatabase(place),
      ...(await checkCheckpoints(savepoint, scenario, done)),
      ...(await checkBlobs(savepoint)),
      ...(depth === 'thorough' ? await checkLifeGoesOn(place, savepoint, scenario, done) : []),
      ...(await checkLeftovers(place, savepoint)),
    ];
    return { done, problems };
  } finally {
    await savepoint.close();
  }
}

/** Byte for byte; that includes files of our own, which a tree must not hold. */
export function checkTree(when: string, place: Place, expected: Tree): Problems {
  const found = treeOf(place.project);
  return differences(found, expected).map(
    (path) => `${when}: ${path} is ${found[path] ?? 'absent'}, not ${expected[path] ?? 'absent'}`,
  );
}

/** The old ones are there; the rewind's own safety checkpoint only if the rewind is. */
async function checkCheckpoints(
  savepoint: Savepoint,
  { checkpoints }: RewindScenario,
  done: boolean,
): Promise<Problems> {
  const found = (await savepoint.list()).map(({ id }) => id as string);
  const lost = checkpoints.filter((id) => !found.includes(id));
  const extra = found.length - checkpoints.length - (done ? 1 : 0);
  return [
    ...lost.map((id) => `checkpoint ${id} is lost`),
    ...(extra === 0 ? [] : [`${extra} checkpoints too many`]),
  ];
}

/** Undo and redo give the exact trees, and new work is captured and taken back. */
async function checkLifeGoesOn(
  place: Place,
  savepoint: Savepoint,
  scenario: RewindScenario,
  done: boolean,
): Promise<Problems> {
  if (!done) await savepoint.rewind({ to: scenario.target });
  const problems = checkTree('rewound', place, scenario.after);
  await savepoint.undo();
  problems.push(...checkTree('undone', place, scenario.before));
  await savepoint.redo();
  problems.push(...checkTree('redone', place, scenario.after));
  await workOn(savepoint);
  return [...problems, ...checkTree('after new work', place, scenario.after)];
}

/** The agent makes a file, and takes it back. */
export async function workOn(savepoint: Savepoint): Promise<void> {
  const request = { sessionId: 'later', messageId: 'later', paths: ['later.txt', 'untouched.txt'] };
  const capture = await savepoint.captureBefore(request);
  writeFileSync(join(savepoint.root, 'later.txt'), 'made after the crash\n');
  unlinkSync(join(savepoint.root, 'untouched.txt'));
  await savepoint.captureAfter(capture);
  await savepoint.rewind({ to: capture.checkpointId });
}
