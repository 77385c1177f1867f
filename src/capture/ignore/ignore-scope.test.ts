import { describe, expect, it } from 'vitest';
import { bytesToPath } from '../../model/path.ts';
import { MARKER_NAMES } from './default-rules.ts';
import { MAX_IGNORE_FILE_LENGTH, MAX_PATTERNS, parseIgnore } from './ignore-file.ts';
import { type FolderRules, type GlobalRules, type IgnoreScope, rootScope } from './ignore-scope.ts';

const NO_GLOBAL_RULES: GlobalRules = { excludesFile: null, infoExclude: null };

interface Texts {
  readonly gitignore?: string;
  readonly savepointignore?: string;
  readonly markers?: readonly string[];
}

function folder({ gitignore, savepointignore, markers = [] }: Texts = {}): FolderRules {
  return {
    gitignore: gitignore === undefined ? null : parseIgnore(gitignore),
    savepointignore: savepointignore === undefined ? null : parseIgnore(savepointignore),
    markers: new Set(markers),
  };
}

function root(texts: Texts = {}, global: Partial<GlobalRules> = {}): IgnoreScope {
  return rootScope({ ...NO_GLOBAL_RULES, ...global }, folder(texts));
}

describe('the layers', () => {
  it('let the stronger one decide', () => {
    const weak = root({}, { excludesFile: 'a' });
    expect(weak.ignores('a', false)).toBe(true);
    expect(root({}, { excludesFile: 'a', infoExclude: '!a' }).ignores('a', false)).toBe(false);
    expect(root({}, { excludesFile: '!a', infoExclude: 'a' }).ignores('a', false)).toBe(true);
    expect(root({ gitignore: '!a' }, { infoExclude: 'a' }).ignores('a', false)).toBe(false);
    expect(root({ gitignore: '!node_modules' }).ignores('node_modules', true)).toBe(false);
  });

  it('let .savepointignore bring back files that every other rule ignores', () => {
    const scope = root(
      { gitignore: '.env\nnode_modules', savepointignore: '!.env\n!node_modules' },
      { excludesFile: '.env', infoExclude: '.env' },
    );
    expect(scope.ignores('.env', false)).toBe(false);
    expect(scope.ignores('node_modules', true)).toBe(false);
    // Also against a file in a deeper folder.
    expect(scope.enter('a', folder({ gitignore: '.env' })).ignores('.env', false)).toBe(false);
  });

  it('let .savepointignore ignore more files than git does', () => {
    const scope = root({ gitignore: '!*.map', savepointignore: 'dist/*.map' });
    expect(scope.enter('dist', folder()).ignores('a.map', false)).toBe(true);
    expect(scope.ignores('a.map', false)).toBe(false);
  });

  it('let a deeper file decide within a layer', () => {
    const scope = root({ gitignore: '*.log\n!b.txt' });
    const below = scope.enter('a', folder({ gitignore: '!a.log\nb.txt' }));
    expect(below.ignores('a.log', false)).toBe(false);
    expect(below.ignores('b.log', false)).toBe(true);
    expect(below.ignores('b.txt', false)).toBe(true);
    const savepoint = root({ savepointignore: 'x' }).enter('a', folder({ savepointignore: '!x' }));
    expect(savepoint.ignores('x', false)).toBe(false);
  });

  it('anchor patterns to the folder of their file', () => {
    const below = root({ gitignore: '/top' }).enter('a', folder({ gitignore: '/x/y' }));
    expect(below.ignores('top', false)).toBe(false);
    expect(below.enter('x', folder()).ignores('y', false)).toBe(true);
    expect(below.enter('b', folder()).enter('x', folder()).ignores('y', false)).toBe(false);
  });
});

describe('a scope', () => {
  it('is not changed by entering folders', () => {
    const scope = root({ gitignore: 'a/b\nc/d' });
    const inA = scope.enter('a', folder({ gitignore: 'z' }));
    const inC = scope.enter('c', folder());
    expect([inA.ignores('b', false), inA.ignores('d', false), inA.ignores('z', false)]).toEqual([
      true,
      false,
      true,
    ]);
    expect([inC.ignores('b', false), inC.ignores('d', false), inC.ignores('z', false)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('is the same one again where a folder changes nothing', () => {
    const scope = root({ gitignore: 'a\n*.log\nx/y' }).enter('a', folder());
    expect(scope.enter('b', folder())).toBe(scope);
    expect(scope.enter('b', folder({ markers: ['package.json'] }))).not.toBe(scope);
  });

  it('judges names that are not UTF-8 by their bytes', () => {
    const name = (...bytes: number[]): string => bytesToPath(Uint8Array.from(bytes));
    const scope = root({ gitignore: `${name(0xff)}x\n?\n*${name(0xa9)}\n${name(0xc3)}*z` });
    expect(scope.ignores(name(0xff, 0x78), false)).toBe(true);
    expect(scope.ignores(name(0xfe, 0x78), false)).toBe(false);
    expect(scope.ignores(name(0xfe), false)).toBe(true);
    // The halves of an "é".
    expect(scope.ignores('xé', false)).toBe(true);
    expect(scope.ignores('éz', false)).toBe(true);
  });
});

describe('a project below the top of a repository', () => {
  const above = [
    { gitignore: '/packages/*/out\n/secret\n*.log', next: 'packages' },
    { gitignore: '/one/tmp\n!b.log', next: 'one' },
  ];

  it('follows the .gitignore files above it, anchored where they lie', () => {
    const scope = root({ gitignore: '!c.log' }, { above });
    expect(scope.ignores('out', true)).toBe(true);
    expect(scope.ignores('tmp', true)).toBe(true);
    expect(scope.ignores('secret', true)).toBe(false);
    expect(scope.ignores('a.log', false)).toBe(true);
    expect(scope.ignores('b.log', false)).toBe(false);
    expect(scope.ignores('c.log', false)).toBe(false);
  });

  it('anchors the rules of the repository to its top', () => {
    const scope = root({}, { above, infoExclude: '/a\n/packages/one/b', excludesFile: '/c' });
    expect(scope.ignores('a', false)).toBe(false);
    expect(scope.ignores('b', false)).toBe(true);
    expect(scope.ignores('c', false)).toBe(false);
  });
});

describe('what no rule brings back', () => {
  it('is git itself, whether folder or file and at any depth', () => {
    const scope = root({ savepointignore: '!.git\n!*' });
    expect(scope.ignores('.git', true)).toBe(true);
    expect(scope.enter('vendored', folder()).ignores('.git', false)).toBe(true);
    for (const name of ['.GIT', 'git~1', '\u200c.git'])
      expect(scope.ignores(name, true)).toBe(true);
    expect(scope.ignores('.gitignore', false)).toBe(false);
    expect(scope.ignores('.github', true)).toBe(false);
    expect(scope.ignores('git', true)).toBe(false);
  });

  it('is a file that a restore keeps beside another', () => {
    const scope = root({ savepointignore: '!.savepoint-*' });
    expect(scope.ignores('.savepoint-op_1-0.new', false)).toBe(true);
    expect(scope.ignores('.savepointignore', false)).toBe(false);
  });
});

describe('the defaults', () => {
  it.each(['node_modules', '__pycache__', '.venv', '.next', '.terraform', '.hg'])(
    'ignore the folder %s at any depth, and no file of that name',
    (name) => {
      const scope = root().enter('a', folder()).enter('b', folder());
      expect(scope.ignores(name, true)).toBe(true);
      expect(scope.ignores(name, false)).toBe(false);
    },
  );

  it.each(['a.pyc', '.DS_Store', '.main.ts.swp', '.#main.ts'])('ignore the file %s', (name) => {
    expect(root().ignores(name, false)).toBe(true);
  });

  it.each(['src', 'lib', 'bin', 'vendor', 'venv', 'env', '.env', '.github', '.vscode', 'tmp'])(
    'keep %s',
    (name) => expect(root({ markers: [...MARKER_NAMES] }).ignores(name, true)).toBe(false),
  );

  it.each([
    ['package.json', ['dist', 'build', 'out', 'coverage']],
    ['Cargo.toml', ['target']],
    ['pom.xml', ['target']],
    ['build.gradle', ['build']],
    ['build.gradle.kts', ['build']],
  ])('ignore build output only beside %s', (marker, outputs) => {
    for (const name of outputs) {
      const scope = root({ markers: [marker] });
      expect(scope.ignores(name, true)).toBe(true);
      expect(scope.ignores(name, false)).toBe(false);
      expect(root().ignores(name, true)).toBe(false);
      expect(scope.enter('src', folder()).ignores(name, true)).toBe(false);
    }
  });

  it('give way to any rule about the folder', () => {
    const markers = ['package.json'];
    expect(root({ markers, gitignore: '!dist' }).ignores('dist', true)).toBe(false);
    expect(root({ markers, savepointignore: '!dist/' }).ignores('dist', true)).toBe(false);
    expect(root({ markers }, { excludesFile: '!dist' }).ignores('dist', true)).toBe(false);
  });

  it('can be switched off', () => {
    const own = folder({ markers: ['package.json'] });
    const scope = rootScope(NO_GLOBAL_RULES, own, { defaults: false });
    expect(scope.ignores('node_modules', true)).toBe(false);
    expect(scope.ignores('dist', true)).toBe(false);
    expect(scope.ignores('.git', true)).toBe(true);
  });
});

describe('hostile rules', () => {
  const longName = 'a'.repeat(255);

  it('are judged in bounded time', () => {
    const scope = root({ gitignore: `${'a*'.repeat(100)}b\n${'*?'.repeat(120)}[!a]` });
    expect(scope.ignores(longName, false)).toBe(false);
    expect(scope.ignores(`${longName.slice(1)}b`, false)).toBe(true);
  });

  it('are followed in bounded time through deep folders', () => {
    let scope = root({ gitignore: `${'**/a/'.repeat(100)}b` });
    for (let depth = 0; depth < 200; depth += 1) scope = scope.enter('a', folder());
    expect(scope.ignores('a', false)).toBe(false);
    expect(scope.ignores('b', false)).toBe(true);
  });

  it('count for nothing where the file is past a limit', () => {
    const tooMany = parseIgnore('*\n'.repeat(MAX_PATTERNS + 1));
    const tooLong = parseIgnore(`*\n${'#'.repeat(MAX_IGNORE_FILE_LENGTH)}`);
    for (const gitignore of [tooMany, tooLong]) {
      const scope = rootScope(NO_GLOBAL_RULES, { ...folder(), gitignore });
      expect(scope.ignores('a', false)).toBe(false);
    }
  });

  it('count as far as the limit', () => {
    const gitignore = parseIgnore(`${'x\n'.repeat(MAX_PATTERNS - 1)}last\n`);
    expect(rootScope(NO_GLOBAL_RULES, { ...folder(), gitignore }).ignores('last', false)).toBe(
      true,
    );
  });

  it('count for nothing where one line is longer than any path', () => {
    const scope = root({ gitignore: `${'*'.repeat(8192)}\nb` });
    expect(scope.ignores('a', false)).toBe(true);
    expect(root({ gitignore: `${'*'.repeat(8193)}\nb` }).ignores('a', false)).toBe(false);
    expect(root({ gitignore: `${'*'.repeat(8193)}\nb` }).ignores('b', false)).toBe(true);
  });
});
