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

// More would bury the rest of the message.
const MOST_NAMED = 3;

function whereFilesAre(
  root: string,
  { steps, alongside = [], safetyCheckpointId }: Journal,
): string {
  try {
    const away = [...alongside, ...steps].filter((step) => isAway(root, step));
    if (away.length === 0) return 'your files are safe: each is in its place';
    const named = away.slice(0, MOST_NAMED).map((step) => `${step.path} ${keptAs(root, step)}`);
    const rest = away.length - named.length;
    const more = rest === 0 ? '' : `, and ${rest} more`;
    return `not in their place: ${named.join(', ')}${more}; checkpoint ${safetyCheckpointId} holds what was there`;
  } catch (error) {
    return `your files could not be looked at (${reasonOf(error)}); mend the disk first`;
  }
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
