import fc from 'fast-check';
import { expect, it } from 'vitest';
import { displayLines, displayText } from './display.ts';

it.each([
  ['\u001b[31mred', '\\x1b[31mred'],
  ['a\nb\tc\r', 'a\\nb\\tc\\r'],
  ['evil\u202egnp.exe', 'evil\\u{202e}gnp.exe'],
  ['zero\u200bwidth', 'zero\\u{200b}width'],
  ['byte\udcff', 'byte\\xff'],
  ['c1\u009b', 'c1\\x9b'],
])('shows %j as %j', (text, shown) => {
  expect(displayText(text)).toBe(shown);
});

it('leaves ordinary text in any language, and joined emoji, as they are', () => {
  const text = 'résumé 修复登录 👩‍💻 naïve';
  expect(displayText(text)).toBe(text);
});

it('keeps newlines and tabs in contents', () => {
  expect(displayLines('a\n\tb\u001b')).toBe('a\n\tb\\x1b');
});

it('never lets a control character through', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(displayText(text)).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
    }),
  );
});
