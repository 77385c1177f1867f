import { describe, expect, it } from 'vitest';
import { parseIgnore } from './ignore-file.ts';
import { type FolderRules, type IgnoreScope, rootScope } from './ignore-scope.ts';

/** Whether one .gitignore at the top keeps a path out of scope; a final "/" makes it a folder. */
function isIgnored(rules: string, path: string): boolean {
  const names = path.replace(/\/$/, '').split('/');
  let scope = scopeWith(rules);
  return names.some((name, index) => {
    const isLast = index === names.length - 1;
    if (scope.ignores(name, !isLast || path.endsWith('/'))) return true;
    scope = scope.enter(name, NO_RULES);
    return false;
  });
}

const NO_RULES: FolderRules = { gitignore: null, savepointignore: null, markers: new Set() };

function scopeWith(rules: string): IgnoreScope {
  const own = { ...NO_RULES, gitignore: parseIgnore(rules) };
  return rootScope({ excludesFile: null, infoExclude: null }, own, { defaults: false });
}

/** Rules, what they ignore, and what they do not, as the gitignore manual and git itself have it. */
const EXAMPLES: Readonly<Record<string, readonly [string, string[], string[]][]>> = {
  'a plain name': [
    ['hello.c', ['hello.c', 'a/b/hello.c'], ['hello.cc', 'xhello.c']],
    ['hello.*', ['hello.c', 'a/hello.java', 'hello.'], ['hello']],
    ['foo/', ['foo/', 'a/foo/', 'foo/bar'], ['foo', 'a/foo']],
    ['?', ['a', 'x/a'], ['ab', 'é']],
    ['??', ['ab', 'é'], ['a']],
    ['*', ['a', '.a', 'a/b'], []],
    ['**', ['a', '.a', 'a/b'], []],
    ['*a?c', ['aabc', 'xaabc'], ['aabcx', 'abbc']],
    ['foo**bar', ['foobar', 'a/fooxbar'], ['foo/bar']],
  ],
  'an anchored path': [
    ['/hello.*', ['hello.txt'], ['a/hello.java']],
    ['/foo', ['foo', 'foo/'], ['a/foo']],
    ['doc/frotz/', ['doc/frotz/'], ['a/doc/frotz/', 'doc/frotz']],
    ['doc/frotz', ['doc/frotz', 'doc/frotz/a'], ['a/doc/frotz']],
    ['foo/*', ['foo/test.json', 'foo/bar/', 'foo/bar/hello.c'], ['foo/', 'a/foo/b']],
    ['/a*/b', ['a/b', 'ax/b'], ['a/x/b', 'ab']],
    ['a//b', [], ['a/b']],
    ['//a', [], ['a', 'x/a']],
    ['/', [], ['a', 'a/']],
  ],
  'two stars': [
    ['**/foo', ['foo', 'a/foo', 'a/b/foo'], ['xfoo']],
    ['**/foo/bar', ['foo/bar', 'a/foo/bar'], ['foo/a/bar', 'bar']],
    ['abc/**', ['abc/a', 'abc/a/b'], ['abc/', 'x/abc/a']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a/xb', 'x/a/b', 'ab']],
    ['a/***/b', ['a/b', 'a/x/y/b'], []],
    ['**/a/**/b', ['a/b', 'x/a/b', 'x/a/y/a/b'], ['b/a']],
    ['/**', ['a', 'a/b'], []],
    // Beside anything else they are two ordinary stars.
    ['a**/b', ['a/b', 'ax/b'], ['ab', 'ax/y/b']],
    ['x/**a', ['x/a', 'x/ba'], ['x/b/a']],
    // An escaped slash is a slash; only that git then wants at least one folder.
    ['**\\/foo', ['a/foo', 'a/b/foo'], ['foo']],
    ['foo\\/bar', ['foo/bar'], ['a/foo/bar']],
  ],
  'a negation': [
    ['*.html\n!foo.html', ['a.html'], ['foo.html', 'a/foo.html']],
    ['!foo.html\n*.html', ['foo.html'], []],
    ['/*\n!/foo\n/foo/*\n!/foo/bar', ['a', 'foo/a'], ['foo/', 'foo/bar', 'foo/bar/x']],
    ['foo/\n!foo/bar', ['foo/bar'], []],
    ['foo\n!foo/', ['foo'], ['foo/']],
    ['*\n!*/\n!*.c', ['a', 'a/b'], ['a/', 'x.c', 'a/b/x.c']],
    ['\\!important!.txt', ['!important!.txt'], ['important!.txt']],
    ['*\n!', ['a'], []],
  ],
  'a class': [
    ['[ab]', ['a', 'b'], ['c', 'ab']],
    ['[!ab]', ['c'], ['a']],
    ['[^ab]', ['c'], ['b']],
    ['[a-cx]', ['b', 'x'], ['d', '-']],
    ['[a-c-e]', ['b', '-', 'e'], ['d']],
    ['[c-a]', ['c'], ['a', 'b']],
    ['[-a]', ['-', 'a'], ['b']],
    ['[a-]', ['-', 'a'], ['b']],
    ['[]a]', [']', 'a'], ['b']],
    ['[!]a]', ['b'], [']', 'a']],
    ['[\\]]', [']'], ['\\']],
    ['[a-\\c]', ['b'], ['\\', 'd']],
    ['[[:digit:]x]', ['1', 'x'], ['a', ':']],
    ['[[:a]', ['[', ':', 'a'], ['b']],
    ['[[:]', ['[', ':'], ['a']],
    ['[é]x', [], ['éx']],
    ['a[x/y]b', ['axb'], ['a/b', 'q/axb']],
    ['[a', [], ['a', '[a']],
    ['[[:nonsense:]]', [], ['n', ':']],
    ['[[:alpha', [], ['a']],
  ],
  'an escape': [
    ['\\#a', ['#a'], ['\\#a']],
    ['\\a\\*', ['a*'], ['ab']],
    ['a\\', [], ['a', 'a\\']],
    ['a\\\\', ['a\\'], ['a']],
    ['a\\/', [], ['a', 'a/']],
  ],
  'the end of a line': [
    ['a  ', ['a'], ['a  ']],
    ['a\\ ', ['a '], ['a']],
    ['a\\  ', ['a '], ['a', 'a  ']],
    ['a\\\\ ', ['a\\'], ['a\\ ']],
    ['a\t', ['a\t'], ['a']],
    [' a', [' a'], ['a']],
    ['a\r\nb/\r\nc\r', ['a', 'b/', 'c'], ['a\r', 'b']],
    ['a\0b', ['a'], ['b']],
    ['a\\ \r\n', ['a '], ['a']],
  ],
  'a line that is no pattern': [
    ['# a\n#b\n\n \n', [], ['a', '# a', '#b', 'b', ' ']],
    ['\ufeffa\n\ufeffb', ['a', '\ufeffb'], ['b', '\ufeffa']],
    ['\ufeff# a', [], ['# a']],
  ],
};

describe.each(Object.entries(EXAMPLES))('%s', (_, examples) => {
  it.each(examples)('%j means what it means to git', (rules, ignored, kept) => {
    expect(ignored.filter((path) => !isIgnored(rules, path))).toEqual([]);
    expect(kept.filter((path) => isIgnored(rules, path))).toEqual([]);
  });
});
