import type { ErrorCode } from '../index.ts';

/** The exit codes of every command. Scripts rely on them: a number never changes its meaning. */
export const EXIT = {
  done: 0,
  failure: 1,
  usage: 2,
  conflicts: 3,
  notFound: 4,
  nothingToDo: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The same table in words, for the help and the documentation. */
export const EXIT_MEANINGS: readonly (readonly [ExitCode, string])[] = [
  [EXIT.done, 'done'],
  [EXIT.failure, 'failure: the message says what was left as it was'],
  [EXIT.usage, 'usage: the command line makes no sense'],
  [EXIT.conflicts, 'conflicts were left, untouched'],
  [
    EXIT.notFound,
    'not found: no such checkpoint, operation, execution, path or project, or nothing recorded yet',
  ],
  [
    EXIT.nothingToDo,
    'nothing was done: there is nothing to do, or the message names the option that it takes',
  ],
  [EXIT.interrupted, 'interrupted, or a question was answered with no'],
];

export function exitCodeOf(code: ErrorCode): ExitCode {
  return SPECIAL[code] ?? EXIT.failure;
}

/** Everything that is not a plain failure. */
const SPECIAL: Partial<Record<ErrorCode, ExitCode>> = {
  'argument-invalid': EXIT.usage,
  'path-invalid': EXIT.usage,
  'path-escapes-root': EXIT.usage,
  'project-refused': EXIT.usage,
  'checkpoint-ambiguous': EXIT.usage,
  'session-ambiguous': EXIT.usage,
  'worktree-ambiguous': EXIT.usage,
  'operation-ambiguous': EXIT.usage,
  conflicts: EXIT.conflicts,
  'execution-files-changed': EXIT.conflicts,
  'project-missing': EXIT.notFound,
  'store-missing': EXIT.notFound,
  'checkpoint-not-found': EXIT.notFound,
  'session-not-found': EXIT.notFound,
  'operation-not-found': EXIT.notFound,
  'hunk-not-found': EXIT.notFound,
  'execution-not-found': EXIT.notFound,
  'step-not-found': EXIT.notFound,
  'file-missing': EXIT.notFound,
  'nothing-to-undo': EXIT.nothingToDo,
  'run-unrecorded': EXIT.nothingToDo,
  'nothing-to-redo': EXIT.nothingToDo,
  aborted: EXIT.interrupted,
};
