import {
  type Conflict,
  displayText,
  isLost,
  type PathDiff,
  type PathReason,
  type PlanHunk,
  type PlanLine,
  type PlanNote,
  type Receipt,
  type RewindPlan,
  type TrackedPath,
} from '../index.ts';
import { conflictText } from './conflict-text.ts';
import { diffText, hunkRows } from './diff-text.ts';
import { eachFileDiff, octalMode } from './file-diff.ts';
import type { Paint, Style } from './paint.ts';
import { plural, someOf } from './phrases.ts';
import { sentenceFor } from './reasons.ts';
import { beside } from './rows.ts';
import { padWidth, widestOf, wrapWords } from './text-width.ts';

const MAX_NAME_COLUMN = 40;
const WORD_COLUMN = 8;
const LEAST_FOR_WHY = 24;

/**
 * What a plan does to each path, one line for each; the dry run and the real one print the same. In a narrow
 * place only paths that are left as they are have a reason below them.
 */
export function planText(plan: RewindPlan, paint: Paint, columns: number): string[] {
  const names = plan.lines.map((line) => displayText(line.path));
  const column = Math.min(MAX_NAME_COLUMN, widestOf(names));
  const isNarrow = columns - column - WORD_COLUMN - 6 < LEAST_FOR_WHY;
  const inferred = inferredPaths(plan);
  const setId = pathsOf(plan, 'set-id');
  const lines = plan.lines.flatMap((line, i) => {
    const [word, style] = isLost(line) ? LOST : WORDS[line.action];
    const text = `  ${paint(style, word.padEnd(WORD_COLUMN))}  `;
    if (isNarrow && line.reason === undefined) return [text + names[i]];
    const name = padWidth(names[i] ?? '', column);
    const lacks = line.action === 'already-there' && setId.has(line.path);
    const why = [
      explain(line),
      lacks ? ', except for set-id bits' : '',
      inferred.has(line.path) ? '; found after a command' : '',
    ].join('');
    return beside(`${text}${name}  `, why, columns, (part) => paint('dim', part));
  });
  return [...lines, ...plan.notes.flatMap((note) => noteText(note, columns))];
}

/** Paths that no tool named: they were found changed after a command. */
export function inferredPaths(plan: RewindPlan): ReadonlySet<TrackedPath> {
  return pathsOf(plan, 'inferred');
}

function pathsOf({ notes }: RewindPlan, wanted: PlanNote['code']): ReadonlySet<TrackedPath> {
  return new Set(notes.find(({ code }) => code === wanted)?.paths);
}

const WORDS: Record<PlanLine['action'], readonly [string, Style]> = {
  write: ['restore', 'green'],
  link: ['restore', 'green'],
  mkdir: ['restore', 'green'],
  chmod: ['restore', 'green'],
  delete: ['delete', 'red'],
  merge: ['merge', 'cyan'],
  'already-there': ['same', 'dim'],
  keep: ['keep', 'yellow'],
  conflict: ['conflict', 'yellow'],
  skip: ['skip', 'yellow'],
};

const LOST = ['lost', 'red'] as const;

/** What happens to the path of a line, in words. */
function explain(line: PlanLine): string {
  const { action, expected, reason, hunks } = line;
  const why = reason === undefined ? '' : sentenceFor(reason);
  if (isLost(line)) return `is gone and cannot come back: ${why}`;
  switch (action) {
    case 'write':
      return expected.kind === 'absent' ? 'was deleted: comes back' : 'goes back to how it was';
    case 'link':
      return 'goes back to the link that it was';
    case 'mkdir':
      return 'the folder is made again';
    case 'chmod':
      if (hunks !== undefined) return 'its permissions go back, its lines stay';
      return modesText(line);
    case 'delete':
      return 'created since then: will be deleted';
    case 'merge':
      if (hunks === undefined) return 'goes back, and what others changed in it stays';
      return `${plural(hunks.length, 'hunk goes', 'hunks go')} back, and the rest stays`;
    case 'already-there':
      return 'is already as it was';
    case 'keep':
      return `stays as you asked: ${why}`;
    case 'conflict':
    case 'skip':
      return `left as it is: ${why}`;
  }
}

function modesText({ expected, target }: PlanLine): string {
  return expected.kind === 'captured' && target.kind === 'captured'
    ? `permissions go from ${octalMode(expected)} to ${octalMode(target)}`
    : 'permissions go back';
}

const SHOWN_PATHS = 5;

export function noteText({ code, message, paths = [] }: PlanNote, columns: number): string[] {
  // The lines of the plan say it themselves.
  if (code === 'inferred') return wrapWords(`  note: ${message}`, columns, 4);
  const about = paths.length === 0 ? '' : ` (${someOf(paths.map(displayText), SHOWN_PATHS)})`;
  return wrapWords(`  note: ${displayText(message)}${about}`, columns, 4);
}

/** What a plan would do, and the diff of each file that it changes, as far as a person scrolls. */
export interface PlanPreview {
  readonly plan: RewindPlan;
  /** The lines of both sides, where a person can decide. */
  readonly conflicts: readonly string[];
  readonly diff: readonly string[];
  /** Paths whose diff was left out. */
  readonly more: number;
}

export interface PreviewOptions {
  readonly diffOf: (line: PlanLine) => Promise<PathDiff>;
  /** Left out where nobody is asked about conflicts. */
  readonly conflictOf?: (line: PlanLine) => Promise<Conflict | null>;
  readonly paint: Paint;
  /** Called between paths: lets keys be heard, and throws once nobody waits for the answer. */
  readonly breathe?: () => Promise<void>;
}

const MOST_DIFF_LINES = 2_000;
const MOST_DIFF_BYTES = 4 * 1024 * 1024;
const LARGEST_SHOWN = 256 * 1024;
const MOST_PLAN_LINES = 200;

export async function previewOf(
  plan: RewindPlan,
  { diffOf, conflictOf, paint, breathe = async () => undefined }: PreviewOptions,
): Promise<PlanPreview> {
  const conflicts: string[] = [];
  for (const line of conflictOf === undefined ? [] : plan.lines.filter(canBeDecided)) {
    if (conflicts.length >= MOST_DIFF_LINES || sizeOf(line) > LARGEST_SHOWN) continue;
    await breathe();
    const conflict = await conflictOf?.(line);
    if (conflict) conflicts.push(...conflictText(conflict, paint));
  }
  const changed = plan.lines.filter(changesFile);
  const large = changed.filter((line) => sizeOf(line) > LARGEST_SHOWN);
  const diffs: PathDiff[] = [];
  let bytes = 0;
  for (const line of changed) {
    if (large.includes(line) || bytes > MOST_DIFF_BYTES) continue;
    await breathe();
    diffs.push(await diffOf(line));
    bytes += sizeOf(line);
  }
  const diff = large.flatMap(({ path }) => [
    paint('bold', displayText(path)),
    'too large to be shown here',
  ]);
  let shown = large.length;
  for (const file of eachFileDiff(diffs)) {
    if (diff.length >= MOST_DIFF_LINES) break;
    await breathe();
    diff.push(...diffText(file, paint).slice(0, MOST_DIFF_LINES));
    shown += file.from === null ? 1 : 2;
  }
  return { plan, conflicts, diff, more: changed.length - shown };
}

/** Whether a line is in conflict, and a person can say which side it is to be. */
export function canBeDecided({ action, sides }: PlanLine): boolean {
  return action === 'conflict' && sides !== undefined;
}

/** What a plan is about, in numbers. */
export interface PlanCounts {
  /** Paths that are to change, but for folders. */
  readonly files: number;
  readonly folders: number;
  /** Paths that are left as they are because somebody else changed them too. */
  readonly conflicts: number;
}

export function planCounts({ lines }: RewindPlan): PlanCounts {
  const changed = lines.filter(changesFile);
  const folders = changed.filter(isFolder).length;
  const conflicts = lines.filter(({ action }) => action === 'conflict').length;
  return { files: changed.length - folders, folders, conflicts };
}

/** Whether a line is about a folder. */
export function isFolder({ expected, target }: PlanLine): boolean {
  const state = target.kind === 'absent' ? expected : target;
  return state.kind === 'captured' && state.type === 'directory';
}

/** "3 files and 1 folder" */
export function pathsText({ files, folders }: Pick<PlanCounts, 'files' | 'folders'>): string {
  if (folders === 0) return plural(files, 'file');
  const made = plural(folders, 'folder');
  return files === 0 ? made : `${plural(files, 'file')} and ${made}`;
}

/** Whether a line of a plan is to change something on the disk. */
export function changesFile({ action }: PlanLine): boolean {
  return !IDLE.has(action);
}

const IDLE: ReadonlySet<PlanLine['action']> = new Set([
  'already-there',
  'keep',
  'conflict',
  'skip',
]);

function sizeOf({ expected, target }: PlanLine): number {
  const sizes = [expected, target].map((state) => (state.kind === 'captured' ? state.size : 0));
  return Math.max(...sizes);
}

// The diff goes from how a file will be to how it is: "+" stands before lines that will be gone.
const CONFLICT_CAPTION = 'In conflict, left as you have it:';
const DIFF_CAPTION = 'What will be taken back:';

/** Plan and diff one below the other, safe to show. */
export function previewText(
  { plan, conflicts, diff, more }: PlanPreview,
  paint: Paint,
  columns: number,
): string[] {
  if (plan.lines.length === 0) return ['Nothing to take back.'];
  const lines = plan.lines.slice(0, MOST_PLAN_LINES);
  const rest = plan.lines.length - lines.length;
  return [
    ...planText({ ...plan, lines }, paint, columns),
    ...(rest > 0 ? [`  and ${plural(rest, 'more path')}`] : []),
    ...(conflicts.length > 0 ? ['', paint('bold', CONFLICT_CAPTION), ...conflicts] : []),
    ...(diff.length > 0 ? ['', paint('bold', DIFF_CAPTION), ...diff] : []),
    ...(more > 0 ? [paint('dim', `and the diff of ${plural(more, 'more path')}`)] : []),
  ];
}

// A turn can touch thousands of files; what was left alone is what a person has to look after.
const SHOWN_NAMES = 20;
const SHOWN_REASONS = 50;

/** What a restore did to which path, and what it left alone and why, line by line. */
export function receiptText(receipt: Receipt, paint: Paint): string[] {
  const left = leftText(receipt, paint);
  const lines = doneBy(receipt).flatMap(([word, paths]) => namesText(word, paths, paint));
  const isIdle = lines.length + left.length === receipt.notes.length;
  return [...(isIdle ? ['  everything was as it should be already'] : lines), ...left];
}

function doneBy({ restoredFiles, deletedFiles, mergedFiles }: Receipt) {
  return [
    ['restored', restoredFiles],
    ['deleted', deletedFiles],
    ['merged', mergedFiles],
  ] as const;
}

/** The part of it that a person has to look after: what was left alone and why, and the notes. */
export function leftText(
  { conflicts, skipped, errors, notes }: Receipt,
  paint: Paint,
  columns: number = Number.POSITIVE_INFINITY,
): string[] {
  const told = notes.flatMap((note) => noteText(note, columns));
  return [
    ...reasonsText('conflict', 'yellow', conflicts, paint),
    ...reasonsText('skipped', 'yellow', skipped, paint),
    ...reasonsText('lost', 'red', errors, paint),
    ...told.map((line) => paint('dim', line)),
  ];
}

/** What a restore did, in one line: "restored a.txt, deleted 3 files; 1 conflict is left". */
export function receiptLine(receipt: Receipt): string {
  const { conflicts } = receipt;
  const parts = doneBy(receipt).flatMap(([word, paths]) => {
    const [only] = paths;
    if (only === undefined) return [];
    return [`${word} ${paths.length === 1 ? displayText(only) : plural(paths.length, 'file')}`];
  });
  const said = parts.length === 0 ? 'no file had to change' : parts.join(', ');
  const left = plural(conflicts.length, 'conflict is', 'conflicts are');
  return conflicts.length === 0 ? said : `${said}; ${left} left as you have it`;
}

function namesText(word: string, paths: readonly TrackedPath[], paint: Paint): string[] {
  const lines = paths
    .slice(0, SHOWN_NAMES)
    .map((path) => paint('green', `  ${word.padEnd(WORD_COLUMN)}  ${displayText(path)}`));
  return [...lines, ...restText(word, paths.length - SHOWN_NAMES)];
}

function reasonsText(
  word: string,
  style: Style,
  left: readonly PathReason[],
  paint: Paint,
): string[] {
  const lines = left.slice(0, SHOWN_REASONS).map(({ path, reason }) => {
    const name = paint(style, `  ${word.padEnd(WORD_COLUMN)}  ${displayText(path)}`);
    const fate = word === 'lost' ? 'cannot come back' : 'left as it is';
    return `${name}  ${fate}: ${displayText(sentenceFor(reason))}`;
  });
  return [...lines, ...restText(word, left.length - SHOWN_REASONS)];
}

function restText(word: string, more: number): string[] {
  return more > 0 ? [`  ${word.padEnd(WORD_COLUMN)}  and ${more} more`] : [];
}

/** A hunk of a line of a plan. */
export interface OfferedHunk {
  readonly line: PlanLine;
  readonly hunk: PlanHunk;
}

const MOST_HUNK_ROWS = 200;

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
  const more = rows.length - MOST_HUNK_ROWS;
  const rest = more > 0 ? [paint('dim', `and ${plural(more, 'more row')}`)] : [];
  return [title, ...rows.slice(0, MOST_HUNK_ROWS), ...rest];
}
