import { describe, expect, it } from 'vitest';
import { relativePath } from '../../src/index.ts';
import { outsidePath } from '../../src/model/path.ts';
import { refusalOf } from './hostile-bed.ts';

type Input = string | Uint8Array;
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

const refusedInside: [what: string, input: Input, code: string][] = [
  ['nothing', '', 'path-invalid'],
  ['no bytes', bytes(), 'path-invalid'],
  ['a NUL', 'a\0b', 'path-invalid'],
  ['a NUL at the end', '../etc\0.txt', 'path-invalid'],
  ['a NUL in bytes', bytes(0x61, 0, 0x62), 'path-invalid'],
  ['the folder above', '..', 'path-escapes-root'],
  ['a folder above', '../x', 'path-escapes-root'],
  ['a folder above, from below', 'a/../../x', 'path-escapes-root'],
  ['a way up that ends inside', 'a/../b', 'path-escapes-root'],
  ['a way up at the end', 'a/..', 'path-escapes-root'],
  ['a way up between slashes', 'a//..//b', 'path-escapes-root'],
  ['a way up after dots', './../x', 'path-escapes-root'],
  ['a way up in bytes', Buffer.from('../x'), 'path-escapes-root'],
  ['an absolute path', '/etc/passwd', 'path-escapes-root'],
  ['an absolute path of slashes', '//etc/passwd', 'path-escapes-root'],
  ['the root', '/', 'path-escapes-root'],
  ['the project itself', '.', 'path-invalid'],
  ['the project itself, twice', './.', 'path-invalid'],
  ['a lone high surrogate', 'a\ud800', 'path-invalid'],
  ['a lone low surrogate', '\udcff', 'path-invalid'],
  ['surrogates the wrong way round', '\udc00\ud800', 'path-invalid'],
  ['a name that is too long', 'n'.repeat(256), 'path-invalid'],
  ['a name of too many bytes', '\u{1f642}'.repeat(64), 'path-invalid'],
  ['a path that is too long', 'ab/'.repeat(1366), 'path-invalid'],
  ['a path of a megabyte', 'a/'.repeat(500_000), 'path-invalid'],
  ['bytes without end', new Uint8Array(10_000_000).fill(0xff), 'path-invalid'],
];

const notPaths: [what: string, input: unknown][] = [
  ['a number', 5],
  ['null', null],
  ['undefined', undefined],
  ['an object', { toString: () => 'a' }],
  ['an object without a prototype', Object.create(null)],
  ['a list', ['a']],
  ['a String object', Object('a')],
  ['a symbol', Symbol('a')],
  ['a function', () => 'a'],
  ['other bytes', new Uint16Array([97])],
  ['a buffer of bytes', new ArrayBuffer(4)],
  ['a big number', 5n],
];

describe('a path of the project', () => {
  it.each(refusedInside)('is not %s', async (_what, input, code) => {
    expect((await refusalOf(() => relativePath(input))).code).toBe(code);
  });

  it.each(notPaths)('is not %s', async (_what, input) => {
    const refusal = await refusalOf(() => relativePath(input as string));
    expect(refusal.code).toBe('argument-invalid');
  });

  // What looks dangerous elsewhere is a name like any other here.
  it.each([
    ['..a', '..a'],
    ['a..', 'a..'],
    ['...', '...'],
    ['.../a', '.../a'],
    ['a\\..\\b', 'a\\..\\b'],
    ['C:\\windows', 'C:\\windows'],
    ['~/x', '~/x'],
    ['%2e%2e/x', '%2e%2e/x'],
    ['.\u200c./x', '.\u200c./x'],
    ['\uff0e\uff0e/x', '\uff0e\uff0e/x'],
    ['a\u2215b', 'a\u2215b'],
    ['./a//b/', 'a/b'],
    ['__proto__', '__proto__'],
  ])('may be the name %j', (input, expected) => {
    expect(relativePath(input)).toBe(expected);
  });
});

describe('a path outside', () => {
  it.each([
    ['relative', 'etc/passwd', 'path-invalid'],
    ['the root', '/', 'path-invalid'],
    ['the root, with dots', '/./.', 'path-invalid'],
    ['a way up', '/a/../b', 'path-escapes-root'],
    ['a way above the root', '/..', 'path-escapes-root'],
    ['with a NUL', '/a\0', 'path-invalid'],
    ['broken', '/\ud83d', 'path-invalid'],
    ['too long', `/${'a/'.repeat(2100)}`, 'path-invalid'],
  ])('is not %s', async (_what, input, code) => {
    expect((await refusalOf(() => outsidePath(input))).code).toBe(code);
  });

  it.each(notPaths)('is not %s', async (_what, input) => {
    const refusal = await refusalOf(() => outsidePath(input as string));
    expect(refusal.code).toBe('argument-invalid');
  });
});
