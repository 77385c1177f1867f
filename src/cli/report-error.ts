import {
  type Checkpoint,
  displayText,
  type ErrorCode,
  isSavepointError,
  type Operation,
  type SavepointError,
} from '../index.ts';
import {
  described,
  exact,
  type Kind,
  listOf,
  nullable,
  optional,
  TEXT,
  type TypeOf,
} from '../model/check.ts';
import { messageOf, relativeTime, shellWord } from '../terminal/phrases.ts';
import { sentenceFor } from '../terminal/reasons.ts';
import { wrapWords } from '../terminal/text-width.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.ts';
import { columnsOf, type Io } from './io.ts';
import { jsonText, PathNames } from './json.ts';
import { TIME, timeJson } from './json-shapes.ts';

const SHAPE = exact({
  error: exact({
    code: described('One of the codes in docs/errors.md, "usage" or "unexpected".', TEXT),
    message: TEXT,
    path: nullable(TEXT),
    hint: described('What to do about it.', nullable(TEXT)),
    candidates: optional(
      described(
        'With a code that ends in -ambiguous: what was typed fits these, newest first; ten at most.',
        listOf(exact({ id: TEXT, description: TEXT, label: nullable(TEXT), createdAt: TIME })),
      ),
    ),
  }),
});

/** What every command prints with --json when it fails. */
export const ERROR: Kind<unknown> = SHAPE;

interface ReportOptions {
  readonly json: boolean;
  /** As given by `--project`, for hints that repeat it. */
  readonly project: string | undefined;
}

interface Report {
  readonly exit: ExitCode;
  readonly code: string;
  readonly message: string;
  readonly path?: string | undefined;
  readonly hint?: string | undefined;
  /** More lines: candidates of an id, paths in conflict. */
  readonly lines?: readonly string[];
  readonly candidates?: readonly Candidate[] | undefined;
}

/** Says what went wrong, in one line and a hint, or as JSON. */
export function reportError(io: Io, error: unknown, options: ReportOptions): ExitCode {
  const report = reportOf(error, options, io.now());
  if (options.json) io.out(reportJson(report));
  else io.err(reportText(report, columnsOf(io)));
  if (io.env.SAVEPOINT_DEBUG === '1' && error instanceof Error) {
    io.err(`${(error.stack ?? '').split('\n').map(displayText).join('\n')}\n`);
  }
  return report.exit;
}

/** The output could not be written. Standard error says whether the work was done. */
export function reportLostOutput(io: Io, failure: Error): ExitCode {
  const done = io.done === null ? '' : `; ${io.done}`;
  io.err(`savepoint: the output could not be written: ${displayText(failure.message)}${done}\n`);
  return EXIT.failure;
}

function reportOf(error: unknown, { project }: ReportOptions, now: number): Report {
  if (isSavepointError(error)) return ofEngine(error, project, now);
  if (error instanceof UsageError) {
    return { exit: EXIT.usage, code: 'usage', message: error.message, hint: error.hint };
  }
  const hint = 'this should not happen; SAVEPOINT_DEBUG=1 shows where';
  return { exit: EXIT.failure, code: 'unexpected', message: messageOf(error), hint };
}

function ofEngine(error: SavepointError, project: string | undefined, now: number): Report {
  const { code, message, path } = error;
  const hint = hintFor(error, project);
  // What a shortened id or a label fits.
  const candidates = code.endsWith('-ambiguous') ? (error.details as Candidate[]) : undefined;
  const lines = candidates?.map((one) => candidateText(one, now)) ?? linesOf(error.details);
  return { exit: exitCodeOf(code), code, message, path, hint, lines, candidates };
}

function reportText({ message, path, hint, lines = [] }: Report, columns: number): string {
  const place = path === undefined || message.includes(path) ? '' : ` (${path})`;
  const texts = [
    ...wrapWords(`savepoint: ${displayText(`${message}${place}`)}`, columns, 2),
    ...lines.flatMap((line) => wrapWords(`  ${displayText(line)}`, columns, 4)),
    ...(hint === undefined ? [] : wrapWords(`hint: ${displayText(hint)}`, columns, 2)),
  ];
  return `${texts.join('\n')}\n`;
}

function reportJson({ code, message, path, hint, candidates }: Report): string {
  const shown = path === undefined ? null : new PathNames().name(path);
  const error = { code, message: message.toWellFormed(), path: shown, hint: hint ?? null };
  const named = candidates?.map(({ id, description, label, createdAt }) => {
    return { id, description, label, createdAt: timeJson(createdAt) };
  });
  const printed = named === undefined ? error : { ...error, candidates: named };
  return jsonText({ error: printed } satisfies TypeOf<typeof SHAPE>);
}

type Candidate = Pick<Checkpoint, 'id' | 'description' | 'label' | 'createdAt'>;

const SHOWN = 100;

function candidateText(candidate: Candidate, now: number): string {
  const { id, label, createdAt } = candidate;
  const description = candidate.description.slice(0, SHOWN);
  const what = label === null ? description : `[${label.slice(0, SHOWN)}] ${description}`;
  return `${id}  ${relativeTime(createdAt, now)}  ${what}`;
}

/** The details that a person can use: which paths conflict, or are not as they should be. */
function linesOf(details: unknown): string[] {
  if (!Array.isArray(details)) return [];
  return details.flatMap((entry: Record<string, unknown>) => {
    const { path, reason } = entry;
    if (typeof path !== 'string') return [];
    // The message names a single path already.
    if (reason === undefined) return details.length > 1 ? [path] : [];
    return typeof reason === 'string' ? [`${path}: ${sentenceFor(reason)}`] : [];
  });
}

/** The engine's hints are for programmers; these name the command that helps. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  'checkpoint-not-found': 'see what there is with: savepoint list',
  'session-not-found': 'see what there is with: savepoint sessions',
  'session-busy': 'wait until it ends, or add --force if you interrupted it',
  conflicts:
    'nothing was changed; --on-conflict keep or restore settles them, leaving it out skips them',
  'plan-stale': 'nothing was changed; look again with --dry-run and repeat the command',
  'nothing-to-undo': 'rewind or run something first; see what there is with: savepoint list',
  'run-unrecorded': 'nothing was undone; see the timeline with: savepoint list',
  'nothing-to-redo': 'a redo takes back an undo, until the next rewind',
  'operation-not-found':
    'savepoint undo without an id takes back the newest rewind or run; see all with: savepoint ops',
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
};

function hintFor(error: SavepointError, project: string | undefined): string | undefined {
  // With details it is a folder that was moved or re-created.
  if (error.code === 'project-mismatch' && error.details !== undefined) return adoptHint(project);
  // With details some paths were changed before it stopped, so "nothing was changed" would be wrong.
  if (error.code === 'plan-stale' && error.details !== undefined) return error.hint;
  if (error.code === 'run-unrecorded') return beforeHint(error.details) ?? HINTS[error.code];
  return HINTS[error.code] ?? error.hint;
}

function adoptHint(project: string | undefined): string {
  const where = project === undefined ? '' : ` --project ${shellWord(project)}`;
  return `if you re-created the folder on purpose, keep its timeline with: savepoint adopt${where}`;
}

/** To go past a run, a person has to name the run or operation before it. */
function beforeHint(details: unknown): string | undefined {
  const { before } = (details ?? {}) as { before?: Checkpoint | Operation | null };
  if (!before) return undefined;
  return `nothing was undone; take back what came before it (${before.description}) with: savepoint undo ${before.id}`;
}
