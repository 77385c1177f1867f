import { displayText, type PlanHunk, type PlanLine } from '../index.ts';
import { hunkRows } from './diff-text.ts';
import type { Paint } from './paint.ts';
import { plural } from './phrases.ts';
import { explain, modesText } from './plan-text.ts';

/** A hunk of a line of a plan. */
export interface OfferedHunk {
  readonly line: PlanLine;
  readonly hunk: PlanHunk;
}

const MOST_ROWS = 200;

/** A hunk as a person decides about it: "+" stands before lines that will be gone. Safe to show. */
export function planHunkText(
  { line, hunk }: OfferedHunk,
  paint: Paint,
  columns: number,
  name: string = displayText(line.path),
): string[] {
  const what = hunk.kind === 'mode' ? modesText(line) : explain(line);
  const title = paint('bold', name) + (hunk.kind === 'lines' ? '' : `  ${what}`);
  const rows = hunkRows([hunk], { columns, paint, numbers: true });
  const more = rows.length - MOST_ROWS;
  const rest = more > 0 ? [paint('dim', `and ${plural(more, 'more row')}`)] : [];
  return [title, ...rows.slice(0, MOST_ROWS), ...rest];
}
