import { displayText } from '../../index.ts';
import { hunkRows } from '../../terminal/diff-text.ts';
import type { Paint } from '../../terminal/paint.ts';
import { plural } from '../../terminal/phrases.ts';
import type { FileEdit } from './file-edit.ts';
import { shownPath } from './tool-line.ts';

/** The diff of one file, as a question shows it before and the transcript afterwards. */
export function editRows({ hunks, isPlaced }: FileEdit, columns: number, paint: Paint): string[] {
  return hunkRows(hunks, { columns, paint, numbers: isPlaced });
}

/** "new file, 12 lines", "+2 -1" */
export function editCounts({ hunks, isNew }: FileEdit, paint: Paint): string {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const count = (kind: string): number => lines.filter((line) => line.kind === kind).length;
  if (isNew) return `new file, ${plural(count('add'), 'line')}`;
  if (lines.length === 0) return 'no changes';
  return `${paint('green', `+${count('add')}`)} ${paint('red', `-${count('remove')}`)}`;
}

/** "Create notes.txt?", "Edit src/a.ts?" */
export function editTitle({ path, isNew }: FileEdit, cwd: string | null): string {
  return `${isNew ? 'Create' : 'Edit'} ${displayText(shownPath(path, cwd))}?`;
}
