import type { Checkpoint, ErrorCode, Operation, SavepointError } from '../index.ts';
import { shellWord } from '../terminal/phrases.ts';

/** The engine's hints speak to programmers; where a command is the answer, it is named here. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  'checkpoint-not-found': 'see what there is with: savepoint list',
  'session-not-found': 'see what there is with: savepoint sessions',
  'session-busy': 'wait until it ends, or add --force',
  conflicts:
    'nothing was changed; --on-conflict keep or restore settles them, leaving it out skips them',
  'plan-stale': 'nothing was changed; look again with --dry-run and repeat the command',
  'nothing-to-undo': 'rewind or run something first; see what there is with: savepoint list',
  'run-unrecorded': 'nothing was undone; see the timeline with: savepoint list',
  'nothing-to-redo': 'a redo takes back an undo, until the next rewind',
  'operation-not-found':
    'savepoint undo without an id takes back the newest rewind; see all with: savepoint ops',
  'execution-not-found': 'see what there is with: savepoint executions list',
  'step-not-found': 'see its steps with: savepoint executions show ID',
  'execution-busy':
    'look at that process: it goes on with the execution; wait until it ends, or end it',
  'execution-effects': 'nothing was changed; add --accept-effects to go ahead all the same',
  'execution-files-changed':
    "look at these files (savepoint executions diff ID --files); the program goes on from what is there when it opens the execution with changedFiles: 'accept'",
  'store-locked': 'another savepoint is at work on this project; try again',
  'store-corrupt': 'this command changed no file; see what is damaged with: savepoint fsck',
  'config-invalid': 'mend it there; savepoint config shows what counts',
  'store-too-new': 'install a newer Savepoint',
};

export function hintFor(error: SavepointError, project: string | undefined): string | undefined {
  // Of a folder that was moved the engine knows more.
  if (error.code === 'project-mismatch' && error.details !== undefined) return adoptHint(project);
  // Paths were left that somebody else had changed: something is different all the same.
  if (error.code === 'plan-stale' && error.details !== undefined) return error.hint;
  if (error.code === 'run-unrecorded') return beforeHint(error.details) ?? HINTS[error.code];
  return HINTS[error.code] ?? error.hint;
}

function adoptHint(project: string | undefined): string {
  const where = project === undefined ? '' : ` --project ${shellWord(project)}`;
  return `if you re-created the folder on purpose, keep its timeline with: savepoint adopt${where}`;
}

/** Going past a run takes an explicit word: the id of what came before it. */
function beforeHint(details: unknown): string | undefined {
  const { before } = (details ?? {}) as { before?: Checkpoint | Operation | null };
  if (!before) return undefined;
  const verb = 'reverts' in before ? 'undo' : 'rewind';
  return `nothing was undone; take back what came before it (${before.description}) with: savepoint ${verb} ${before.id}`;
}
