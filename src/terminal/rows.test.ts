import { expect, it } from 'vitest';
import { beside, lastRows, wrapRows } from './rows.ts';
import { textWidth } from './text-width.ts';

const label = '  restore   till.mjs  ';

it('puts prose beside its label, in a column of its own', () => {
  expect(beside(label, 'goes back to how it was', 80)).toEqual([
    '  restore   till.mjs  goes back to how it was',
  ]);
  expect(beside(label, 'left as it is: somebody else changed the same lines since', 50)).toEqual([
    '  restore   till.mjs  left as it is: somebody else',
    '                      changed the same lines since',
  ]);
});

it('puts it below where that column would be too narrow', () => {
  expect(beside(label, 'goes back to how it was', 40)).toEqual([
    '  restore   till.mjs',
    '      goes back to how it was',
  ]);
  expect(beside(label, 'stays', 40)).toEqual(['  restore   till.mjs  stays']);
});

it('leaves a coloured text the same room as a plain one', () => {
  const red = (text: string) => `\x1b[31m${text}\x1b[39m`;
  const id = 'k3m9x7ab'.repeat(4);
  expect(beside(`${red('Checkpoint')}  `, `${red(id)}  (here)`, 52)).toEqual([
    `${red('Checkpoint')}  ${red(id)}  (here)`,
  ]);
});

it('paints each line of the prose, and nothing else', () => {
  const bold = (text: string) => `<${text}>`;
  expect(beside('a  ', 'one two three four five six', 30, bold)).toEqual([
    'a  <one two three four five six>',
  ]);
  expect(beside('a  ', 'one two three four five six', 28, bold)).toEqual([
    'a  <one two three four five>',
    '   <six>',
  ]);
});

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
