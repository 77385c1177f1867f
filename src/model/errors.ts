import { displayText } from './display.ts';

/**
 * Every way in which Savepoint refuses or fails, as data. Callers branch on `code`, never on the
 * message; `hint` says what to do next. Each code has a line in docs/errors.md.
 */
export const ERROR_CODES = {
  'argument-invalid': 'A caller passed a value of the wrong kind.',
  'path-invalid': 'A path is empty, too long, or holds NUL bytes or broken Unicode.',
  'path-escapes-root': 'A path leaves the project.',
  'path-protected': 'A path belongs to git or to Savepoint and is never touched.',
  'symlinked-parent': 'A folder on the way to a path is a symbolic link.',
  'project-missing': 'The project folder does not exist or is not a folder.',
  'project-refused': 'The folder may not be a project: the file system root or a home directory.',
  'project-mismatch':
    'The folder at this path, or the project on the server, is not the one the store was made for.',
  'store-missing': 'There is no store for this project yet.',
  'store-locked': 'Another process holds the project lock for too long.',
  'store-full': 'The disk or the quota is full; nothing was kept.',
  'store-corrupt': 'The store cannot be read as a Savepoint store.',
  'store-failed': 'The store could not be read or written.',
  'store-read-only': 'The store is on a disk or in a folder that cannot be written to.',
  'store-too-new': 'The store has another format than this Savepoint reads.',
  'store-unreachable': 'The database server of the store cannot be reached, or went away.',
  'store-on-server':
    'The command or call is for a store in a folder, and this one is on a database server.',
  'server-unknown': 'The store is on a database server, and nothing says where that is.',
  'store-moved-on': 'The timeline moved on under a writer that did not hold the lock.',
  'store-closed': 'The store was closed, or replaced by a repair while it was open.',
  'blob-missing': 'Bytes that the timeline refers to are not in the store.',
  'blob-corrupt': 'Stored bytes do not match their hash; they are never written to a file.',
  'document-corrupt': 'A stored document cannot be read back; the others are as they were.',
  'document-exists': 'A document that was to be new is there already.',
  'document-clash': 'Two names of documents differ in a way that some disks do not tell apart.',
  'checkpoint-invalid': 'A dictionary is not that of an execution checkpoint.',
  'checkpoint-not-found': 'No checkpoint has this id or label.',
  'checkpoint-ambiguous': 'A shortened id or a label fits several checkpoints.',
  'not-covered': 'The worktree was not scanned before this checkpoint.',
  'session-not-found': 'No session has this id.',
  'session-ambiguous': 'A shortened id fits several sessions.',
  'worktree-not-found': 'The project has no such worktree.',
  'worktree-ambiguous': 'The name of a machine or a shortened id fits several worktrees.',
  'session-busy': 'A tool call or a command is still running.',
  'conversation-not-forked': 'The conversation of a checkpoint was not forked; it is as it was.',
  'operation-not-found': 'No operation has this id.',
  'operation-ambiguous': 'A shortened id fits several operations.',
  'nothing-to-undo': 'There is no operation in effect.',
  'run-unrecorded': 'Nothing is on record of what the last run changed, so it cannot be undone.',
  'nothing-to-redo': 'The newest operation is not an undo.',
  'plan-stale': 'Files or timeline changed since the plan was made; what was begun was taken back.',
  'hunk-not-found': 'No hunk of the plan has this id: the file or the change is not as it was.',
  conflicts: 'The plan has conflicts and the caller asked to fail on them.',
  'restore-failed': 'A file could not be replaced; what was begun was taken back.',
  'restore-unfinished': 'A restore stopped half way; the next start finishes it or takes it back.',
  'purge-unfinished':
    'Contents were purged from the timeline, and their bytes are not all gone yet.',
  'config-invalid': 'A configuration cannot be read, or holds a value of the wrong kind.',
  'capture-failed': 'The state of a file could not be recorded.',
  'export-invalid': 'A file is not an export of Savepoint, or it is damaged; nothing was imported.',
  'export-too-new': 'An export was written by a newer Savepoint.',
  'export-too-large': 'An export is past a limit; nothing was imported.',
  'import-conflict': 'What an export brings is here already, and is not the same.',
  'file-exists': 'A file would be overwritten.',
  'file-missing': 'A file or folder that was named is not there.',
  'file-failed': 'A file that was named could not be read or written.',
  'value-unsupported': 'A value holds something that could not be brought back as it is.',
  'value-invalid': 'A stored value is not in the form that Savepoint writes.',
  'part-missing': 'A part of a document is not in the store.',
  'part-corrupt': 'A part of a document is not what was stored.',
  'execution-not-found': 'No execution has this id.',
  'execution-exists': 'There is an execution with this id already.',
  'execution-removed': 'The steps of the execution were removed, and its id stays taken.',
  'execution-busy': 'Another process, or another step, is at work on the execution.',
  'execution-lost': 'The execution was taken over, or given back; nothing was written.',
  'execution-diverged': 'The program calls other steps than it called the last time.',
  'execution-files-changed': 'Files that a step wrote are not as it left them.',
  'execution-effects': 'A rollback would not undo what steps have declared; nothing was done.',
  'step-over': 'The step has ended; what it was given serves no more.',
  'step-not-found': 'The execution has no such step.',
  'not-agreed': 'The person has to agree first, and did not or could not be asked.',
  aborted: 'The caller cancelled.',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface SavepointErrorDetails {
  readonly path?: string | undefined;
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  /** Candidates, conflicting paths and the like, for programs. */
  readonly details?: unknown;
}

export class SavepointError extends Error {
  readonly code: ErrorCode;
  readonly path: string | undefined;
  readonly hint: string | undefined;
  readonly details: unknown;

  constructor(code: ErrorCode, message: string, more: SavepointErrorDetails = {}) {
    // Messages quote what callers, models and file systems say, and are printed by whoever catches them.
    super(displayText(message), more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'SavepointError';
    this.code = code;
    this.path = more.path;
    this.hint = more.hint;
    this.details = more.details;
  }
}

export function isSavepointError(value: unknown, code?: ErrorCode): value is SavepointError {
  return value instanceof SavepointError && (code === undefined || value.code === code);
}
