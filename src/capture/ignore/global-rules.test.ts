import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadGlobalRules, type RulesEnvironment } from './global-rules.ts';
import type { GlobalRules } from './ignore-scope.ts';

let base: string;
let home: string;
let project: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'savepoint-rules-')));
  home = join(base, 'home');
  project = join(base, 'project');
  mkdirSync(home);
  mkdirSync(project);
});
afterEach(() => rmSync(base, { recursive: true }));

const { PATH = '' } = process.env;

function load(root: string = project, environment: RulesEnvironment = {}): GlobalRules {
  return loadGlobalRules(root, { HOME: home, PATH, ...environment });
}

function put(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

function git(folder: string, ...args: string[]): void {
  const who = ['-c', 'user.name=dummy', '-c', 'user.email=dummy@example.invalid'];
  const env = { PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('git', [...who, ...args], { cwd: folder, env, stdio: 'ignore' });
}

describe('the global file', () => {
  it('is the one in the home directory, with git or without', () => {
    expect(load()).toEqual({ excludesFile: null, infoExclude: null, above: [] });
    put(join(home, '.config/git/ignore'), 'from home');
    expect(load().excludesFile).toBe('from home');
    git(project, 'init', '--quiet');
    expect(load().excludesFile).toBe('from home');
  });

  it('is the one in XDG_CONFIG_HOME where that is set', () => {
    put(join(home, '.config/git/ignore'), 'from home');
    put(join(base, 'xdg/git/ignore'), 'from xdg');
    expect(load(project, { XDG_CONFIG_HOME: join(base, 'xdg') }).excludesFile).toBe('from xdg');
    expect(load(project, { XDG_CONFIG_HOME: '' }).excludesFile).toBe('from home');
  });

  it.each(['.gitconfig', '.config/git/config'])('is the one that %s names', (config) => {
    put(join(home, '.config/git/ignore'), 'not this');
    put(join(home, 'rules'), 'named');
    put(join(home, config), '[core]\n\texcludesfile = ~/rules\n');
    expect(load().excludesFile).toBe('named');
  });

  it('is the one that an included file names', () => {
    put(join(home, 'rules'), 'named');
    put(join(home, 'more'), '[core]\n\texcludesFile = ~/rules\n');
    put(join(home, '.gitconfig'), '[include]\n\tpath = more\n');
    expect(load().excludesFile).toBe('named');
  });

  it('is the one that the repository names, from its top, before that of the person', () => {
    put(join(home, '.gitconfig'), '[core]\n\texcludesFile = ~/not-this\n');
    git(project, 'init', '--quiet');
    git(project, 'config', 'core.excludesFile', 'rules');
    put(join(project, 'rules'), 'of the repository');
    mkdirSync(join(project, 'below'));
    expect(load().excludesFile).toBe('of the repository');
    expect(load(join(project, 'below')).excludesFile).toBe('of the repository');
  });

  it('is the one that a linked worktree names for itself', () => {
    const worktree = makeWorktree();
    git(project, 'config', 'extensions.worktreeConfig', 'true');
    git(worktree, 'config', '--worktree', 'core.excludesFile', put(join(base, 'rules'), 'mine'));
    expect(load(worktree).excludesFile).toBe('mine');
    expect(load().excludesFile).toBe(null);
  });

  it('does not count where the configuration says so, or names a missing file', () => {
    put(join(home, '.config/git/ignore'), 'not this');
    put(join(home, '.gitconfig'), '[core]\n\texcludesFile =\n');
    expect(load().excludesFile).toBe(null);
    put(join(home, '.gitconfig'), '[core]\n\texcludesFile = ~/missing\n');
    expect(load().excludesFile).toBe(null);
  });

  it('is the usual one where git is not installed', () => {
    put(join(home, '.config/git/ignore'), 'usual');
    put(join(home, '.gitconfig'), '[core]\n\texcludesFile = ~/rules\n');
    expect(load(project, { PATH: home }).excludesFile).toBe('usual');
    expect(load(project, { PATH: undefined }).excludesFile).toBe('usual');
  });

  it('may be a link, and does not count if it is no regular file or too large', () => {
    const ignore = join(home, '.config/git/ignore');
    put(join(base, 'real'), 'linked');
    mkdirSync(dirname(ignore), { recursive: true });
    symlinkSync(join(base, 'real'), ignore);
    expect(load().excludesFile).toBe('linked');
    rmSync(ignore);
    mkdirSync(ignore);
    expect(load().excludesFile).toBe(null);
    rmSync(ignore, { recursive: true });
    execFileSync('mkfifo', [ignore], { env: { PATH } });
    expect(load().excludesFile).toBe(null);
    rmSync(ignore);
    put(ignore, '#'.repeat(1024 * 1024));
    expect(load().excludesFile).toHaveLength(1024 * 1024);
    put(ignore, '#'.repeat(1024 * 1024 + 1));
    expect(load().excludesFile).toBe(null);
  });
});

describe('a program', () => {
  it('in the project is not used as git', () => {
    put(join(home, '.gitconfig'), '[core]\n\texcludesFile = ~/rules\n');
    put(join(home, 'rules'), 'named');
    const impostor = put(join(project, 'bin/git'), `#!/bin/sh\ntouch '${base}/was-run'\n`);
    chmodSync(impostor, 0o755);
    const paths = [join(project, 'bin'), './bin', 'bin', '', `${home}/../project/bin`];
    expect(load(project, { PATH: [...paths, PATH].join(':') }).excludesFile).toBe('named');
    expect(existsSync(join(base, 'was-run'))).toBe(false);
  });

  it('is started only where a configuration may name a file', () => {
    const counter = put(join(base, 'bin/git'), `#!/bin/sh\necho >>'${base}/was-run'\nexit 1\n`);
    chmodSync(counter, 0o755);
    git(project, 'init', '--quiet');
    load(project, { PATH: join(base, 'bin') });
    expect(existsSync(join(base, 'was-run'))).toBe(false);
    put(join(home, '.gitconfig'), '[core]\n\texcludesFile = ~/rules\n');
    load(project, { PATH: join(base, 'bin') });
    expect(existsSync(join(base, 'was-run'))).toBe(true);
  });
});

describe('info/exclude', () => {
  it('is read from the repository', () => {
    git(project, 'init', '--quiet');
    put(join(project, '.git/info/exclude'), 'mine');
    expect(load().infoExclude).toBe('mine');
  });

  it('is shared by linked worktrees', () => {
    const worktree = makeWorktree();
    put(join(project, '.git/info/exclude'), 'shared');
    expect(load(worktree).infoExclude).toBe('shared');
  });

  it.each(['nothing', 'gitdir: ../missing\n', 'gitdir: '])(
    'is not looked for behind a .git that holds %j',
    (text) => {
      put(join(project, '.git'), text);
      expect(load().infoExclude).toBe(null);
    },
  );

  it('is not looked for behind a .git that leads in a circle', () => {
    symlinkSync('.git', join(project, '.git'));
    expect(load().infoExclude).toBe(null);
  });
});

describe('a project below the top of a repository', () => {
  it('has the .gitignore files above it, and not its own', () => {
    const root = makeBelow();
    put(join(project, '.gitignore'), 'top');
    put(join(project, '.git/info/exclude'), 'mine');
    put(join(root, '.gitignore'), 'own');
    expect(load(root)).toEqual({
      excludesFile: null,
      infoExclude: 'mine',
      above: [
        { gitignore: 'top', next: 'packages' },
        { gitignore: null, next: 'one' },
      ],
    });
  });

  it('does not follow a link in the place of a .gitignore', () => {
    const root = makeBelow();
    symlinkSync(put(join(base, 'rules'), 'a'), join(project, '.gitignore'));
    expect(load(root).above?.[0]).toEqual({ gitignore: null, next: 'packages' });
  });

  it.each(['*', 'packages/', '/packages/one', 'one'])(
    'leaves the repository aside that ignores it by %j',
    (rule) => {
      const root = makeBelow();
      put(join(project, '.gitignore'), rule);
      put(join(project, '.git/info/exclude'), 'mine');
      expect(load(root)).toEqual({ excludesFile: null, infoExclude: null, above: [] });
    },
  );

  it('stays with the repository that ignores only what is in it', () => {
    const root = makeBelow();
    put(join(project, '.gitignore'), '/*\n!packages\n/packages/one/*');
    expect(load(root).above).toHaveLength(2);
  });

  it.skipIf(process.geteuid?.() !== 0)('does not trust a repository of somebody else', () => {
    const root = makeBelow();
    put(join(project, '.gitignore'), 'a');
    chownSync(join(project, '.git'), 12_345, 12_345);
    expect(load(root).above).toEqual([]);
    chownSync(join(project, '.git'), 0, 0);
    chownSync(project, 12_345, 12_345);
    expect(load(root).above).toEqual([]);
    chownSync(project, 0, 0);
    expect(load(root).above).toHaveLength(2);
  });

  function makeBelow(): string {
    git(project, 'init', '--quiet');
    const root = join(project, 'packages/one');
    mkdirSync(root, { recursive: true });
    return root;
  }
});

function makeWorktree(): string {
  git(project, 'init', '--quiet');
  git(project, 'commit', '--quiet', '--allow-empty', '--message', 'first');
  git(project, 'worktree', 'add', '--quiet', '../linked');
  return join(base, 'linked');
}
