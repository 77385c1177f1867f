import type { CheckpointId } from '../../../model/ids.ts';
import type { TrackedPath } from '../../../model/path.ts';

/**
 * The kinds of problems. `database`: SQLite finds its file damaged. `row`: a row is not what was written.
 * `chain`: rows contradict each other. `blob`, `pack`, `git`, `baseline`: contents are lost. `leftover`: a
 * file that nobody needs, which is not damage.
 */
export type ProblemKind =
  | 'database'
  | 'row'
  | 'chain'
  | 'blob'
  | 'pack'
  | 'git'
  | 'baseline'
  | 'leftover';

export interface StoreProblem {
  readonly kind: ProblemKind;
  /** For people, in one line. */
  readonly message: string;
  /** The damaged file, below the folder of the store; null where a row or its bytes are damaged. */
  readonly file: string | null;
  /** Paths that cannot be restored to some state any more, and checkpoints at which they had it. */
  readonly paths: readonly TrackedPath[];
  readonly checkpoints: readonly CheckpointId[];
}

export interface StoreCheck {
  /** Damage first. */
  readonly problems: readonly StoreProblem[];
  /** Whether SQLite can read the database at all. */
  readonly readable: boolean;
  readonly rows: number;
  readonly blobs: number;
}

export interface CheckProgress {
  readonly done: number;
  readonly total: number;
}

export interface CheckOptions {
  readonly onProgress?: ((progress: CheckProgress) => void) | undefined;
  /** The check throws `aborted` when this is. */
  readonly signal?: AbortSignal | undefined;
}

export function problem(
  kind: ProblemKind,
  message: string,
  more: Partial<StoreProblem> = {},
): StoreProblem {
  return { kind, message, file: null, paths: [], checkpoints: [], ...more };
}

export function isDamage({ kind }: StoreProblem): boolean {
  return kind !== 'leftover';
}
