/** Why nothing, or nothing more, is taken from git. Everything is then copied instead. */
export type GitRefusal =
  | 'no-repository'
  | 'foreign-owner'
  | 'git-environment'
  | 'git-missing'
  | 'git-failed'
  | 'cancelled'
  | 'unreadable'
  | 'no-commit'
  | 'no-index'
  | 'index-locked'
  | 'index-version'
  | 'index-extension'
  | 'index-damaged'
  | 'split-index'
  | 'sparse-index'
  | 'unmerged'
  | 'sha256'
  | 'reftable'
  | 'partial-clone'
  | 'alternates'
  | 'repository-extension'
  | 'filter-driver'
  | 'objects-gone'
  | 'too-large-to-copy';

export interface RefusedByGit {
  readonly refused: GitRefusal;
}

/** Thrown within this folder only; callers outside of it get a `RefusedByGit`. */
export class Refusal extends Error {
  readonly reason: GitRefusal;

  constructor(reason: GitRefusal) {
    super(`nothing is taken from git: ${reason}`);
    this.name = 'Refusal';
    this.reason = reason;
  }
}

/** Turns an error into a reason. An error that is neither a refusal nor the disk's is a bug. */
export function refusedBy(error: unknown): RefusedByGit {
  if (error instanceof Refusal) return { refused: error.reason };
  if (typeof (error as NodeJS.ErrnoException).errno === 'number') return { refused: 'unreadable' };
  throw error;
}
