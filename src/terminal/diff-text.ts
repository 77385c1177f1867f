import { type DiffHunk, displayLines, displayText, type State } from '../index.ts';
import { type FileDiff, gitMode } from './file-diff.ts';
import type { Paint, Style } from './paint.ts';
import { plural } from './plural.ts';
import { neverRecorded } from './reasons.ts';

/** One file as a unified diff with the headers that git users know. */
export function diffText(file: FileDiff, paint: Paint): string[] {
  const name = displayText(file.diff.path);
  const from = file.from === null ? name : displayText(file.from);
  if (file.from !== null) return renameText(file, from, name).map((line) => paint('bold', line));
  return [
    paint('bold', `diff --git a/${name} b/${name}`),
    ...headersOf(file).map((line) => paint('bold', line)),
    ...bodyOf(file, name, paint),
  ];
}

function renameText(file: FileDiff, from: string, to: string): string[] {
  return [
    `diff --git a/${from} b/${to}`,
    ...headersOf(file),
    'similarity index 100%',
    `rename from ${from}`,
    `rename to ${to}`,
  ];
}

/** "2 paths changed, 3 insertions(+), 1 deletion(-)" */
export function diffSummary(files: readonly FileDiff[]): string {
  const insertions = files.reduce((sum, file) => sum + file.insertions, 0);
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
  const created = files.filter((file) => file.status === 'created').length;
  const deleted = files.filter((file) => file.status === 'deleted').length;
  const renamed = files.filter((file) => file.status === 'renamed').length;
  return [
    `${plural(files.length, 'path')} changed`,
    `${plural(insertions, 'insertion')}(+)`,
    `${plural(deletions, 'deletion')}(-)`,
    ...(created > 0 ? [`${created} created`] : []),
    ...(deleted > 0 ? [`${deleted} deleted`] : []),
    ...(renamed > 0 ? [`${renamed} renamed`] : []),
  ].join(', ');
}

function headersOf({ diff: { before, after } }: FileDiff): string[] {
  const lines: string[] = [];
  if (before.kind === 'unknown') lines.push(`not recorded before: ${neverRecorded(before.reason)}`);
  if (after.kind === 'unknown') lines.push(`not recorded after: ${neverRecorded(after.reason)}`);
  if (before.kind === 'captured' && after.kind === 'captured') {
    const [from, to] = [gitMode(before), gitMode(after)];
    if (from !== to) lines.push(`old mode ${from}`, `new mode ${to}`);
  } else if (after.kind === 'captured') lines.push(`new file mode ${gitMode(after)}`);
  else if (before.kind === 'captured') lines.push(`deleted file mode ${gitMode(before)}`);
  return lines;
}

function bodyOf(file: FileDiff, name: string, paint: Paint): string[] {
  const { before, after } = file.diff;
  const sizes = `(${sizeOf(before)} -> ${sizeOf(after)})`;
  if (file.damaged) return [`Contents differ, but their record is damaged ${sizes}`];
  if (file.binary) return [`Binary contents differ ${sizes}`];
  if (file.hunks.length === 0) return [];
  return [
    paint('bold', `--- ${before.kind === 'captured' ? `a/${name}` : '/dev/null'}`),
    paint('bold', `+++ ${after.kind === 'captured' ? `b/${name}` : '/dev/null'}`),
    ...file.hunks.flatMap((hunk) => hunkText(hunk, paint)),
  ];
}

const SIGNS = { context: ' ', add: '+', remove: '-' } as const;
const STYLES: Partial<Record<keyof typeof SIGNS, Style>> = { add: 'green', remove: 'red' };

function hunkText(hunk: DiffHunk, paint: Paint): string[] {
  const range = (sign: string, start: number, lines: number) => `${sign}${start},${lines}`;
  const { oldStart, oldLines, newStart, newLines } = hunk;
  return [
    paint('cyan', `@@ ${range('-', oldStart, oldLines)} ${range('+', newStart, newLines)} @@`),
    ...hunk.lines.flatMap(({ kind, text, noNewline }) => {
      const line = SIGNS[kind] + displayLines(text);
      const style = STYLES[kind];
      const painted = style === undefined ? line : paint(style, line);
      return noNewline ? [painted, '\\ No newline at end of file'] : [painted];
    }),
  ];
}

function sizeOf(state: State): string {
  return state.kind === 'captured' ? plural(state.size, 'byte') : 'nothing';
}
