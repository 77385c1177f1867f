import { expect, it } from 'vitest';
import { paintFor } from '../../../terminal/paint.ts';
import { textWidth } from '../../../terminal/text-width.ts';
import { type Entry, entryRows } from './entry-rows.ts';
import { toolLine } from './tool-line.ts';
import { lastRows, wrapRows } from './wrap-rows.ts';

const plain = (_style: string, text: string): string => text;
const room = { columns: 40, verbose: false, paint: plain, cwd: '/project' };
const rows = (entry: Entry, verbose = false) => entryRows(entry, { ...room, verbose });

it.each([
  ['words stay whole', 'one two three', 8, ['one two', 'three']],
  ['a word that is too long does not', 'abcdefghij', 4, ['abcd', 'efgh', 'ij']],
  ['Chinese breaks anywhere', '中文字符abc很长', 8, ['中文字符', 'abc很长']],
  [
    'lines, their indent and blank ones are kept',
    'a\n\n  b\tc\r\nd',
    20,
    ['a', '', '  b    c', 'd'],
  ],
  ['controls become visible', 'a\x1b[2J\u202eb', 20, ['a\\x1b[2J\\u{202e}b']],
])('wraps so that %s', (_what, text, columns, expected) => {
  expect(wrapRows(text, columns)).toEqual(expected);
  for (const row of wrapRows(text, columns)) expect(textWidth(row)).toBeLessThanOrEqual(columns);
});

it('takes the last rows of a long text without going through all of it', () => {
  const text = Array.from({ length: 100_000 }, (_, i) => `line ${i}`).join('\n');
  expect(lastRows(text, 80, 2)).toEqual(['line 99998', 'line 99999']);
  expect(lastRows(text, 80, 0)).toEqual([]);
});

it.each([
  ['Write', { file_path: '/project/src/notes.txt', content: 'x' }, 'Write src/notes.txt'],
  ['Read', { file_path: '/etc/hosts' }, 'Read /etc/hosts'],
  ['Bash', { command: 'npm test', description: 'Run tests' }, 'Bash $ npm test'],
  ['Grep', { pattern: 'TODO', path: '/project' }, 'Grep TODO'],
  ['mcp__db__query', { limit: 3 }, 'mcp__db__query'],
  ['Bash', { command: 'echo a\necho \x1b[2Jb' }, 'Bash $ echo a\\necho \\x1b[2Jb'],
])('says in a line what %s is about to do', (name, input, expected) => {
  expect(toolLine({ name, input }, '/project')).toBe(expected);
});

it('folds thinking to a line, and shows it whole when asked', () => {
  const entry: Entry = { kind: 'thinking', text: 'First this.\nThen that.' };
  expect(rows(entry)).toEqual(['thinking … (Ctrl-O shows it)']);
  expect(rows(entry, true)).toEqual(['  First this.', '  Then that.']);
});

it('clips results of tools to a few lines, and shows them whole when asked', () => {
  const text = '1\n2\n3\n4\n5\n6\n';
  const entry: Entry = { kind: 'tool-result', text, isError: false };
  expect(rows(entry)).toEqual([
    '  ⎿ 1',
    '    2',
    '    3',
    '    4',
    '    … 2 more lines (Ctrl-O shows them)',
  ]);
  expect(rows(entry, true)).toHaveLength(6);
});

it('folds a prompt of many lines', () => {
  const shown = rows({
    kind: 'user',
    text: Array.from({ length: 40 }, (_, i) => `${i}`).join('\n'),
  });
  expect(shown.slice(0, 3)).toEqual(['', '> 0', '  1']);
  expect(shown.at(-1)).toContain('28 more lines');
});

it('colours warnings yellow, errors red, success green, where colours are wanted', () => {
  const paint = paintFor({ env: {}, terminal: true }, false);
  const painted = (kind: 'warning' | 'error' | 'success') =>
    entryRows({ kind, text: 'x' }, { ...room, paint })[0];
  expect(painted('warning')).toContain('\x1b[33mx');
  expect(painted('error')).toContain('\x1b[31mx');
  expect(painted('success')).toContain('\x1b[32mx');
  expect(rows({ kind: 'error', text: 'x' })).toEqual(['x']);
});
