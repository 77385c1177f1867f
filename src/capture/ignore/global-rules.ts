import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { statOf } from '../../fs/entries.ts';
import { findProgram } from '../../fs/find-program.ts';
import type { FsPath } from '../../fs/pinned-folder.ts';
import { readFileOrNull } from '../../fs/read-file.ts';
import { monotonicMs } from '../../model/clock.ts';
import { bytesToPath } from '../../model/path.ts';
import { type FoundRepository, findRepository } from '../git/find-repository.ts';
import { MAX_IGNORE_FILE_LENGTH } from './ignore-file.ts';
import { type FolderAbove, type GlobalRules, ignoresRoot } from './ignore-scope.ts';

/** The part of the caller's environment that decides which global rules count. */
export interface RulesEnvironment {
  readonly HOME?: string | undefined;
  readonly XDG_CONFIG_HOME?: string | undefined;
  readonly PATH?: string | undefined;
}

/**
 * Reads the rules that come from outside a project: git's global file, the repository's info/exclude
 * and, where the project lies below the repository's top, the .gitignore files above it. Works without
 * git. Starts git at most once, and only where a configuration may name a file.
 */
export function loadGlobalRules(root: string, environment: RulesEnvironment): GlobalRules {
  return rulesFrom(root, findSources(root, environment));
}

const REMEMBERED_MS = 1000;

/**
 * For captures, which would wait for a fifth of their time: where the repository is and what git's global file says
 * changes rarely, so both are remembered for a second. Rules in and above the project are read anew.
 */
export function rememberingRules(root: string, environment: RulesEnvironment): () => GlobalRules {
  let last: { readonly sources: Sources; readonly at: number } | null = null;
  return () => {
    const now = monotonicMs();
    if (last === null || now - last.at > REMEMBERED_MS) {
      last = { sources: findSources(root, environment), at: now };
    }
    const { excludesFile } = last.sources;
    // A `git init` counts at once.
    return rulesFrom(root, { excludesFile, repository: last.sources.repository ?? ruledBy(root) });
  };
}

interface Sources {
  readonly repository: FoundRepository | null;
  /** The text of git's global file. */
  readonly excludesFile: string | null;
}

function findSources(root: string, environment: RulesEnvironment): Sources {
  const repository = ruledBy(root);
  return { repository, excludesFile: readExcludesFile(root, repository, environment) };
}

function rulesFrom(root: string, { repository, excludesFile }: Sources): GlobalRules {
  const alone: GlobalRules = { excludesFile, infoExclude: null, above: [] };
  if (repository === null) return alone;
  const within: GlobalRules = {
    excludesFile,
    infoExclude: readRuleText(join(repository.commonDir, 'info/exclude'), { followLink: true }),
    above: foldersAbove(root, repository.top),
  };
  // If the repository ignores the whole project, its rules are not meant for it: a home directory, say.
  return ignoresRoot(within) ? alone : within;
}

function foldersAbove(root: string, top: string): FolderAbove[] {
  if (root === top) return [];
  const names = root.slice(top === '/' ? 1 : top.length + 1).split('/');
  return names.map((next, depth) => {
    const gitignore = join(top, ...names.slice(0, depth), '.gitignore');
    return { gitignore: readRuleText(gitignore, { followLink: false }), next };
  });
}

/**
 * The repository whose rules count for a project. A repository above the project that belongs to another
 * user does not: its rules could hide our files. Git does not trust such a repository either.
 */
function ruledBy(root: string): FoundRepository | null {
  const found = findRepository(root);
  return found !== null && (found.top === root || isOurs(found.top)) ? found : null;
}

function isOurs(top: string): boolean {
  const user = process.geteuid?.();
  const places = [top, join(top, '.git')];
  return user === undefined || places.every((place) => Number(statOf(place).uid) === user);
}

/** The text of the file that git's core.excludesFile names, or of the one it uses where none is named. */
function readExcludesFile(
  root: string,
  repository: FoundRepository | null,
  environment: RulesEnvironment,
): string | null {
  const top = repository?.top ?? root;
  const named = mayBeNamed(repository, environment) ? askGit(root, top, environment) : null;
  const at = named === null ? defaultFile(environment) : atPath(top, named);
  return at === null ? null : readRuleText(at, { followLink: true });
}

/** Where git looks by itself. */
function defaultFile(environment: RulesEnvironment): string | null {
  const folder = userFolder(environment);
  return folder === null ? null : join(folder, 'ignore');
}

function userFolder({ HOME, XDG_CONFIG_HOME }: RulesEnvironment): string | null {
  if (XDG_CONFIG_HOME) return join(XDG_CONFIG_HOME, 'git');
  return HOME ? join(HOME, '.config', 'git') : null;
}

/** An empty value, which means that there is no such file, resolves to a folder and is not read. */
function atPath(base: string, value: Buffer): FsPath {
  return value[0] === 0x2f ? value : resolve(base, value.toString());
}

/** Where common builds of git keep the configuration of the whole machine. */
const SYSTEM_CONFIGS: readonly string[] = [
  '/etc/gitconfig',
  '/usr/local/etc/gitconfig',
  '/opt/homebrew/etc/gitconfig',
];

/** Searches the files first: mostly none of them names one, and starting git costs more. */
function mayBeNamed(repository: FoundRepository | null, environment: RulesEnvironment): boolean {
  const { HOME } = environment;
  const folder = userFolder(environment);
  const files = [
    ...SYSTEM_CONFIGS,
    ...(folder === null ? [] : [join(folder, 'config')]),
    ...(HOME ? [join(HOME, '.gitconfig')] : []),
    ...(repository === null ? [] : [join(repository.commonDir, 'config')]),
    ...(repository === null ? [] : [join(repository.gitDir, 'config.worktree')]),
  ];
  return files.some((file) => {
    const text = readRuleText(file, { followLink: true });
    return text !== null && /excludesfile|include/i.test(text);
  });
}

const TIME_LIMIT_MS = 10_000;

/** The value of core.excludesFile; null where it is not set, or git does not say. */
function askGit(root: string, top: string, environment: RulesEnvironment): Buffer | null {
  const { HOME, XDG_CONFIG_HOME } = environment;
  const git = findProgram('git', environment.PATH, top);
  if (git === null) return null;
  const { status, stdout } = spawnSync(
    git.file,
    ['config', '--null', '--type=path', '--get', 'core.excludesFile'],
    {
      argv0: 'git',
      cwd: root,
      env: {
        PATH: git.path,
        GIT_OPTIONAL_LOCKS: '0',
        LC_ALL: 'C',
        ...(HOME === undefined ? {} : { HOME }),
        ...(XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME }),
      },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: TIME_LIMIT_MS,
    },
  );
  return status === 0 ? stdout.subarray(0, stdout.indexOf(0)) : null;
}

/** The text of a rule file. Null where there is none, or it is no regular file, or is too large. */
export function readRuleText(
  at: FsPath,
  /** Git follows links to the global files and not to a .gitignore. */
  { followLink }: { readonly followLink: boolean },
): string | null {
  const bytes = readFileOrNull(at, { followLink, maxBytes: MAX_IGNORE_FILE_LENGTH });
  return bytes === null ? null : bytesToPath(bytes);
}
