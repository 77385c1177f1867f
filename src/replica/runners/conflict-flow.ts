import { basename } from 'node:path';
import {
  type Conflict,
  type Decision,
  displayText,
  isTextPath,
  type PlanLine,
  type Resolution,
  type RewindPlan,
} from '../../index.ts';
import { conflictText, hasMarkers, lineEndOf, markedText } from '../../terminal/conflict-text.ts';
import { messageAndHint } from '../../terminal/phrases.ts';
import { canBeDecided } from '../../terminal/plan-text.ts';
import { sentenceFor } from '../../terminal/reasons.ts';
import { wrapRows } from '../../terminal/rows.ts';
import type { EngineFiles } from '../files/engine-files.ts';
import type { InteractiveUI } from '../ui/interactive-ui.ts';
import type { RewindParts } from './rewind-flow.ts';

interface ConflictParts extends Pick<RewindParts, 'ui' | 'paint'> {
  readonly files: EngineFiles;
}

/** Asks about each file in conflict. Those that the person passes over stay in conflict. */
export async function decideConflicts(
  parts: ConflictParts,
  plan: RewindPlan,
): Promise<Resolution[]> {
  const decided: Resolution[] = [];
  const lines = plan.lines.filter(canBeDecided);
  for (const [i, line] of lines.entries()) {
    try {
      const take = await decideOne(parts, line, `(${i + 1} of ${lines.length})`);
      // Only about what the person saw: a file that changes meanwhile is not touched.
      if (take !== null) decided.push({ path: line.path, take, seen: line.expected });
    } catch (error) {
      parts.ui.displayWarning(`${displayText(line.path)}: ${messageAndHint(error)}`);
    }
  }
  return decided;
}

/** Null where nothing was decided. */
async function decideOne(
  { ui, files, paint }: ConflictParts,
  line: PlanLine,
  which: string,
): Promise<Decision | null> {
  const conflict = await files.savepoint.planConflict(line);
  if (conflict === null) return null;
  const marked = isTextPath(line.path) ? markedText(conflict) : null;
  const why = line.reason === undefined ? '' : `: ${sentenceFor(line.reason)}`;
  const rows = conflictText(conflict, paint);
  const choice = await ui.askConflict({
    title: `Conflict ${which} in ${displayText(line.path)}`,
    body: (columns) => [...wrapRows(`In conflict${why}.`, columns), ...rows],
    canMerge: marked !== null,
  });
  return choice === 'merge' ? mergeInEditor(ui, line, conflict, marked ?? '') : choice;
}

/** Markers that are left, or a failure of the editor, leave the file as it is and in conflict. */
async function mergeInEditor(
  ui: InteractiveUI,
  { path }: PlanLine,
  conflict: Conflict,
  marked: string,
): Promise<Decision | null> {
  const edited = await ui.editText(marked, basename(path));
  const left = (why: string): null => {
    ui.displayWarning(`${displayText(path)} is left as it is: ${why}`);
    return null;
  };
  if ('problem' in edited) return left(edited.problem);
  if (hasMarkers(edited.text, conflict)) return left('there are still markers in the merge.');
  if (edited.text === '') return left('the merge is empty.');
  return { content: Buffer.from(edited.text + lineEndOf(conflict)) };
}
