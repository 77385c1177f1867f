import { describe, expect, it } from 'vitest';
import { displayLines, displayText, SavepointError } from '../../src/index.ts';
import { expectPrintable } from './hostile-bed.ts';

const steering: [what: string, text: string][] = [
  ['colour', '\u001b[31mred\u001b[0m'],
  ['clearing the screen', '\u001b[2J\u001b[H'],
  ['setting the title', '\u001b]0;owned\u0007'],
  ['a link', '\u001b]8;;http://evil.invalid\u001b\\text\u001b]8;;\u001b\\'],
  ['the clipboard', '\u001b]52;c;ZXZpbA==\u0007'],
  ['one-byte escapes', '\u009b31m\u009d0;x\u009c'],
  ['backspaces', 'rm -rf /\b\b\b\b\b\b\b\bls'],
  ['a carriage return', 'harmless\rharmful '],
  ['a new line', 'one\nsavepoint: all is well'],
  ['a vertical tab and a form feed', 'a\u000bb\u000cc'],
  ['a bell and a NUL', 'a\u0007b\0c'],
  ['delete', 'a\u007fb'],
  ['turned direction', 'evil\u202egnp.exe'],
  ['isolated direction', '\u2066a\u2067b\u2068c\u2069'],
  ['marks of direction', 'a\u200eb\u200fc\u061cd'],
  ['signs without width', 'a\u200bb\u2060c\ufeffd'],
  ['separators of lines', 'a\u2028b\u2029c'],
  ['a soft hyphen', 'a\u00adb'],
  ['tags', 'a\u{e0041}\u{e0042}\u{e007f}'],
  ['signs of annotation', 'a\ufff9b\ufffac\ufffbd'],
  ['a lone high surrogate', 'a\ud800b'],
  ['a lone low surrogate', 'a\udc00b'],
  ['bytes that are no text', '\udc80\udcff'],
];

describe('everything shown', () => {
  it.each(steering)('comes out visible: %s', (_what, text) => {
    const shown = displayText(text);
    expectPrintable(shown);
    expect(shown).toContain('\\');
    expect(shown).not.toMatch(/[\u00ad\ufff9-\ufffb]|\u{e0041}/u);
  });

  it.each(steering)('in contents too, where lines stay lines: %s', (_what, text) => {
    for (const line of displayLines(text).split('\n')) expectPrintable(line.replaceAll('\t', ' '));
  });

  it.each(steering)('in the message of an error as well: %s', (_what, text) => {
    expectPrintable(new SavepointError('aborted', text).message);
  });

  it.each([
    'plain',
    'caf\u00e9',
    '\u65e5\u672c',
    '\u{1f469}\u200d\u{1f4bb}',
    '\u05e9\u05dc\u05d5\u05dd',
    'a b',
  ])('stays as it is: %s', (text) => {
    expect(displayText(text)).toBe(text);
  });

  it('tells two names apart that differ in a byte', () => {
    expect(displayText('\udc80')).not.toBe(displayText('\udc81'));
    expect(displayText('\udc80')).toBe('\\x80');
  });
});
