import {
  type Captured,
  countLines,
  type DiffHunk,
  type PathDiff,
  type State,
  unifiedHunks,
} from '../index.ts';

export type DiffStatus = 'created' | 'deleted' | 'modified' | 'unknown';

/** One path of a diff, ready to be shown or sent. */
export interface FileDiff {
  readonly diff: PathDiff;
  readonly status: DiffStatus;
  /** Contents that are no text, or are not at hand. */
  readonly binary: boolean;
  readonly hunks: readonly DiffHunk[];
  readonly insertions: number;
  readonly deletions: number;
}

const NOTHING = new Uint8Array();

export function fileDiff(diff: PathDiff, context = 3): FileDiff {
  const status = statusOf(diff);
  const before = diff.beforeBytes ?? NOTHING;
  const after = diff.afterBytes ?? NOTHING;
  const binary = isOpaque(diff.before, diff.beforeBytes) || isOpaque(diff.after, diff.afterBytes);
  if (binary || status === 'unknown') {
    return { diff, status, binary, hunks: [], insertions: 0, deletions: 0 };
  }
  return {
    diff,
    status,
    binary,
    hunks: unifiedHunks(before, after, context),
    ...countLines(before, after),
  };
}

function statusOf({ before, after }: PathDiff): DiffStatus {
  if (before.kind === 'unknown' || after.kind === 'unknown') return 'unknown';
  if (before.kind === 'absent') return 'created';
  return after.kind === 'absent' ? 'deleted' : 'modified';
}

/** Recorded content that holds no lines, or that the store could not give back. */
function isOpaque(state: State, bytes: Uint8Array | null): boolean {
  if (state.kind !== 'captured' || state.blob === null) return false;
  return bytes === null || bytes.includes(0);
}

const FILE_TYPES: Record<Captured['type'], string> = {
  file: '100',
  symlink: '120',
  directory: '040',
};

/** Type and permissions as git writes them: 100644, 120000. */
export function gitMode({ type, mode }: Captured): string {
  const bits = type === 'file' ? mode.toString(8).padStart(3, '0') : '000';
  return FILE_TYPES[type] + bits;
}
