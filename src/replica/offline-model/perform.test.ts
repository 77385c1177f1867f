import { describe, expect, it } from 'vitest';
import { fileText, shownFile } from './perform.ts';

const NOTE =
  '<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>';

describe('what the Read tool shows', () => {
  it.each([
    ['1\talpha\n2\tbeta\n3\t', 'alpha\nbeta\n'],
    ['     1→alpha\n     2→\tbeta', 'alpha\n\tbeta'],
    [NOTE, ''],
    [`1\talpha\n\n${NOTE}`, 'alpha'],
    ['7\talpha', null],
    ['1\talpha\n… (5000 lines more)', null],
    [`1\t${'x'.repeat(2000)}`, null],
  ])('of %j is the text %j', (shown, text) => {
    expect(fileText(shown)).toBe(text);
  });

  it('is shown to people without numbers, and of a long file the beginning', () => {
    expect(shownFile('1\talpha\n2\tbeta\n3\t')).toBe('alpha\nbeta');
    expect(shownFile(NOTE)).toBe('(empty)');
    const many = Array.from({ length: 50 }, (_, at) => `${at + 1}\tx`).join('\n');
    expect(shownFile(many).split('\n')).toHaveLength(41);
  });
});
