import {
  type Captured,
  type DiffHunk,
  displayLines,
  displayText,
  findRenames,
  type PathDiff,
  type State,
  type TrackedPath,
  unifiedHunks,
} from '../index.ts';

type DiffStatus = 'created' | 'deleted' | 'renamed' | 'modified' | 'unknown';

/** One path of a diff, ready to be shown or sent. */
export interface FileDiff {
  readonly diff: PathDiff;
  readonly status: DiffStatus;
  /** The name that it had before, for a rename. */
  readonly from: TrackedPath | null;
  /** The contents are not text. */
  readonly binary: boolean;
  /** The contents are on record, but the store could not give them back. */
  readonly damaged: boolean;
  readonly hunks: readonly DiffHunk[];
  readonly insertions: number;
  readonly deletions: number;
}

const NOTHING = new Uint8Array();

/** All paths of a diff. A rename is one of them, under its new name. */
export function fileDiffs(diffs: readonly PathDiff[]): FileDiff[] {
  return [...eachFileDiff(diffs)];
}

/** As `fileDiffs`, each compared when it is asked for. */
export function* eachFileDiff(diffs: readonly PathDiff[]): Generator<FileDiff> {
  const renames = findRenames(diffs);
  const left = new Set(renames.values());
  const byPath = new Map(diffs.map((diff) => [diff.path, diff]));
  for (const diff of diffs) {
    if (left.has(diff.path)) continue;
    const from = byPath.get(renames.get(diff.path) ?? diff.path);
    yield from === undefined || from === diff ? fileDiff(diff) : renamed(diff, from);
  }
}

/** Its state before is that of the old name. */
function renamed(diff: PathDiff, { path, before, beforeBytes }: PathDiff): FileDiff {
  return {
    diff: { ...diff, before, beforeBytes },
    status: 'renamed',
    from: path,
    binary: false,
    damaged: false,
    hunks: [],
    insertions: 0,
    deletions: 0,
  };
}

export function fileDiff(diff: PathDiff, context = 3): FileDiff {
  const status = statusOf(diff);
  const before = diff.beforeBytes ?? NOTHING;
  const after = diff.afterBytes ?? NOTHING;
  const binary = before.includes(0) || after.includes(0);
  const damaged = isLost(diff.before, diff.beforeBytes) || isLost(diff.after, diff.afterBytes);
  const isShown = !binary && !damaged && status !== 'unknown';
  const hunks = isShown ? unifiedHunks(before, after, context) : [];
  return { diff, status, from: null, binary, damaged, hunks, ...countsOf(hunks) };
}

/** Counts the lines of the hunks: comparing the contents a second time would be slow. */
function countsOf(hunks: readonly DiffHunk[]): { insertions: number; deletions: number } {
  let [insertions, deletions] = [0, 0];
  for (const { kind } of hunks.flatMap(({ lines }) => lines)) {
    if (kind === 'add') insertions += 1;
    if (kind === 'remove') deletions += 1;
  }
  return { insertions, deletions };
}

function statusOf({ before, after }: PathDiff): DiffStatus {
  if (before.kind === 'unknown' || after.kind === 'unknown') return 'unknown';
  if (before.kind === 'absent') return 'created';
  return after.kind === 'absent' ? 'deleted' : 'modified';
}

function isLost(state: State, bytes: Uint8Array | null): boolean {
  return state.kind === 'captured' && state.blob !== null && bytes === null;
}

const FILE_TYPES: Record<Captured['type'], number> = {
  file: 0o100000,
  symlink: 0o120000,
  directory: 0o040000,
};

/** Type and permissions as git writes them: 100644, 120000. */
export function gitMode({ type, mode }: Captured): string {
  const bits = type === 'file' ? mode & 0o7777 : 0;
  return (FILE_TYPES[type] | bits).toString(8).padStart(6, '0');
}

/** As `chmod` takes it. */
export function octalMode({ mode }: Captured): string {
  return (mode & 0o7777).toString(8).padStart(3, '0');
}

/** Why git cannot apply what `diffText` makes of a file; null where it can. */
export function patchLimit(file: FileDiff): string | null {
  const name = displayText(file.diff.path);
  if (file.status === 'unknown') return `${name} was not recorded`;
  if (file.damaged) return `the record of ${name} is damaged`;
  if (file.binary) return `${name} is binary`;
  const isShownOtherwise = file.hunks.some(({ lines }) =>
    lines.some(({ text }) => isEscaped(text)),
  );
  return isShownOtherwise ? `${name} holds characters that are shown as their numbers` : null;
}

/** Whether `diffText` prints other characters: for bytes that are not text, or that could steer a terminal. */
function isEscaped(text: string): boolean {
  return displayLines(text) !== text || text.includes('\ufffd');
}
