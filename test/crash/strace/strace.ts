import { spawnSync } from 'node:child_process';
import type { Thread } from './calls.ts';

/**
 * The calls that change a file system or make a change durable. A kill before a call that only reads
 * leaves the same disk as a kill before the next of these, so kills need no others.
 */
export const WRITING_CALLS: readonly string[] = [
  'open',
  'openat',
  'write',
  'pwrite64',
  'ftruncate',
  'rename',
  'renameat',
  'renameat2',
  'link',
  'linkat',
  'symlink',
  'symlinkat',
  'unlink',
  'unlinkat',
  'mkdir',
  'mkdirat',
  'rmdir',
  'chmod',
  'fchmod',
  'fchmodat',
  'fsync',
  'fdatasync',
];

/** The calls that look at files; they can fail too. */
export const READING_CALLS: readonly string[] = [
  'read',
  'pread64',
  'stat',
  'lstat',
  'fstat',
  'newfstatat',
  'statx',
  'readlink',
  'readlinkat',
  'getdents64',
];

/** Needed to tell which file a descriptor means. */
const DESCRIPTOR_CALLS: readonly string[] = ['close', 'dup', 'dup2', 'dup3', 'fcntl'];

/** Ways to change a file that the replay does not know; none may appear on our files. */
export const UNKNOWN_CALLS: readonly string[] = [
  'mmap',
  'creat',
  'writev',
  'pwritev',
  'fallocate',
  'truncate',
  'lseek',
  'copy_file_range',
  'sendfile',
  'splice',
  'pwritev2',
  'fchmodat2',
];

// Who goes on before a sync has ended shall be seen to, also where the disk is memory.
const SLOW_SYNC = ['-e', 'inject=fsync:delay_enter=1000'];

/** Writes each thread's calls to `${prefix}.${thread}`, with all their bytes and their times. */
export function recorder(prefix: string): string[] {
  const calls = [...WRITING_CALLS, ...READING_CALLS, ...DESCRIPTOR_CALLS, ...UNKNOWN_CALLS];
  // "?": not every architecture has every call.
  const known = calls.map((name) => `?${name}`).join(',');
  const shape = ['-ff', '-y', '-xx', '-ttt', '-T', '-s', '10000000'];
  return ['strace', ...shape, '-o', prefix, '-e', `trace=${known}`, ...SLOW_SYNC];
}

/** One call of a thread: the so-and-so-many-th of its name since the tracer was attached. */
export interface CallNumber {
  readonly thread: Thread;
  readonly name: string;
  readonly nth: number;
}

/** Kills the process as it enters this call, which is not carried out. */
export function killer(call: CallNumber): string[] {
  return ['strace', '-o', '/dev/null', '-e', `trace=${call.name}`, ...killing(call)];
}

export function killing({ name, nth }: Omit<CallNumber, 'thread'>): string[] {
  return ['-e', `inject=${name}:signal=SIGKILL:when=${nth}`];
}

export const FAULT_CODES = [
  'EACCES',
  'EPERM',
  'EXDEV',
  'EROFS',
  'EBUSY',
  'EIO',
  'ENOSPC',
  'EDQUOT',
  'EMFILE',
  'EMLINK',
] as const;

export type FaultCode = (typeof FAULT_CODES)[number];

/** Lets these calls fail without being carried out, once or from then on; writes them to `log`. */
export function saboteur(
  log: string,
  code: FaultCode,
  targets: readonly CallNumber[],
  lasting: boolean,
): string[] {
  const names = targets.map(({ name }) => name).join(',');
  const injections = targets.flatMap(({ name, nth }) => [
    '-e',
    `inject=${name}:error=${code}:when=${nth}${lasting ? '+' : ''}`,
  ]);
  return ['strace', '-o', log, '-s', '0', '-e', `trace=${names}`, ...injections];
}

/** Why strace cannot be used here, or null. */
export function straceProblem(): string | null {
  if (process.platform !== 'linux') return 'strace exists on Linux only';
  const { error, status, stderr } = spawnSync('strace', ['-o', '/dev/null', 'true'], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  if (error !== undefined) return 'strace is not installed (Debian: apt-get install strace)';
  return status === 0 ? null : `strace does not work here: ${stderr.trim()}`;
}
