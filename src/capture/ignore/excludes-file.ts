import { spawnSync } from 'node:child_process';
import { isAbsolute, join, resolve } from 'node:path';
import type { FsPath } from '../../fs/pinned-folder.ts';
import type { FoundRepository } from '../git/find-repository.ts';
import { readRuleText } from './rule-text.ts';

/** The part of the caller's environment that decides which global rules count. */
export interface RulesEnvironment {
  readonly HOME?: string | undefined;
  readonly XDG_CONFIG_HOME?: string | undefined;
  readonly PATH?: string | undefined;
}

/** The text of the file that git's core.excludesFile names, or of the one it uses where none is named. */
export function readExcludesFile(
  root: string,
  repository: FoundRepository | null,
  environment: RulesEnvironment,
): string | null {
  const named = mayBeNamed(repository, environment) ? askGit(root, environment) : null;
  const at = named === null ? defaultFile(environment) : atPath(repository?.top ?? root, named);
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

/** An empty value, by which people say that there shall be none, gives a folder: no rule file. */
function atPath(base: string, value: Buffer): FsPath {
  return value[0] === 0x2f ? value : resolve(base, value.toString());
}

/** Where git keeps what counts for the whole machine, as it is commonly built. */
const SYSTEM_CONFIGS: readonly string[] = [
  '/etc/gitconfig',
  '/usr/local/etc/gitconfig',
  '/opt/homebrew/etc/gitconfig',
];

/** A look at the files first: mostly none of them says anything, and starting git costs more. */
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
function askGit(root: string, environment: RulesEnvironment): Buffer | null {
  const { HOME, XDG_CONFIG_HOME } = environment;
  const PATH = trustedPath(root, environment.PATH ?? '');
  if (PATH === '') return null;
  const { status, stdout } = spawnSync(
    'git',
    ['config', '--null', '--type=path', '--get', 'core.excludesFile'],
    {
      cwd: root,
      env: {
        PATH,
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

/** Without folders that lie in the project: a "git" in there is not the one that is meant. */
function trustedPath(root: string, path: string): string {
  const isTrusted = (folder: string): boolean =>
    isAbsolute(folder) && !`${resolve(folder)}/`.startsWith(`${root}/`);
  return path.split(':').filter(isTrusted).join(':');
}
