import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../../../test/property/runs.ts';
import { fileNameOf, foldedName, isShortened, textOfFileName } from './file-name.ts';

describe('the name of a file for any text', () => {
  it.each([
    'ckpt-exec-001-0',
    'conv-auto-save-123',
    'Exec-1',
    'a.b',
    '-',
    'two words',
    '检查点',
    '2024-11-16T10:30:45',
    '50%',
    '^a',
    '~',
    'a\\b',
  ])('is the text itself, as other programs would write it: %s', (text) => {
    expect(fileNameOf(text, '.json')).toBe(`${text}.json`);
    expect(textOfFileName(`${text}.json`, '.json')).toBe(text);
  });

  it.each([
    ['', '%'],
    ['.', '%2e'],
    ['..', '%2e.'],
    ['../../etc/passwd', '%2e.%2f..%2fetc%2fpasswd'],
    ['.hidden', '%2ehidden'],
    ['a/b', 'a%2fb'],
    ['NUL \0', 'NUL %00'],
    ['\ud800', '%ud800'],
    ['%', '%25'],
    ['%2e', '%252e'],
    [`~${'0'.repeat(64)}`, `%7e${'0'.repeat(64)}`],
  ])('says %j as %s', (text, name) => {
    expect(fileNameOf(text)).toBe(name);
    expect(textOfFileName(name)).toBe(text);
  });

  it('gives every text back, and no two texts one name', () => {
    const texts = fc.string({ unit: 'binary', maxLength: 60 });
    const units = fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) });
    fc.assert(
      fc.property(fc.oneof(texts, units), fc.oneof(texts, units), (one, other) => {
        const [a, b] = [fileNameOf(one, '.json'), fileNameOf(other, '.json')];
        expect(a).not.toMatch(/^\.|[/\0]/);
        expect(Buffer.byteLength(`${a}.lock`)).toBeLessThanOrEqual(255);
        if (!isShortened(a, '.json')) expect(textOfFileName(a, '.json')).toBe(one);
        if (one !== other) expect(a).not.toBe(b);
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
    expect(fileNameOf('k'.repeat(245), '.json')).toBe(`${'k'.repeat(245)}.json`);
    expect(fileNameOf('k'.repeat(246), '.json')).toHaveLength(160 + 1 + 64 + 5);
    expect(Buffer.byteLength(fileNameOf('检'.repeat(400)))).toBe(159 + 1 + 64);
  });

  it.each(['.a', '%61', '%ff', '%ud83d%ude00', '', '..'])(
    'knows %j for none of its own',
    (name) => {
      expect(textOfFileName(name)).toBeNull();
    },
  );

  it.each([
    ['Exec-1', 'eXEC-1'],
    ['\u00e9', 'E\u0301'],
    ['straße', 'STRASSE'],
  ])('folds %s and %s to one, as a disk may do', (one, other) => {
    expect(foldedName(one)).toBe(foldedName(other));
  });
});
