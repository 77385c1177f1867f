import { readFile } from '../../fs/read-file.ts';
import { type DiffHunk, type DiffLine, unifiedHunks } from '../../index.ts';
import { accepts, COUNT, listOf, object, TEXT } from '../../model/check.ts';
import { fieldsOf } from '../sdk/message-router.ts';

type Input = Readonly<Record<string, unknown>>;

/** What a tool call does to one file. */
export interface FileEdit {
  readonly path: string;
  /** There was no file before. */
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

const PATH_FIELDS: Readonly<Record<string, string>> = {
  Write: 'file_path',
  Edit: 'file_path',
  MultiEdit: 'file_path',
  NotebookEdit: 'notebook_path',
};

function editedPath(toolName: string, input: Input): string | null {
  const field = Object.hasOwn(PATH_FIELDS, toolName) ? PATH_FIELDS[toolName] : undefined;
  return field === undefined ? null : textAt(input, field);
}

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
  const edits = Array.isArray(input.edits) ? input.edits.map(fieldsOf) : [input];
  let text: string | null = before;
  for (const edit of edits) text = text === null ? null : replaced(text, edit);
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
  const edits = Array.isArray(input.edits) ? input.edits.map(fieldsOf) : [input];
  const hunks = edits.flatMap((edit) => {
    const from = textAt(edit, 'old_string') ?? '';
    const to =
      textAt(edit, 'new_string') ?? textAt(edit, 'content') ?? textAt(edit, 'new_source') ?? '';
    // A part of a line within a file: that it ends without a newline says nothing.
    const isWithin = from !== '' && to !== '' && !from.endsWith('\n') && !to.endsWith('\n');
    return isWithin ? hunksOf(`${from}\n`, `${to}\n`) : hunksOf(from, to);
  });
  return { path, isNew: false, hunks, isPlaced: false };
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

export function textAt(input: Input, name: string): string | null {
  const value = Object.hasOwn(input, name) ? input[name] : undefined;
  return typeof value === 'string' ? value : null;
}
