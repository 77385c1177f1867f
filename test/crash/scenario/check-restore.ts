import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Savepoint } from '../../../src/index.ts';
import type { ChildOutcome } from '../child/run-child.ts';
import type { ReportedError } from '../child/steps.ts';
import { checkTree } from './check-rewind.ts';
import { checkDatabase, type Problems } from './check-store.ts';
import { openPlace, type Place } from './place.ts';
import type { RestoreAct } from './restore-acts.ts';
import { differences, removeTree, type Tree, treeOf } from './tree.ts';

/**
 * Looks for lost bytes after a restore on a failing disk: at once, after the next command on a healthy one,
 * and after the command that takes the restore back.
 */
export async function checkRestore(
  place: Place,
  act: RestoreAct,
  { reports, complaints, ended }: ChildOutcome,
): Promise<{ problems: Problems }> {
  const failure = reports.find((line) => line.say === 'failed');
  // After a recovery that is true of the command, and says nothing of what the recovery did.
  const isFirst = !act.title.startsWith('recovery');
  const saysUntouched = isFirst && (failure?.error.hint.includes('nothing was changed') ?? false);
  const problems = [
    // Companions that cannot be removed are named by a notice.
    ...(saysUntouched ? checkTree('nothing was changed', place, act.before) : []).filter(
      (problem) => !isCompanion(problem),
    ),
    ...(ended ? [] : [`the process broke off: ${complaints}`]),
    ...checkFailure(failure?.error ?? null),
    ...checkBytes(treeOf(place.project), act, failure?.error.hint.includes('are safe') ?? false),
  ];
  const savepoint = await openPlace(place);
  try {
    const notices = savepoint.notices();
    problems.push(...checkHealed(treeOf(place.project), act, JSON.stringify(notices)));
    await takeBack(savepoint, place, act);
    problems.push(...checkTree('taken back', place, act.before), ...checkDatabase(place));
  } finally {
    await savepoint.close();
  }
  return { problems };
}

/** What a failed `materialize` has left, if anything, and that it works on a healthy disk. */
export async function checkWrittenTree(
  place: Place,
  act: RestoreAct,
  { reports }: ChildOutcome,
): Promise<{ problems: Problems }> {
  const error = reports.find((line) => line.say === 'failed')?.error ?? null;
  const out = join(place.folder, 'out');
  const found = existsSync(out) ? treeOf(out) : {};
  const torn = Object.keys(found).filter((path) => found[path] !== act.after[path]);
  const problems = [
    ...checkFailure(error),
    ...checkTree('written elsewhere', place, act.before),
    ...torn.filter((path) => found[path] !== 'folder 700').map((path) => `${path} is torn`),
  ];
  if (error !== null && Object.keys(found).length > 0 && !error.hint.includes('is left there')) {
    problems.push(`a part of the tree is left without a word: ${error.message}`);
  }
  removeTree(out);
  const savepoint = await openPlace(place);
  await savepoint.materialize('latest', out).finally(() => savepoint.close());
  return { problems: [...problems, ...differences(treeOf(out), act.after)] };
}

function checkFailure(error: ReportedError | null): Problems {
  return error === null || error.typed ? [] : [`untyped error ${error.code}: ${error.message}`];
}

/** Each entry is old or new, or its old bytes wait under another name, which is no place of safety. */
function checkBytes(found: Tree, { before, after }: RestoreAct, saidSafe: boolean): Problems {
  const kept = new Set(
    Object.keys(found)
      .filter(isCompanion)
      .map((path) => found[path]),
  );
  return Object.keys(before).flatMap((path) => {
    const isBetween = before[path]?.startsWith('folder') ?? false;
    if (isBetween || found[path] === before[path] || found[path] === after[path]) return [];
    if (!kept.has(before[path])) return [`${path} is lost on the failing disk: ${found[path]}`];
    return saidSafe ? [`${path} is not in its place, and was said to be safe`] : [];
  });
}

function checkHealed(found: Tree, { before, after }: RestoreAct, notices: string): Problems {
  const changed = new Set([...differences(found, before), ...differences(found, after)]);
  return [...changed].flatMap((path) => {
    if (isCompanion(path)) return [`left behind: ${path}`];
    if (found[path] === before[path] || found[path] === after[path]) return [];
    return [`healed: ${path} is ${found[path] ?? 'absent'}, neither old nor new; ${notices}`];
  });
}

function isCompanion(path: string): boolean {
  return path.includes('.savepoint-');
}

/** By the operation; where none is on record although something was changed, by the safety checkpoint. */
async function takeBack(savepoint: Savepoint, place: Place, act: RestoreAct): Promise<void> {
  const onConflict = 'restore';
  const operations = await savepoint.operations();
  const newest = operations.toSorted((a, b) => b.seq - a.seq)[0];
  if (newest !== undefined && operations.length > act.operations) {
    await savepoint.undo({ operationId: newest.id, onConflict });
  } else if (differences(treeOf(place.project), act.before).length > 0) {
    const [safety] = (await savepoint.list()).filter(({ kind }) => kind === 'safety');
    if (safety !== undefined) await savepoint.rewind({ to: safety.id, take: 'exact', onConflict });
  }
}
