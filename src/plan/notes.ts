import { isOthers } from '../fs/entries.ts';
import type { Observation } from '../fs/observe.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Seq } from '../model/ids.ts';
import { DEPENDENCY_LOCKS } from '../model/living-file.ts';
import { nameOf, type TrackedPath } from '../model/path.ts';
import { isWork, type PlanLine, type PlanNote, takesEffect } from '../model/plan.ts';
import { OTHERS, setIdOf } from '../model/state.ts';

export interface NoteSubject {
  readonly checkpoint: Checkpoint | null;
  readonly exact: boolean;
  readonly lines: readonly PlanLine[];
  readonly seen: ReadonlyMap<TrackedPath, Observation>;
  /** Changes in the set whose author is not certain. */
  readonly uncertain: ReadonlySet<Seq>;
  /** Paths with changes that stay because their author is not certain. */
  readonly uncertainKept: ReadonlySet<TrackedPath>;
  /** Changes in the set that no tool named: a scan found them after a command. */
  readonly inferred: ReadonlySet<Seq>;
  /** Files that had a set-id bit before the set, and have it no longer. */
  readonly lostSetId: ReadonlySet<TrackedPath>;
  /** The commit that git's HEAD names now. */
  readonly gitHead: string | null;
}

/** Notes for people about a plan, beside its lines. */
export function notesOn(subject: NoteSubject): PlanNote[] {
  return [
    ...pathNote('not-certain', UNCERTAIN_MESSAGE, subject, ({ takes }) =>
      takes.some((seq) => subject.uncertain.has(seq)),
    ),
    ...noteOn(
      'uncertain-kept',
      UNCERTAIN_KEPT_MESSAGE,
      subject.lines.filter(
        (line) =>
          (isWork(line) || line.action === 'conflict') && subject.uncertainKept.has(line.path),
      ),
    ),
    ...pathNote('inferred', INFERRED_MESSAGE, subject, ({ takes }) =>
      takes.some((seq) => subject.inferred.has(seq)),
    ),
    ...gitNote(subject),
    ...pathNote('lock-file-changed', LOCK_MESSAGE, subject, ({ path }) =>
      DEPENDENCY_LOCKS.has(nameOf(path)),
    ),
    ...pathNote('hard-links', LINK_MESSAGE, subject, ({ path, expected }) => {
      const links = subject.seen.get(path)?.stats?.nlink ?? 1n;
      return links > 1n && expected.kind === 'captured' && expected.type === 'file';
    }),
    ...pathNote('owner-changes', OWNER_MESSAGE, subject, ({ path, action, target }) => {
      const uid = subject.seen.get(path)?.stats?.uid;
      if (uid === undefined) return target.kind === 'captured' && (target.mode & OTHERS) !== 0;
      return action !== 'chmod' && isOthers(Number(uid));
    }),
    ...noteOn(
      'set-id',
      SET_ID_MESSAGE,
      subject.lines.filter((line) => namesSetId(line, subject)),
    ),
    ...coverageNote(subject),
  ];
}

/**
 * Names what other agents changed in the same time and the plan does not concern. `unknown`: the session that
 * the plan is about, where nothing is on record of it; then its program may record under another name.
 */
export function othersNote(
  changed: readonly TrackedPath[],
  lines: readonly PlanLine[],
  unknown: string | null,
): PlanNote[] {
  const planned = new Set(lines.map(({ path }) => path));
  const paths = changed.filter((path) => !planned.has(path));
  if (paths.length === 0) return [];
  const why = unknown === null ? '' : `nothing is on record of the session ${unknown}; `;
  return [{ code: 'others-kept', message: `${why}${OTHERS_MESSAGE}`, paths }];
}

const OTHERS_MESSAGE = 'others changed these since, and they stay as they are';
const UNCERTAIN_MESSAGE =
  'it is not certain who changed these: the end of the command was not seen, or another one ran at the same time';
const UNCERTAIN_KEPT_MESSAGE =
  'not all that changed in these goes back: it is not certain who changed the rest; --include-shared takes it back too';
const INFERRED_MESSAGE =
  'no tool named these files: they changed while a command ran, so what you did to them meanwhile goes back too';
const LOCK_MESSAGE = 'a lock file changes: install dependencies again';
const LINK_MESSAGE = 'these files have other names (hard links), which keep the present content';
const OWNER_MESSAGE = 'these files belong to another user, or did, and will belong to you';
const SET_ID_MESSAGE =
  'these files have set-user-id or set-group-id bits, or had them; a rewind never sets those: check them';

/** Whether a file has set-id bits that the plan may clear, or had some that do not come back. */
function namesSetId(line: PlanLine, { lostSetId }: NoteSubject): boolean {
  const { path, expected, target } = line;
  if (lostSetId.has(path)) return takesEffect(line);
  return isWork(line) && target.kind === 'captured' && setIdOf(expected) !== 0;
}

function gitNote({ checkpoint, exact, gitHead: now }: NoteSubject): PlanNote[] {
  if (checkpoint === null) return [];
  const before = checkpoint.gitHead;
  if (before === now) return [];
  const heads = `${before?.slice(0, 12) ?? 'none'} then, ${now?.slice(0, 12) ?? 'none'} now`;
  const message = `git HEAD moved (${heads}); commits are never moved by a rewind`;
  return [{ code: exact ? 'git-head' : 'commits-since', message }];
}

function coverageNote({ exact, lines }: NoteSubject): PlanNote[] {
  const paths = lines.filter((line) => line.action === 'skip').map((line) => line.path);
  if (!exact || paths.length === 0) return [];
  return [
    { code: 'not-covered', message: 'these paths are not brought back to how they were', paths },
  ];
}

function pathNote(
  code: PlanNote['code'],
  message: string,
  subject: NoteSubject,
  applies: (line: PlanLine) => boolean,
): PlanNote[] {
  return noteOn(
    code,
    message,
    subject.lines.filter((line) => isWork(line) && applies(line)),
  );
}

function noteOn(code: PlanNote['code'], message: string, lines: readonly PlanLine[]): PlanNote[] {
  return lines.length === 0 ? [] : [{ code, message, paths: lines.map(({ path }) => path) }];
}
