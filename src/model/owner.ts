import type { Seq } from './ids.ts';

/** A process, described so that another one can tell later whether it still runs. */
export interface ProcessOwner {
  readonly kind: 'process';
  readonly host: string;
  readonly processId: number;
  /** When it started, in the host's own terms, since process ids are used again; null when not known. */
  readonly started: string | null;
}

/** An agent whose process is not known: it counts as alive until this time of the clock. */
export interface LeaseOwner {
  readonly kind: 'lease';
  readonly until: number;
}

/** What tells whether the work of an agent can still go on. */
export type LivingOwner = ProcessOwner | LeaseOwner;

/** An import. Every change that it brought has it as its owner. */
export interface ImportOwner {
  readonly kind: 'import';
  /** Its place in the timeline: the first sequence number that it drew, or an earlier one that it counts as. */
  readonly first: Seq;
  /** The change of another worktree that this one stands for; left out where it is no such change. */
  readonly from?: ChangeOrigin;
  /** The place of the first import of the same session, where this one brought what the session has done since. */
  readonly continues?: Seq;
}

/** A change in the worktree in which it happened. */
export interface ChangeOrigin {
  /** The id of the worktree. */
  readonly worktree: string;
  readonly seq: Seq;
}
