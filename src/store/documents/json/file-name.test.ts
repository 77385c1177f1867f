import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../../../test/property/runs.ts';
import { fileNameOf, isShortened, textOfFileName } from './file-name.ts';

describe('the name of a file for any text', () => {
  it.each(['ckpt-exec-001-0', 'conv-auto-save-123', 'my_project', 'a.b', '0', '-'])(
    'is the text itself where it is plain: %s',
    (text) => {
      expect(fileNameOf(text, '.json')).toBe(`${text}.json`);
    },
  );

  it.each([
    ['', '%'],
    ['.', '%2e'],
    ['..', '%2e.'],
    ['../../etc/passwd', '%2e.%2f..%2fetc%2fpasswd'],
    ['.hidden', '%2ehidden'],
    ['a/b\\c', 'a%2fb%5cc'],
    ['NUL \0', '^n^u^l%20%00'],
    ['é', '%c3%a9'],
    ['e\u0301', 'e%cc%81'],
    ['\ud800', '%ud800'],
    ['%', '%25'],
    ['~', '%7e'],
    ['^a', '%5ea'],
  ])('says %j as %s', (text, name) => {
    expect(fileNameOf(text)).toBe(name);
    expect(textOfFileName(name)).toBe(text);
  });

  it('gives every text back, and no two texts one name, whatever the case of letters', () => {
    const texts = fc.string({ unit: 'binary', maxLength: 60 });
    const units = fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) });
    fc.assert(
      fc.property(fc.oneof(texts, units), fc.oneof(texts, units), (one, other) => {
        const [a, b] = [fileNameOf(one, '.json'), fileNameOf(other, '.json')];
        expect(a).toMatch(/^[\^%a-z0-9_~-][\^%a-z0-9._~-]*$/);
        expect(a.length).toBeLessThanOrEqual(255);
        if (!isShortened(a, '.json')) expect(textOfFileName(a, '.json')).toBe(one);
        if (one !== other) expect(a.toLowerCase()).not.toBe(b.toLowerCase());
      }),
      propertyRuns(2.5),
    );
  });

  it('cuts what does not fit, and keeps long texts apart that differ at their end', () => {
    const [one, other] = [fileNameOf(`${'k'.repeat(400)}1`), fileNameOf(`${'k'.repeat(400)}2`)];
    expect(one).toHaveLength(160 + 1 + 64);
    expect(one).not.toBe(other);
    expect(isShortened(one)).toBe(true);
    expect(textOfFileName(one)).toBeNull();
    expect(fileNameOf('k'.repeat(250), '.json')).toBe(`${'k'.repeat(250)}.json`);
    expect(fileNameOf('k'.repeat(251), '.json')).toHaveLength(160 + 1 + 64 + 5);
  });

  it.each(['A', 'a b', '.a', '%2E', '%41', '%61', 'a%', '%ff', '%ud83d%ude00', 'ü', '', '..'])(
    'knows %j for none of its own',
    (name) => {
      expect(textOfFileName(name)).toBeNull();
    },
  );
});
