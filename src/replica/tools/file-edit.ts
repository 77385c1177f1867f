import { readFile } from '../../fs/read-file.ts';
import { type DiffHunk, type DiffLine, displayText, unifiedHunks } from '../../index.ts';
import { accepts, COUNT, listOf, object, TEXT } from '../../model/check.ts';
import { hunkRows } from '../../terminal/diff-text.ts';
import type { Paint } from '../../terminal/paint.ts';
import { plural } from '../../terminal/phrases.ts';
import { fieldsOf } from '../sdk/message-router.ts';
import { editedPath, textAt } from './known-tools.ts';
import { shownPath } from './tool-line.ts';

type Input = Readonly<Record<string, unknown>>;

/** What a tool call does to one file. */
export interface FileEdit {
  readonly path: string;
  readonly isNew: boolean;
  readonly hunks: readonly DiffHunk[];
  /** Whether the hunks say at which lines of the file they are. */
  readonly isPlaced: boolean;
}

/** Larger files and calls are not compared: nobody reads the result, and somebody waits for it. */
const MOST_BYTES = 1024 * 1024;

/**
 * What a call is about to do, from the file as it is on disk now; null for a call that edits no file. Where the file
 * cannot be read, or the edit does not fit into it, the edit is shown by itself, without a place.
 */
export function proposedEdit(toolName: string, input: Input): FileEdit | null {
  const path = editedPath(toolName, input);
  if (path === null) return null;
  const before = toolName === 'NotebookEdit' ? null : contentOf(path);
  const after = before === null ? null : edited(toolName, input, before.text);
  if (before === null || after === null) return withoutPlace(path, input);
  const hunks = hunksOf(before.text, after);
  return { path, isNew: !before.exists, hunks, isPlaced: true };
}

/**
 * What a call has done, from what the tool tells of itself; null where it does not tell. Of a conversation that is
 * taken up again only the call is known, which says of an edit what went and what came.
 */
export function madeEdit(toolName: string, input: Input, output: unknown): FileEdit | null {
  const path = editedPath(toolName, input);
  if (path === null) return null;
  if (output === undefined && EDITS.has(toolName)) return withoutPlace(path, input);
  const { structuredPatch, type, content, old_source, new_source } = fieldsOf(output);
  if (type === 'create' && typeof content === 'string') {
    return { path, isNew: true, hunks: hunksOf('', content), isPlaced: true };
  }
  if (accepts(PATCH, structuredPatch)) {
    return { path, isNew: false, hunks: structuredPatch.map(hunkOf), isPlaced: true };
  }
  if (typeof new_source !== 'string') return null;
  const hunks = hunksOf(typeof old_source === 'string' ? old_source : '', new_source);
  return { path, isNew: false, hunks, isPlaced: false };
}

const EDITS: ReadonlySet<string> = new Set(['Edit', 'MultiEdit']);

interface Content {
  readonly exists: boolean;
  readonly text: string;
}

/** Null for what is no text, cannot be read or is too large to compare. */
function contentOf(path: string): Content | null {
  try {
    const read = readFile(path, { followLink: true, maxBytes: MOST_BYTES });
    if (read.bytes === null) return read.why === 'missing' ? { exists: false, text: '' } : null;
    if (read.bytes.includes(0)) return null;
    return { exists: true, text: read.bytes.toString('utf8').replaceAll('\r\n', '\n') };
  } catch {
    return null;
  }
}

function edited(toolName: string, input: Input, before: string): string | null {
  if (toolName === 'Write') return bounded(textAt(input, 'content'));
  let text: string | null = before;
  for (const edit of editsIn(input)) text = text === null ? null : replaced(text, edit);
  return bounded(text);
}

function replaced(text: string, edit: Input): string | null {
  const from = textAt(edit, 'old_string');
  const to = textAt(edit, 'new_string');
  if (from === null || to === null) return null;
  if (from === '') return text === '' ? to : null;
  if (!text.includes(from)) return null;
  // A function, since signs such as $& mean something in a text to replace with.
  return edit.replace_all === true ? text.replaceAll(from, () => to) : text.replace(from, () => to);
}

function bounded(text: string | null): string | null {
  return text !== null && text.length <= MOST_BYTES ? text : null;
}

/** What the call itself says of the lines that go and come. */
function withoutPlace(path: string, input: Input): FileEdit {
  const hunks = editsIn(input).flatMap((edit) => {
    const from = textAt(edit, 'old_string') ?? '';
    const to =
      textAt(edit, 'new_string') ?? textAt(edit, 'content') ?? textAt(edit, 'new_source') ?? '';
    // A part of a line within a file: that it ends without a newline says nothing.
    const isWithin = from !== '' && to !== '' && !from.endsWith('\n') && !to.endsWith('\n');
    return isWithin ? hunksOf(`${from}\n`, `${to}\n`) : hunksOf(from, to);
  });
  return { path, isNew: false, hunks, isPlaced: false };
}

function editsIn(input: Input): readonly Input[] {
  return Array.isArray(input.edits) ? input.edits.map(fieldsOf) : [input];
}

const encoder = new TextEncoder();

function hunksOf(before: string, after: string): DiffHunk[] {
  return unifiedHunks(encoder.encode(before), encoder.encode(after));
}

/** Hunks as the SDK's tools tell them: each line begins with its sign. */
const PATCH = listOf(
  object({
    oldStart: COUNT,
    oldLines: COUNT,
    newStart: COUNT,
    newLines: COUNT,
    lines: listOf(TEXT),
  }),
);

const KINDS: Readonly<Record<string, DiffLine['kind']>> = { '+': 'add', '-': 'remove' };

function hunkOf(hunk: Omit<DiffHunk, 'lines'> & { readonly lines: readonly string[] }): DiffHunk {
  const lines = hunk.lines
    // "\ No newline at end of file" is no line of the file.
    .filter((line) => !line.startsWith('\\'))
    .map((line) => ({ kind: KINDS[line[0] ?? ''] ?? ('context' as const), text: line.slice(1) }));
  return { ...hunk, lines };
}

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
