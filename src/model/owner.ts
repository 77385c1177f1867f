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
  /** The first sequence number that the import drew: its place in the timeline. */
  readonly first: Seq;
}
