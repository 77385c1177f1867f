import { displayText } from '../index.ts';
import type { FileDiff } from './file-diff.ts';
import type { Paint } from './paint.ts';
import { clipWidth, padWidth, textWidth } from './text-width.ts';

const LEAST_NAME = 20;
const LONGEST_BAR = 40;
const LONGEST_LINE = 120;

/** One line for each file: its name, how many lines changed, and a bar of them. */
export function diffStat(files: readonly FileDiff[], paint: Paint, columns: number): string[] {
  const names = files.map(nameOf);
  const most = Math.max(0, ...files.map(changedLines));
  const counts = files.map(countOf);
  const countColumn = Math.max(0, ...counts.map((count) => count.length));
  const room = Math.min(columns, LONGEST_LINE) - countColumn - ' '.length - ' | '.length;
  const widest = Math.max(0, ...names.map(textWidth));
  const bar = Math.max(0, Math.min(LONGEST_BAR, most, room - Math.min(widest, LEAST_NAME) - 1));
  const nameColumn = Math.min(widest, Math.max(LEAST_NAME, room - bar - 1));
  const scale = most > bar ? bar / most : 1;
  return files.map((file, i) => {
    const name = padWidth(clipStart(names[i] ?? '', nameColumn), nameColumn);
    const count = (counts[i] ?? '').padStart(countColumn);
    return ` ${name} | ${count} ${barOf(file, scale, paint)}`.trimEnd();
  });
}

function nameOf({ diff, from }: FileDiff): string {
  const name = displayText(diff.path);
  return from === null ? name : `${displayText(from)} => ${name}`;
}

function countOf(file: FileDiff): string {
  if (file.damaged) return 'damaged';
  return file.binary ? 'bin' : String(changedLines(file));
}

function changedLines({ insertions, deletions }: FileDiff): number {
  return insertions + deletions;
}

/** Whatever changed at all shows as one sign at least. */
function barOf({ insertions, deletions, status }: FileDiff, scale: number, paint: Paint): string {
  const signs = (count: number): number =>
    count === 0 ? 0 : Math.max(1, Math.round(count * scale));
  if (insertions + deletions === 0) return status === 'modified' ? '' : `(${status})`;
  return paint('green', '+'.repeat(signs(insertions))) + paint('red', '-'.repeat(signs(deletions)));
}

/** The end of a path says more than its beginning. */
function clipStart(name: string, columns: number): string {
  if (textWidth(name) <= columns) return name;
  const mirrored = clipWidth([...name].toReversed().join(''), columns);
  return [...mirrored].toReversed().join('');
}
