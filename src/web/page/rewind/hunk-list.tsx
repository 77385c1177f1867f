import { useMemo } from 'preact/hooks';
import { displayText } from '../../../model/display.ts';
import type { LineRange, PlanHunk } from '../../api.ts';
import { useDiffStyle } from '../diff/diff-style.tsx';
import { DiffTable } from '../diff/diff-table.tsx';
import { linesOf } from '../diff/text-diff.ts';
import { Check } from '../ui/parts.tsx';
import { counted } from '../ui/shown.ts';

interface HunkListProps {
  readonly path: string;
  readonly hunks: readonly PlanHunk[];
  /** The ids of those to take back; all of them if it is left out. */
  readonly chosen: readonly string[] | undefined;
  /** Called with the ids of all hunks to take back. */
  readonly choose: (ids: readonly string[]) => void;
}

/** The places of a file that go back, each with a box to leave it as it is. */
export function HunkList({ path, hunks, chosen, choose }: HunkListProps) {
  const all = hunks.map(({ id }) => id);
  const isTaken = (id: string) => chosen === undefined || chosen.includes(id);
  const toggle = (id: string) =>
    choose(all.filter((one) => (one === id ? !isTaken(id) : isTaken(one))));
  return (
    <ol class="hunks" aria-label={`Places of ${displayText(path)} that go back`}>
      {hunks.map((hunk, i) => (
        <li key={hunk.id} data-left={isTaken(hunk.id) ? undefined : ''}>
          <Check checked={isTaken(hunk.id)} choose={() => toggle(hunk.id)}>
            <span>
              {hunks.length > 1 ? `Place ${i + 1} of ${hunks.length}: ` : ''}
              {linesText(hunk)}
            </span>
          </Check>
          {hunk.lines.length > 0 && <HunkTable {...{ path, hunk }} />}
        </li>
      ))}
    </ol>
  );
}

function HunkTable({ path, hunk }: { readonly path: string; readonly hunk: PlanHunk }) {
  const style = useDiffStyle();
  const [before, after] = useMemo(() => [sideOf(hunk, 'remove'), sideOf(hunk, 'add')], [hunk]);
  return (
    <DiffTable
      {...{ path, style, before, after }}
      caption={`${displayText(path)}, ${linesText(hunk)}`}
      firstLine={{ before: Math.max(1, hunk.oldStart), after: Math.max(1, hunk.newStart) }}
      isWhole
    />
  );
}

function sideOf({ lines }: PlanHunk, own: 'add' | 'remove'): string {
  return lines
    .filter(({ kind }) => kind === own || kind === 'context')
    .map(({ text, noNewline }) => (noNewline ? text : `${text}\n`))
    .join('');
}

function linesText({ kind, lines, oldStart, oldLines }: PlanHunk): string {
  if (kind === 'mode') return 'the permissions';
  if (kind === 'whole') return 'the whole file';
  const removed = lines.filter(({ kind }) => kind === 'remove').length;
  const added = lines.filter(({ kind }) => kind === 'add').length;
  const where = oldLines > 1 ? `lines ${oldStart}–${oldStart + oldLines - 1}` : `line ${oldStart}`;
  const what = [
    removed > 0 ? `${counted(removed, 'line')} ${removed === 1 ? 'goes' : 'go'}` : '',
    added > 0 ? `${counted(added, 'line')} ${added === 1 ? 'comes' : 'come'} back` : '',
  ];
  return `${where}, ${what.filter((one) => one !== '').join(', ')}`;
}

interface YoursProps {
  readonly path: string;
  readonly text: string;
  readonly stays: readonly LineRange[];
}

/** The lines of a file that the reader wrote, as they will stand in it. */
export function YoursList({ path, text, stays }: YoursProps) {
  const style = useDiffStyle();
  if (stays.length === 0) return null;
  const lines = linesOf(text);
  return (
    <div class="yours-list">
      <p class="quiet">Yours, stays:</p>
      {stays.map(({ from, to }) => {
        const part = lines.slice(from - 1, to).join('');
        return (
          <DiffTable
            key={from}
            {...{ path, style }}
            before={part}
            after={part}
            caption={`Your lines ${from} to ${to} of ${displayText(path)}`}
            firstLine={{ before: from, after: from }}
            yours={[{ from: 1, to: to - from + 1 }]}
            isWhole
          />
        );
      })}
    </div>
  );
}
