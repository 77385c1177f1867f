import type { KeptIn } from '../config/project-store.ts';
import type { ExecutionKind } from '../execution/index.ts';
import {
  CHECKPOINT_KINDS,
  type CheckpointId,
  COVERAGES,
  type Coverage,
  type DiffHunk,
  ENTRY_TYPES,
  type EntryType,
  type LineCount,
  type ListedCheckpoint,
  OPERATION_KINDS,
  type Operation,
  type OperationId,
  type PathReason,
  type Receipt,
  type Session,
  type State,
  TAKEN_BACK,
  UNKNOWN_REASONS,
  type UnknownReason,
  type WorktreeEntry,
} from '../index.ts';
import {
  anyOf,
  BOOLEAN,
  branded,
  COUNT,
  described,
  exact,
  integer,
  type Kind,
  listOf,
  matching,
  nullable,
  type ObjectKind,
  oneOf,
  optional,
  recordOf,
  TEXT,
} from '../model/check.ts';
import type { FileDiff } from '../terminal/file-diff.ts';
import { sentenceFor } from '../terminal/reasons.ts';
import { type PathNames, picked, withPathBytes } from './json.ts';
import type { Unmatched } from './path-arguments.ts';

// What several commands print with --json. The published schemas are made from these descriptions, and the
// compiler compares each with the type of what is printed.

export const TIME: Kind<string> = described('ISO 8601, in UTC.', TEXT);

export const PATH: Kind<string> = described(
  'Relative to the project, or absolute outside of it. Its bytes are in pathBytes if they are not UTF-8.',
  TEXT,
);

export const PATH_BYTES: Kind<Readonly<Record<string, string>>> = described(
  'Bytes in base64, under each name above that is not UTF-8 and is only shown.',
  recordOf(TEXT),
);

export const COVERS: Kind<Coverage> = described(
  'named: files that tools named. scanned: the worktree was scanned; savepoint status lists what it could not record. The others say why there is a gap before it.',
  oneOf(...COVERAGES),
);

export const EXECUTION_KIND: Kind<ExecutionKind> = described(
  'Durable steps of `Savepoint.execution`, or checkpoints that a program keeps with `ExecutionCheckpoints`.',
  oneOf('steps', 'checkpoints'),
);

export const NOT_ON_RECORD: Kind<readonly string[]> = described(
  'Arguments, as they were typed, of which no change is on record.',
  listOf(TEXT),
);

/** A time of the clock, as programs read it. */
export function timeJson(time: number): string {
  return new Date(time).toISOString();
}

export function timeOrNull(time: number | null): string | null {
  return time === null ? null : timeJson(time);
}

export interface CheckpointJson
  extends Pick<ListedCheckpoint, 'id' | 'seq' | 'sessionId' | 'agent' | 'messageId' | 'kind'>,
    Pick<ListedCheckpoint, 'description' | 'label' | 'files' | 'folders' | 'takenBack'>,
    Partial<LineCount> {
  readonly createdAt: string;
  readonly imported: boolean;
}

export const CHECKPOINT: ObjectKind<CheckpointJson> = exact({
  id: branded<CheckpointId>(TEXT),
  seq: described('Its place on the timeline: order never depends on a clock.', integer(1)),
  sessionId: described(
    'Null when it belongs to no session: made by hand, or before a rewind.',
    nullable(TEXT),
  ),
  agent: nullable(TEXT),
  messageId: nullable(TEXT),
  kind: described(
    "Made at a user's message, at a step of an execution, by hand, or before a rewind.",
    oneOf(...CHECKPOINT_KINDS),
  ),
  description: TEXT,
  label: nullable(TEXT),
  createdAt: TIME,
  files: described('How many files changed under it.', COUNT),
  folders: described('How many folders were made or removed under it.', COUNT),
  takenBack: described(
    'Whether operations that are in effect took back what changed under it.',
    oneOf(...TAKEN_BACK),
  ),
  imported: described('It came with an import: "latest" and "~N" never mean it.', BOOLEAN),
  insertions: optional(described('Only with --stat.', COUNT)),
  deletions: optional(described('Only with --stat.', COUNT)),
});

export function checkpointJson(checkpoint: ListedCheckpoint, lines?: LineCount): CheckpointJson {
  const createdAt = timeJson(checkpoint.createdAt);
  const imported = checkpoint.importedAt !== null;
  return { ...picked(CHECKPOINT, checkpoint), createdAt, imported, ...lines };
}

export interface SessionJson extends Pick<Session, 'id' | 'agent' | 'rootId'> {
  readonly state: 'open' | 'ended' | 'archived';
  readonly createdAt: string;
  readonly lastActiveAt: string;
  readonly archivedAt: string | null;
}

export const SESSION: ObjectKind<SessionJson> = exact({
  id: TEXT,
  agent: TEXT,
  rootId: described(
    'The first session of its family; its own id, unless it is a sub-agent or a continuation.',
    TEXT,
  ),
  state: described(
    "'ended': a single run that is over, or a session that came with an import and that nobody went on with here.",
    oneOf('open', 'ended', 'archived'),
  ),
  createdAt: TIME,
  lastActiveAt: TIME,
  archivedAt: nullable(TIME),
});

/** `imported`: the ids of the sessions that an import brought, and that nobody went on with. */
export function stateOf(
  { id, archivedAt, run }: Session,
  imported: ReadonlySet<string>,
): SessionJson['state'] {
  if (archivedAt !== null) return 'archived';
  return imported.has(id) || (run !== null && run.ended !== null) ? 'ended' : 'open';
}

export function sessionJson(session: Session, imported: ReadonlySet<string>): SessionJson {
  const { archivedAt } = session;
  return {
    ...picked(SESSION, session),
    state: stateOf(session, imported),
    createdAt: timeJson(session.createdAt),
    lastActiveAt: timeJson(session.lastActiveAt),
    archivedAt: timeOrNull(archivedAt),
  };
}

interface WorktreeJson extends Pick<WorktreeEntry, 'id' | 'machine' | 'root'> {
  readonly activeAt: string;
}

export const WORKTREE: ObjectKind<WorktreeJson> = exact({
  id: TEXT,
  machine: TEXT,
  root: described('Its folder there, absolute.', TEXT),
  activeAt: described('When something was last recorded in it.', TIME),
});

export function worktreeJson(worktree: WorktreeEntry): WorktreeJson {
  return { ...picked(WORKTREE, worktree), activeAt: timeJson(worktree.activeAt) };
}

export interface OperationJson extends Omit<Operation, 'createdAt'> {
  readonly createdAt: string;
  readonly takenBackBy: OperationId | null;
}

export const OPERATION: Kind<OperationJson> = exact({
  id: branded<OperationId>(TEXT),
  seq: integer(1),
  kind: oneOf(...OPERATION_KINDS),
  description: TEXT,
  createdAt: TIME,
  checkpointId: described('What a rewind returned to.', nullable(branded<CheckpointId>(TEXT))),
  safetyCheckpointId: described('Keeps what was there before it.', branded<CheckpointId>(TEXT)),
  reverts: described(
    'The operation that an undo or a redo took back.',
    nullable(branded<OperationId>(TEXT)),
  ),
  inEffect: described('False once a later operation took it back.', BOOLEAN),
  takenBackBy: described('That operation.', nullable(branded<OperationId>(TEXT))),
});

/** An operation of a log that has the newest first. */
export function operationJson(operation: Operation, log: readonly Operation[]): OperationJson {
  return {
    ...operation,
    createdAt: timeJson(operation.createdAt),
    takenBackBy: takenBackBy(operation, log)?.id ?? null,
  };
}

/** The operation that took this one back and is in effect itself; of a list with the newest first. */
export function takenBackBy(operation: Operation, log: readonly Operation[]): Operation | null {
  if (operation.inEffect) return null;
  return log.find((other) => other.reverts === operation.id && other.inEffect) ?? null;
}

interface PathReasonJson {
  readonly path: string;
  readonly reason: string;
  readonly message: string;
}

export const PATH_REASON: Kind<PathReasonJson> = exact({
  path: PATH,
  reason: described('A code, for programs.', TEXT),
  message: described('The same for people.', TEXT),
});

type PathList = 'restoredFiles' | 'deletedFiles' | 'mergedFiles' | 'notOnRecord';
type ReasonList = 'conflicts' | 'skipped' | 'errors';

export interface ReceiptJson
  extends Pick<Receipt, 'success' | 'operationId' | 'safetyCheckpointId'>,
    Readonly<Record<PathList, readonly string[]>>,
    Readonly<Record<ReasonList, readonly PathReasonJson[]>> {
  readonly dryRun?: true;
  readonly notes: readonly { code: string; message: string; paths: readonly string[] }[];
  readonly pathBytes: Readonly<Record<string, string>>;
}

export const RECEIPT: ObjectKind<ReceiptJson> = exact({
  success: described(
    'Whether every path reached what it was to go back to; false when nothing is on record of what was named.',
    BOOLEAN,
  ),
  dryRun: optional(described('Only with --dry-run: this is what would be done.', oneOf(true))),
  operationId: described(
    'What savepoint undo takes; null when nothing was done.',
    nullable(branded<OperationId>(TEXT)),
  ),
  safetyCheckpointId: described(
    'What was there before; null when nothing was done.',
    nullable(branded<CheckpointId>(TEXT)),
  ),
  restoredFiles: described('Paths that went back to how they were.', listOf(PATH)),
  deletedFiles: described('Paths that did not exist then, and were deleted.', listOf(PATH)),
  mergedFiles: described(
    'Paths that went back, and in which what others changed stayed.',
    listOf(PATH),
  ),
  conflicts: described(
    'Paths left as they are because somebody else changed them too.',
    listOf(PATH_REASON),
  ),
  skipped: described('Paths left as they are for another reason.', listOf(PATH_REASON)),
  notes: described(
    'What a person should know: commits since, a lock file that changed, a restore that was finished.',
    listOf(exact({ code: TEXT, message: TEXT, paths: listOf(PATH) })),
  ),
  errors: described('Paths whose recorded content is damaged or lost.', listOf(PATH_REASON)),
  notOnRecord: NOT_ON_RECORD,
  pathBytes: PATH_BYTES,
});

/** What a rewind, undo or redo did, or would do. */
export function receiptJson(
  receipt: Receipt,
  dryRun: boolean,
  unmatched: readonly Unmatched[] = [],
): ReceiptJson {
  return withPathBytes(({ name }) => {
    const reasons = (entries: readonly PathReason[]) =>
      entries.map(({ path, reason }) => {
        return { path: name(path), reason, message: sentenceFor(reason) };
      });
    return {
      ...picked(RECEIPT, receipt),
      ...(dryRun ? { dryRun } : {}),
      restoredFiles: receipt.restoredFiles.map(name),
      deletedFiles: receipt.deletedFiles.map(name),
      mergedFiles: receipt.mergedFiles.map(name),
      conflicts: reasons(receipt.conflicts),
      skipped: reasons(receipt.skipped),
      notes: receipt.notes.map(({ code, message, paths = [] }) => {
        return { code, message, paths: paths.map(name) };
      }),
      errors: reasons(receipt.errors),
      notOnRecord: unmatched.map(({ typed }) => typed),
    };
  });
}

export type StateJson =
  | { readonly type: 'unknown'; readonly reason: UnknownReason }
  | { readonly type: EntryType; readonly mode: string; readonly size: number }
  | null;

export const STATE: Kind<StateJson> = described(
  'What was at a path; null for nothing.',
  nullable(
    anyOf(
      exact({
        type: described('It was not recorded.', oneOf('unknown')),
        reason: oneOf(...UNKNOWN_REASONS),
      }),
      exact({
        type: oneOf(...ENTRY_TYPES),
        mode: described('Permission bits, in octal.', matching<string>(/^[0-7]{3,4}$/, 'a mode')),
        size: COUNT,
      }),
    ),
  ),
);

export function stateJson(state: State): StateJson {
  if (state.kind === 'absent') return null;
  if (state.kind === 'unknown') return { type: 'unknown', reason: state.reason };
  const { type, mode, size } = state;
  return { type, mode: (mode & 0o7777).toString(8).padStart(3, '0'), size };
}

export interface FileDiffJson
  extends Pick<FileDiff, 'status' | 'binary' | 'damaged' | 'insertions' | 'deletions'> {
  readonly path: string;
  readonly from?: string;
  readonly before: StateJson;
  readonly after: StateJson;
  readonly hunks?: readonly DiffHunk[];
}

export const DIFF_HUNK: ObjectKind<DiffHunk> = exact({
  oldStart: COUNT,
  oldLines: COUNT,
  newStart: COUNT,
  newLines: COUNT,
  lines: listOf(
    exact({
      kind: oneOf('context', 'add', 'remove'),
      text: described('Without its newline.', TEXT),
      noNewline: optional(
        described('The file ends after this line, without a newline.', oneOf(true)),
      ),
    }),
  ),
});

export const FILE_DIFF: Kind<FileDiffJson> = exact({
  path: PATH,
  status: oneOf('created', 'deleted', 'renamed', 'modified', 'unknown'),
  from: optional(described('The name that it had before; only with the status `renamed`.', PATH)),
  before: STATE,
  after: STATE,
  binary: described('The contents are not text.', BOOLEAN),
  damaged: described(
    'The contents are on record, and the store could not give them back; there are no hunks.',
    BOOLEAN,
  ),
  insertions: COUNT,
  deletions: COUNT,
  hunks: optional(described('Left out with --stat.', listOf(DIFF_HUNK))),
});

/** One file of a diff; without its hunks where only the numbers were asked for. */
export function fileDiffJson(file: FileDiff, { name }: PathNames, stat = false): FileDiffJson {
  const { diff, status, from, binary, damaged, insertions, deletions, hunks } = file;
  return {
    path: name(diff.path),
    status,
    ...(from === null ? {} : { from: name(from) }),
    before: stateJson(diff.before),
    after: stateJson(diff.after),
    binary,
    damaged,
    insertions,
    deletions,
    ...(stat ? {} : { hunks }),
  };
}

/** Where a timeline is kept. */
export const KEPT_IN: ObjectKind<KeptIn> = exact({
  kind: oneOf('folder', 'server'),
  folder: described('What this machine keeps of it.', TEXT),
  server: described(
    'Host and database, never a user or a password; null for a folder, and where nothing is set.',
    nullable(TEXT),
  ),
  project: described('Its name on the server.', nullable(TEXT)),
});
