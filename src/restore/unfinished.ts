import { SavepointError } from '../model/errors.ts';
import type { Journal, JournalStep } from '../model/journal.ts';
import { sameState } from '../model/state.ts';
import { isMovable } from './aside.ts';
import { hasStash, stashIsIntact } from './companions.ts';
import { reasonOf } from './step-errors.ts';
import { currentState } from './step-place.ts';

/**
 * The error for a restore that stays as it is for now; the journal knows how it goes on. Its hint promises
 * only what a look at the files has just found.
 */
export function unfinished(root: string, journal: Journal, cause: unknown): SavepointError {
  const why = cause instanceof AggregateError ? cause.errors.map(reasonOf) : [reasonOf(cause)];
  return new SavepointError('restore-unfinished', `a restore stopped half way: ${why.join('; ')}`, {
    path: root,
    hint: `${whereFilesAre(root, journal)}; the next savepoint command finishes it or takes it back`,
    cause,
  });
}

/** The error for a restore that is over, and whose companions could not be looked after. */
export function untidied(root: string, cause: unknown): SavepointError {
  const message = `the restore is over, but its own files could not be removed: ${reasonOf(cause)}`;
  const hint = 'the next savepoint command tries again';
  return new SavepointError('restore-unfinished', message, { path: root, hint, cause });
}

// More would bury the rest of the message.
const MOST_NAMED = 3;

function whereFilesAre(root: string, journal: Journal): string {
  const { steps, alongside = [], safetyCheckpointId } = journal;
  try {
    const away = [
      ...alongside.filter((guard) => !isBack(root, guard)).map(({ path }) => `${path} is changed`),
      ...steps
        .filter((step) => isAway(root, step))
        .map((step) => `${step.path} ${keptAs(root, step)}`),
    ];
    if (away.length === 0) return 'your files are safe: each is in its place';
    const rest = away.length - MOST_NAMED;
    const more = rest > 0 ? `, and ${rest} more` : '';
    const named = away.slice(0, MOST_NAMED).join(', ');
    return `not in their place: ${named}${more}; checkpoint ${safetyCheckpointId} holds what was there`;
  } catch (error) {
    return `your files could not be looked at (${reasonOf(error)}); mend the disk first`;
  }
}

/** Whether another program's doing at the path is undone. */
function isBack(root: string, guard: JournalStep): boolean {
  return sameState(currentState(root, guard), guard.to);
}

/** Whether a file or link that was there, and should be or become another, is not in its place. */
function isAway(root: string, step: JournalStep): boolean {
  if (!isMovable(step.from)) return false;
  const current = currentState(root, step);
  if (current.kind === 'unknown') throw new Error(`${step.path} cannot be read`);
  return current.kind === 'absent' && !sameState(step.to, current);
}

function keptAs(root: string, step: JournalStep): string {
  const { stageFolder, stashName } = step;
  const name = stageFolder === null ? stashName : `${stageFolder}/${stashName}`;
  return hasStash(root, step) && stashIsIntact(root, step) ? `is kept as ${name}` : 'is gone';
}
