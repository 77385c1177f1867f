import { describe, expect, it } from 'vitest';
import { clipPainted, clipWidth, padWidth, textWidth, wrapWords } from './text-width.ts';

it.each([
  ['plain', 5],
  ['日本語', 6],
  ['한글', 4],
  ['e\u0301', 1],
  ['🙂', 2],
  ['👩‍💻', 2],
  ['ｆｕｌｌ', 8],
])('counts the columns of %s', (text, columns) => {
  expect(textWidth(text)).toBe(columns);
});

it('clips to the columns there are, never through a character', () => {
  expect(clipWidth('short', 5)).toBe('short');
  expect(clipWidth('longer', 5)).toBe('long…');
  expect(clipWidth('日本語です', 6)).toBe('日本…');
  expect(clipWidth('👩‍💻👩‍💻👩‍💻', 5)).toBe('👩‍💻👩‍💻…');
  expect(clipWidth('x'.repeat(1_000_000), 10)).toBe(`${'x'.repeat(9)}…`);
});

it('pads by columns', () => {
  expect(padWidth('日', 4)).toBe('日  ');
  expect(padWidth('long', 2)).toBe('long');
});

it('breaks lines between words, never within one', () => {
  expect(wrapWords('hint: look closer with: savepoint diff ID', 20, 2)).toEqual([
    'hint: look closer',
    '  with: savepoint',
    '  diff ID',
  ]);
  expect(wrapWords('  a /path/that/is/too/long b', 10, 4)).toEqual([
    '  a',
    '    /path/that/is/too/long',
    '    b',
  ]);
  expect(wrapWords('日本 日本 日本', 9)).toEqual(['日本 日本', '日本']);
  expect(wrapWords('as  it is', Number.POSITIVE_INFINITY)).toEqual(['as  it is']);
  expect(wrapWords('', 0)).toEqual(['']);
});

describe('a coloured row that has to fit', () => {
  const red = (text: string): string => `\x1b[31m${text}\x1b[39m`;

  it('is cut by what is seen, and ends its colours', () => {
    expect(clipPainted(red('long text'), 5)).toBe('\x1b[31mlong…\x1b[39m\x1b[0m');
    expect(clipPainted(red('ab'), 5)).toBe(red('ab'));
    expect(clipPainted(`${red('abcde')}f`, 5)).toBe('\x1b[31mabcd…\x1b[39m\x1b[0m');
    expect(clipPainted(red('日本語'), 4)).toBe('\x1b[31m日…\x1b[39m\x1b[0m');
  });

  it('stays plain when it is plain', () => {
    expect(clipPainted('a\tb', 8)).toBe('a    b');
    expect(clipPainted('日本語', 6)).toBe('日本語');
    expect(clipPainted('', 0)).toBe('');
  });
});
