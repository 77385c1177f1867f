import {
  type DiffHunk,
  type DiffLine,
  displayLines,
  displayText,
  pathToBytes,
  type State,
  type TrackedPath,
} from '../index.ts';
import { type FileDiff, fileDiff, gitMode, octalMode } from './file-diff.ts';
import type { Paint, Style } from './paint.ts';
import { plural } from './phrases.ts';
import { neverRecorded } from './reasons.ts';
import { wrapRows } from './rows.ts';
import { clipStart, padWidth, widestOf } from './text-width.ts';

/**
 * One file as a unified diff with the headers that git users know, and that `git apply` takes. Folders and
 * contents that were not recorded cannot be in a patch: they are described in words, which git passes over.
 */
export function diffText(file: FileDiff, paint: Paint): string[] {
  return asPatches(file).flatMap((part) => {
    const [first, ...rest] = wordsFor(part);
    return first === undefined ? patchText(part, paint) : [paint('bold', first), ...rest];
  });
}

/** Nothing for a change that a patch can hold. */
function wordsFor({ diff, damaged }: FileDiff): string[] {
  const { path, before, after } = diff;
  const name = displayText(path);
  const unknown = [
    ...(before.kind === 'unknown' ? [`not recorded before: ${neverRecorded(before.reason)}`] : []),
    ...(after.kind === 'unknown' ? [`not recorded after: ${neverRecorded(after.reason)}`] : []),
  ];
  if (unknown.length > 0) return [`No diff of ${name}`, ...unknown];
  if (isFolder(before) || isFolder(after)) return [`Folder ${name}: ${folderText(before, after)}`];
  if (!damaged) return [];
  const sizes = `(${sizeOf(before)} -> ${sizeOf(after)})`;
  return [`No diff of ${name}`, `Contents differ, but their record is damaged ${sizes}`];
}

/** A file that became a link, or the other way round, is deleted and created, as git shows it. */
function asPatches(file: FileDiff): FileDiff[] {
  const { before, after } = file.diff;
  if (before.kind !== 'captured' || after.kind !== 'captured') return [file];
  if (before.type === after.type) return [file];
  const absent = { kind: 'absent' } as const;
  return [
    fileDiff({ ...file.diff, after: absent, afterBytes: null }),
    fileDiff({ ...file.diff, before: absent, beforeBytes: null }),
  ];
}

function patchText(file: FileDiff, paint: Paint): string[] {
  const { path } = file.diff;
  const from = file.from ?? path;
  const renamed = [
    'similarity index 100%',
    `rename from ${gitName(from)}`,
    `rename to ${gitName(path)}`,
  ];
  const heading = [
    `diff --git ${gitName(from, 'a/')} ${gitName(path, 'b/')}`,
    ...headersOf(file),
    ...(file.from === null ? [] : renamed),
  ];
  return [...heading.map((line) => paint('bold', line)), ...bodyOf(file, paint)];
}

/** "2 paths changed, 3 insertions(+), 1 deletion(-)" */
export function diffSummary(files: readonly FileDiff[]): string {
  const insertions = files.reduce((sum, file) => sum + file.insertions, 0);
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
  const fates = (['created', 'deleted', 'renamed'] as const).flatMap((fate) => {
    const count = files.filter(({ status }) => status === fate).length;
    return count > 0 ? [`${count} ${fate}`] : [];
  });
  return [
    `${plural(files.length, 'path')} changed`,
    `${plural(insertions, 'insertion')}(+)`,
    `${plural(deletions, 'deletion')}(-)`,
    ...fates,
  ].join(', ');
}

function headersOf({ diff: { before, after } }: FileDiff): string[] {
  const from = before.kind === 'captured' ? gitMode(before) : null;
  const to = after.kind === 'captured' ? gitMode(after) : null;
  if (from === to) return [];
  if (from === null) return [`new file mode ${to}`];
  return to === null ? [`deleted file mode ${from}`] : [`old mode ${from}`, `new mode ${to}`];
}

/** Patches have no folders: git makes and removes them along with files. */
function folderText(before: State, after: State): string {
  const mode = (state: State): string => (state.kind === 'captured' ? octalMode(state) : '');
  if (before.kind === 'absent') return `new, mode ${mode(after)}`;
  if (after.kind === 'absent') return `deleted, mode ${mode(before)}`;
  return `mode ${mode(before)} -> ${mode(after)}`;
}

function isFolder(state: State): boolean {
  return state.kind === 'captured' && state.type === 'directory';
}

function bodyOf(file: FileDiff, paint: Paint): string[] {
  const { path, before, after } = file.diff;
  const name = (state: State, side: string): string =>
    state.kind === 'captured' ? gitName(path, side) : '/dev/null';
  if (file.binary) return [`Binary files ${name(before, 'a/')} and ${name(after, 'b/')} differ`];
  if (file.hunks.length === 0) return [];
  return [
    paint('bold', `--- ${headerName(name(before, 'a/'))}`),
    paint('bold', `+++ ${headerName(name(after, 'b/'))}`),
    ...file.hunks.flatMap((hunk) => hunkText(hunk, paint)),
  ];
}

const SIGNS = { context: ' ', add: '+', remove: '-' } as const;
const STYLES: Partial<Record<keyof typeof SIGNS, Style>> = { add: 'green', remove: 'red' };

function hunkText(hunk: DiffHunk, paint: Paint): string[] {
  const { oldStart, oldLines, newStart, newLines } = hunk;
  return [
    paint('cyan', `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`),
    ...hunk.lines.flatMap(({ kind, text, noNewline }) => {
      const line = SIGNS[kind] + displayLines(text);
      const style = STYLES[kind];
      const painted = style === undefined ? line : paint(style, line);
      return noNewline ? [painted, '\\ No newline at end of file'] : [painted];
    }),
  ];
}

export interface HunkRoom {
  readonly columns: number;
  readonly paint: Paint;
  /** Off where nobody knows at which line of the file the hunks are. */
  readonly numbers: boolean;
}

/**
 * Hunks for a person at a terminal: each line with its number in the file that it is in (a removed line is in the
 * old one), long lines wrapped. `diffText` is for programs as well, and has headers instead.
 */
export function hunkRows(hunks: readonly DiffHunk[], room: HunkRoom): string[] {
  const last = hunks.at(-1);
  const width = last === undefined || !room.numbers ? 0 : String(lastLine(last)).length;
  return hunks.flatMap((hunk, i) => [
    ...(i === 0 ? [] : [room.paint('dim', `${' '.repeat(Math.max(0, width - 1))}⋯`)]),
    ...numberedLines(hunk).flatMap((line) => lineRows(line, width, room)),
  ]);
}

function lastLine({ oldStart, oldLines, newStart, newLines }: DiffHunk): number {
  return Math.max(oldStart + oldLines, newStart + newLines) - 1;
}

type NumberedLine = DiffLine & { readonly number: number };

function numberedLines({ oldStart, newStart, lines }: DiffHunk): NumberedLine[] {
  let [before, after] = [oldStart, newStart];
  return lines.map((line) => {
    const number = line.kind === 'remove' ? before : after;
    if (line.kind !== 'add') before += 1;
    if (line.kind !== 'remove') after += 1;
    return { ...line, number };
  });
}

function lineRows(
  { kind, text, noNewline, number }: NumberedLine,
  width: number,
  { columns, paint }: HunkRoom,
): string[] {
  const style = STYLES[kind];
  const margin = width === 0 ? '' : `${String(number).padStart(width)} `;
  const rows = wrapRows(text, columns - margin.length - 2).map((row, i) => {
    const start = i === 0 ? margin : ' '.repeat(margin.length);
    const line = `${i === 0 ? SIGNS[kind] : ' '} ${row}`.trimEnd();
    return paint('dim', start) + (style === undefined ? line : paint(style, line));
  });
  return noNewline ? [...rows, paint('dim', `${' '.repeat(margin.length)}  ${NO_NEWLINE}`)] : rows;
}

const NO_NEWLINE = '(no newline at the end)';

function sizeOf(state: State): string {
  return state.kind === 'captured' ? plural(state.size, 'byte') : 'nothing';
}

const LEAST_NAME = 20;
const LONGEST_BAR = 40;
const LONGEST_LINE = 120;

/** One line for each file: its name, how many lines changed, and a bar of them. */
export function diffStat(files: readonly FileDiff[], paint: Paint, columns: number): string[] {
  const names = files.map(nameOf);
  const most = files.reduce((lines, file) => Math.max(lines, changedLines(file)), 0);
  const counts = files.map(countOf);
  const countColumn = widestOf(counts);
  const room = Math.min(columns, LONGEST_LINE) - countColumn - ' '.length - ' | '.length;
  const widest = widestOf(names);
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

/** A single changed line among thousands still shows as one sign. */
function barOf({ insertions, deletions, status }: FileDiff, scale: number, paint: Paint): string {
  const signs = (count: number): number =>
    count === 0 ? 0 : Math.max(1, Math.round(count * scale));
  if (insertions + deletions === 0) return status === 'modified' ? '' : `(${status})`;
  return paint('green', '+'.repeat(signs(insertions))) + paint('red', '-'.repeat(signs(deletions)));
}

/**
 * A path as git writes it in a diff: as it is, or in quotes, with numbers for bytes that could steer a
 * terminal or are not text. `git apply` reads both.
 */
function gitName(path: TrackedPath, side = ''): string {
  const isPlain = displayText(path) === path && !/["\\]/.test(path);
  if (isPlain) return side + path;
  const quoted = Array.from(pathToBytes(path), quotedByte).join('');
  return `"${side}${quoted}"`;
}

/** After `---` and `+++`, a name with a space in it is ended by a tab, or it would end at the space. */
function headerName(name: string): string {
  return name.includes(' ') && !name.startsWith('"') ? `${name}\t` : name;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function quotedByte(byte: number): string {
  const character = String.fromCharCode(byte);
  const isPrinted = byte >= 0x20 && byte < 0x7f;
  return ESCAPES[character] ?? (isPrinted ? character : `\\${byte.toString(8).padStart(3, '0')}`);
}
