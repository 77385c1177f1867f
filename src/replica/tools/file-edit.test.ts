import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { editRows, type FileEdit, madeEdit, proposedEdit } from './file-edit.ts';

const plain = (_style: string, text: string): string => text;
const rowsOf = (edit: FileEdit | null): string[] | null =>
  edit === null ? null : editRows(edit, 60, plain);

let folder: string;
let file_path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'file-edit-'));
  file_path = join(folder, 'a.txt');
});
afterEach(() => rmSync(folder, { recursive: true }));

const TWELVE = Array.from({ length: 12 }, (_, i) => `line ${i + 1}\n`).join('');

it('shows an edit at its place in the file on disk, with a few lines around it', () => {
  writeFileSync(file_path, TWELVE);
  const input = { file_path, old_string: 'line 10', new_string: 'ten\nand more $&' };
  const edit = proposedEdit('Edit', input);
  expect(edit).toMatchObject({ path: file_path, isNew: false, isPlaced: true });
  expect(rowsOf(edit)).toEqual([
    ' 7   line 7',
    ' 8   line 8',
    ' 9   line 9',
    '10 - line 10',
    '10 + ten',
    '11 + and more $&',
    '12   line 11',
    '13   line 12',
  ]);
});

it('shows several places apart from each other', () => {
  writeFileSync(file_path, TWELVE);
  const edits = [
    { old_string: 'line 1\n', new_string: 'one\n' },
    { old_string: 'line 12', new_string: 'twelve' },
  ];
  expect(rowsOf(proposedEdit('MultiEdit', { file_path, edits }))).toContain(' ⋯');
  const all = { file_path, old_string: 'line', new_string: 'row', replace_all: true };
  expect(rowsOf(proposedEdit('Edit', all))?.filter((row) => row.includes(' + '))).toHaveLength(12);
});

it('shows what a file would become that is written whole, and a new file from its beginning', () => {
  expect(proposedEdit('Write', { file_path, content: 'a\nb' })).toMatchObject({ isNew: true });
  expect(rowsOf(proposedEdit('Write', { file_path, content: 'a\nb' }))).toEqual([
    '1 + a',
    '2 + b',
    '    (no newline at the end)',
  ]);
  writeFileSync(file_path, 'a\r\nb\r\n');
  expect(rowsOf(proposedEdit('Write', { file_path, content: 'a\nc\n' }))).toEqual([
    '1   a',
    '2 - b',
    '2 + c',
  ]);
});

it.each([
  ['a text that is not in it', () => writeFileSync(file_path, 'other\n')],
  ['a file that is not text', () => writeFileSync(file_path, Buffer.from([0, 1]))],
  ['a file that is too large', () => writeFileSync(file_path, Buffer.alloc(2 ** 21, 'x'))],
])('shows the edit alone, without numbers, for %s', (_, make) => {
  make();
  const edit = proposedEdit('Edit', { file_path, old_string: 'a\nb', new_string: 'a\nc\x1b[2J' });
  expect(edit?.isPlaced).toBe(false);
  expect(rowsOf(edit)).toEqual(['  a', '- b', '+ c\\x1b[2J']);
});

it('knows nothing of calls that edit no file', () => {
  expect(proposedEdit('Bash', { command: 'ls' })).toBeNull();
  expect(proposedEdit('Edit', { file_path: 3 })).toBeNull();
  expect(madeEdit('Edit', { file_path }, 'Error: no')).toBeNull();
});

it('reads from the tool what it has done', () => {
  const structuredPatch = [
    { oldStart: 12, oldLines: 2, newStart: 12, newLines: 2, lines: [' a', '-b', '+c', '\\ No'] },
  ];
  expect(rowsOf(madeEdit('Edit', { file_path }, { structuredPatch }))).toEqual([
    '12   a',
    '13 - b',
    '13 + c',
  ]);
  const created = { type: 'create', content: 'x\n', structuredPatch: [] };
  expect(rowsOf(madeEdit('Write', { file_path }, created))).toEqual(['1 + x']);
  const cell = { old_source: 'a', new_source: 'b' };
  expect(madeEdit('NotebookEdit', { notebook_path: 'n.ipynb' }, cell)?.isPlaced).toBe(false);
});

it('reads from an edit itself what it has done where the tool tells nothing', () => {
  const edit = { file_path, old_string: 'a\nb', new_string: 'a\nc\nd' };
  expect(rowsOf(madeEdit('Edit', edit, undefined))).toEqual(['  a', '- b', '+ c', '+ d']);
  expect(madeEdit('Write', { file_path, content: 'x\n' }, undefined)).toBeNull();
});

it('wraps long lines beside their numbers', () => {
  const edit = proposedEdit('Write', { file_path, content: `${'word '.repeat(20)}\n` });
  expect(edit === null ? [] : editRows(edit, 30, plain)).toEqual([
    '1 + word word word word word',
    '    word word word word word',
    '    word word word word word',
    '    word word word word word',
  ]);
});
