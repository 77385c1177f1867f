import { constants } from 'node:buffer';
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { findProgram } from '../../fs/find-program.ts';
import type { ByteText } from '../ignore/pattern.ts';
import { Refusal } from './refusal.ts';

/** The caller's variables. Only those that find git and the user's configuration are passed on. */
export type GitEnvironment = Readonly<Record<string, string | undefined>>;

export interface GitCall {
  readonly gitDir: string;
  /** The repository's folder. No program below it is run. */
  readonly top: string;
  readonly needsWorktree?: true;
  readonly args: readonly string[];
  readonly environment: GitEnvironment;
  readonly input?: Uint8Array;
  readonly signal?: AbortSignal;
}

// Stops a git that would wait for ever, for example at a FIFO named .gitattributes. Slow disks need less.
const TIME_LIMIT_MS = 60_000;
const MAX_OUTPUT = constants.MAX_STRING_LENGTH;

// With these variables the user's git may have converted files in ways that we would not see.
const REDIRECTIONS = [
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_COUNT',
  'GIT_CONFIG_PARAMETERS',
  'GIT_ATTR_SOURCE',
];

export function checkEnvironment(environment: GitEnvironment): void {
  if (REDIRECTIONS.some((name) => environment[name] !== undefined)) {
    throw new Refusal('git-environment');
  }
}

/** Runs git and returns its output. Throws a `Refusal` when anything about it fails. */
export async function runGit(call: GitCall): Promise<ByteText> {
  const child = startGit(call);
  child.stdin.end(call.input);
  // Bytes until all are there: strings would fill the heap with what is thrown away at once.
  const chunks: Buffer[] = [];
  let size = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_OUTPUT) child.kill('SIGKILL');
    else chunks.push(chunk);
  });
  try {
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Refusal('git-failed');
  } catch (error) {
    await gone(child);
    throw startFailure(error);
  }
  return Buffer.concat(chunks).toString('latin1');
}

/** Starts git so that it runs no program that a repository configures, fetches nothing, takes no lock. */
function startGit(call: GitCall): ChildProcessWithoutNullStreams {
  const git = findProgram('git', call.environment.PATH, call.top);
  if (git === null) throw new Refusal('git-missing');
  const worktree = call.needsWorktree ? [`--work-tree=${call.top}`] : [];
  const child = spawn(
    git.file,
    [`--git-dir=${call.gitDir}`, ...worktree, ...GUARDS, ...call.args],
    {
      argv0: 'git',
      cwd: '/',
      env: environmentOf(call, git.path),
      stdio: 'pipe',
      killSignal: 'SIGKILL',
      ...(call.signal ? { signal: call.signal, timeout: TIME_LIMIT_MS } : {}),
    },
  );
  // Git may end before it has read everything; its exit code shows whether that is an error.
  child.stdin.on('error', () => {});
  // Its error messages are not used, but an unread pipe would stop it.
  child.stderr.resume();
  return child;
}

/** Resolves when a child that was killed has ended; at once for one that never started. */
async function gone(child: ChildProcess): Promise<void> {
  const runs = child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  if (runs) await once(child, 'exit');
}

/** The refusal for a git that could not be started, or was stopped. */
function startFailure(error: unknown): unknown {
  const { code, name } = error as NodeJS.ErrnoException;
  if (name === 'AbortError') return new Refusal('cancelled');
  if (code === 'ENOENT') return new Refusal('git-missing');
  return error instanceof Refusal ? error : new Refusal('git-failed');
}

const GUARDS = [
  '--no-pager',
  '--no-replace-objects',
  '--no-optional-locks',
  ...['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'protocol.allow=never'].flatMap((set) => [
    '-c',
    set,
  ]),
];

function environmentOf({ environment, input }: GitCall, PATH: string): NodeJS.ProcessEnv {
  const { HOME, XDG_CONFIG_HOME } = environment;
  return {
    // All questions are asked at once, so git need not flush after each answer, which is slow.
    GIT_FLUSH: input === undefined ? undefined : '0',
    PATH,
    HOME,
    XDG_CONFIG_HOME,
    LC_ALL: 'C',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
  };
}
