import type { BaselineReport } from '../capture/scan/take-baseline.ts';
import type { HiddenBy } from '../capture/scan/worktree.ts';
import type { TrackedPath } from '../model/path.ts';
import type { PlanNote } from '../model/plan.ts';
import type { UnknownReason } from '../model/state.ts';

/**
 * What people should know after the first scan, before an agent works: these files cannot be brought back.
 * Excluded files are not among them, because somebody asked for that.
 */
export function notesOnFirst(
  { unrecorded }: BaselineReport,
  unreadable: readonly TrackedPath[],
  maxFileSize: number,
): PlanNote[] {
  const withReason = (reason: UnknownReason): TrackedPath[] =>
    unrecorded.filter((one) => one.reason === reason).map(({ path }) => path);
  const limit = sizeText(maxFileSize);
  return [
    ...note(
      withReason('too-large'),
      `files over ${limit} are not recorded and cannot be brought back; to keep them too, raise maxFileSize (see: savepoint config)`,
    ),
    ...note(
      [...withReason('unreadable'), ...unreadable],
      'these files and folders cannot be read, so they are not recorded and cannot be brought back',
    ),
  ];
}

/** Said when the first files that git ignores go on record. */
export function noteOnIgnored(paths: readonly TrackedPath[]): PlanNote[] {
  if (paths.length === 0) return [];
  const message =
    'small files that git ignores are recorded as well, so that they can be brought back; they are private and never in an export; to leave them out, set keepIgnored to false (see: savepoint config), or use exclude';
  return [{ code: 'ignored-kept', message, paths }];
}

const HIDDEN: Readonly<Record<HiddenBy, string>> = {
  rules:
    'the ignore rules hide every name in the project, so new files are not recorded, except small ones that git alone ignores; see .gitignore and .savepointignore',
  exclude:
    'the setting exclude leaves out every file in the project: nothing new is recorded, and what was recorded can still be undone; see: savepoint config exclude',
};

/** A rule that hides everything is hardly meant, and may be written by an agent. */
export function noteOnHidden(by: HiddenBy | null): PlanNote[] {
  return by === null ? [] : [{ code: 'hides-everything', message: HIDDEN[by] }];
}

function note(paths: readonly TrackedPath[], message: string): PlanNote[] {
  return paths.length === 0 ? [] : [{ code: 'not-recorded', message, paths }];
}

const MIB = 1024 * 1024;

function sizeText(bytes: number): string {
  return bytes % MIB === 0 ? `${bytes / MIB} MiB` : `${bytes.toLocaleString('en')} bytes`;
}
