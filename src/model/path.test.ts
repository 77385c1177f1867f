import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSavepointError } from './errors.ts';
import {
  ancestors,
  bytesToPath,
  isBelow,
  outsidePath,
  pathToBytes,
  relativePath,
  selectedPath,
  type TrackedPath,
} from './path.ts';

const codeOf = (run: () => unknown): string | undefined => {
  try {
    run();
  } catch (error) {
    return isSavepointError(error) ? error.code : 'untyped';
  }
  return undefined;
};

describe('paths', () => {
  it('gives every byte string one text, and back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(pathToBytes(bytesToPath(bytes))).toEqual(bytes);
      }),
      { numRuns: 2_000 },
    );
  });

  it('gives different bytes different texts, also next to valid UTF-8', () => {
    const names = [[0xff], [0xc3], [0xc3, 0xa9], [0xc3, 0xff], [0xed, 0xb2, 0x80], [0x80]];
    const texts = names.map((bytes) => bytesToPath(Uint8Array.from(bytes)));
    expect(new Set(texts).size).toBe(names.length);
  });

  it.each([
    ['a//b/./c', 'a/b/c'],
    ['./x', 'x'],
    ['dir/', 'dir'],
    ['é', 'é'],
  ])('reads %s as %s', (input, expected) => {
    expect(relativePath(input)).toBe(expected);
  });

  it.each([
    ['', 'path-invalid'],
    ['.', 'path-invalid'],
    ['a\0b', 'path-invalid'],
    ['\ud800', 'path-invalid'],
    ['x'.repeat(256), 'path-invalid'],
    [`${'d/'.repeat(2_100)}x`, 'path-invalid'],
    ['..', 'path-escapes-root'],
    ['a/../../b', 'path-escapes-root'],
    ['/etc/passwd', 'path-escapes-root'],
  ])('refuses %j as %s', (input, code) => {
    expect(codeOf(() => relativePath(input))).toBe(code);
  });

  it('refuses what is no path at all', () => {
    for (const value of [null, undefined, 7, {}, ['a']]) {
      expect(codeOf(() => relativePath(value as unknown as string))).toBe('argument-invalid');
    }
  });

  it('puts an absolute path in relation to the project', () => {
    expect(selectedPath('/p', '/p/a/b')).toBe('a/b');
    expect(selectedPath('/p', '/q/a')).toBe('/q/a');
    expect(codeOf(() => selectedPath('/p', '/p/../q'))).toBe('path-escapes-root');
  });

  it('knows what is above and below', () => {
    expect(ancestors(relativePath('a/b/c'))).toEqual(['a', 'a/b']);
    expect(ancestors(outsidePath('/x/y'))).toEqual(['/x']);
    expect(isBelow('a/b' as TrackedPath, 'a' as TrackedPath)).toBe(true);
    expect(isBelow('ab' as TrackedPath, 'a' as TrackedPath)).toBe(false);
    expect(isBelow('a' as TrackedPath, 'a' as TrackedPath)).toBe(false);
  });
});
